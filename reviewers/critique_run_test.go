package reviewers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// criticised gives a branch a plan and those who judge it: the critic finds two things and makes up
// a third, the verifier confirms both until one is repaired, and the planner repairs that.
func criticised(t *testing.T) (b *feature, asked string) {
	t.Helper()
	b = configured(t)
	b.planned("true")
	asked = t.TempDir()
	script := filepath.Join(asked, "judge.sh")
	text := `dir=$(dirname "$0")
cat >"$dir/prompt"
echo "$GIT_PLAN_ROLE" >>"$dir/asked"
finds() {
	found="$found${found:+,}{\"category\":\"$1\",\"severity\":\"high\",\"file\":\"plan.md\",\"quote\":\"$2\",\"title\":\"$3\",\"detail\":\"it is so\",\"trigger\":\"always\",\"remedy\":\"fix\"}"
}
case $GIT_PLAN_ROLE in
critic)
	finds over-engineering 'Numbers are small.' 'nobody asked for that'
	finds missing-verification 'Check: \u0060true\u0060' 'it proves nothing'
	finds invented-name 'no word of the plan' 'it is made up'
	printf '{"nonce":"%s","covered":["plan.md"],"findings":[%s]}' "$GIT_PLAN_NONCE" "$found" ;;
verifier)
	for id in $(sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$GIT_PLAN_FINDINGS"); do
		word=confirmed
		[ ! -e "$dir/repaired" ] || [ -n "$answers" ] || word=refuted
		answers="$answers${answers:+,}{\"id\":\"$id\",\"answer\":\"$word\",\"because\":\"looked\",\"quote\":\"Add *them* for\"}"
	done
	printf '{"nonce":"%s","answers":[%s]}' "$GIT_PLAN_NONCE" "$answers" ;;
planner)
	: >"$dir/repaired"
	printf '# Sums\n\nAdd *them* for @somebody.\n\n## Steps\n\n- [x] Write a {#a}\n  - Check: \140true\140\n- [ ] Write b {#b}\n\n## Verification\n\n- \140true\140\n' ;;
esac
`
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Git("config", "planAgent.fake.command", "sh '"+script+"'")
	b.Commit("a.txt", "a\n")
	return b, asked
}

func (b *feature) critique(q *Critique) (*Critiqued, error) {
	b.T.Helper()
	q.Worker = b.worker()
	return q.Run(b.T.Context())
}

// inTurn holds that a critic was asked, then others until the plan was repaired, and nobody once more;
// whose answer could not be used was asked twice.
func inTurn(t *testing.T, asked string) {
	t.Helper()
	got, _ := os.ReadFile(filepath.Join(asked, "asked"))
	if roles := slices.Compact(strings.Fields(string(got))); !slices.Equal(roles, []string{"critic", "verifier", "planner", "verifier"}) {
		t.Errorf("asked were %s", roles)
	}
}

// What a critic finds wrong with a plan is verified, repaired once, and verified again; what then
// stays is shown to whoever approves the plan, until they change what it quotes.
func TestAPlanIsCriticisedAndRepaired(t *testing.T) {
	b, asked := criticised(t)
	out, err := b.critique(&Critique{Fix: true, Goal: "sums"})
	if err != nil || !out.Repaired || out.Unquoted != 1 || len(out.Findings) != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	for i, want := range []finding.Status{finding.Fixed, finding.Confirmed} {
		if f := out.Findings[i]; f.Status != want {
			t.Errorf("%s is %s, want %s", f.Title, f.Status, want)
		}
	}
	inTurn(t, asked)
	co := b.opened()
	if strings.Contains(string(co.Doc.Plan.Source), "Numbers are small") {
		t.Errorf("the plan is not repaired:\n%s", co.Doc.Plan.Source)
	}
	if weak := CritiqueWeaknesses(co); len(weak) != 1 || weak[0].Step != "a" || weak[0].Text != "it proves nothing" {
		t.Errorf("%+v", weak)
	}
	err = co.Store.Apply(t.Context(), co.Doc, co.Branch, journal.Change{
		Event: journal.Event{Kind: journal.Edited, By: journal.ByPerson},
		Edit: func(text []byte) ([]byte, error) {
			return []byte(strings.Replace(string(text), "Check: `true`", "Check: `test -f a.txt`", 1)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if q, stale := LastCritique(co); !stale || len(CritiqueWeaknesses(co)) != 0 || len(q.Findings) != 0 {
		t.Errorf("what is not in the plan any more is shown: %+v", q)
	}
}

// A plan that was judged is not judged again to be repaired.
func TestAJudgedPlanIsRepairedWithoutItsCritic(t *testing.T) {
	b, asked := criticised(t)
	out, err := b.critique(&Critique{})
	if err != nil || out.Repaired || len(out.Confirmed()) != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	last, stale := LastCritique(b.opened())
	if last == nil || stale {
		t.Fatalf("%+v, %v", last, stale)
	}
	if out, err = b.critique(&Critique{Fix: true, Last: last}); err != nil || !out.Repaired || len(out.Confirmed()) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	inTurn(t, asked)
}

// A critic that says nothing usable ends the critique, and the plan is as it was.
func TestACriticThatIsOfNoUse(t *testing.T) {
	for command, want := range map[string]error{
		"cat >/dev/null; echo fine": fault.ErrCritic,
		"exit 75":                   fault.ErrLimited,
	} {
		t.Run(command, func(t *testing.T) {
			b, _ := criticised(t)
			before := b.opened().Doc.Plan.Source
			b.Git("config", "planAgent.fake.command", command)
			b.Git("config", "plan.waitOnLimit", "0")
			if _, err := b.critique(&Critique{Fix: true}); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			co := b.opened()
			if string(co.Doc.Plan.Source) != string(before) || CritiqueWeaknesses(co) != nil {
				t.Error("it changed the plan or left findings")
			}
		})
	}
}

// A refutation may cite a file that git tracks, as the work tree has it, and no other.
func TestWhatARefutationMayCite(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "the sum of all numbers\n")
	if err := os.WriteFile(filepath.Join(b.Dir, "new.txt"), []byte("nobody has added this\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("new.txt", filepath.Join(b.Dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	b.Git("add", "link.txt")
	for quote, want := range map[string]bool{"the sum of all numbers": true, "nobody has added this": false, "in no file at all": false} {
		if got := inRepository(t.Context(), b.Repo, quote); got != want {
			t.Errorf("%q: %v", quote, got)
		}
	}
}
