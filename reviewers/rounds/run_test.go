package rounds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/branches"
	"github.com/git-plan/git-plan/testdata/race"
)

func TestBranchWithoutFindingsIsClean(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "fine\n", "b.go", "package b\n", "go.sum", "x\n")
	out := b.run(b.loop())
	b.expect(out, ledger.Clean, "nothing is open")
	if got := out.Ledger.Coverage(); got != "reviewed 2 of 3 files (1 not sent: 1 lock)" {
		t.Error(got)
	}
	if !out.Ledger.Verdict().Passes() {
		t.Error("its verdict does not pass")
	}
}

func TestFindingIsFixedAndTheNextRoundIsClean(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n", "b.txt", "fine\n")
	l := b.loop()
	l.Fix = b.writes("first\nall is well\n")
	var events []string
	l.Report = func(n journal.Notice) { events = append(events, string(n.Kind)+" "+n.Text) }
	out := b.run(l)
	b.expect(out, ledger.Clean, "")
	want := "review.round asks quality, reviewer.end rules: 0 findings, 2 files judged, reviewer.end quality: 1 finding, 2 files judged, " +
		"finding a.txt:2: high correctness: there is a bug (blocks), fix.end fixer: committed " + out.Ledger.Head[:10] + ", review.round asks quality, " +
		"reviewer.end rules: 0 findings, 2 files judged, reviewer.end quality: 0 findings, 1 file judged, review.end clean: nothing is open"
	if got := strings.Join(events, ", "); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
	if f := out.Ledger.Findings; len(f) != 1 || f[0].Status != finding.Fixed {
		t.Errorf("ledger %+v", f)
	}
	data, err := out.Ledger.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ledger.Parse(data); err != nil || len(again.Rounds) != 2 || again.Rounds[0].Fix.Head != b.Git("rev-parse", "HEAD") {
		t.Errorf("%v\n%s", err, data)
	}
}

func TestNoFixOnlyReports(t *testing.T) {
	b := newBranch(t)
	head := b.Commit("a.txt", "first\nBUG here\n")
	l := b.loop()
	l.NoFix = true
	out := b.run(l)
	b.expect(out, ledger.Found, "1 finding blocks")
	if !strings.Contains(out.Ledger.Text(), "a.txt:2: high correctness: there is a bug\n") || b.Git("rev-parse", "HEAD") != head {
		t.Error(out.Ledger.Text())
	}
}

func TestResultsOfAReview(t *testing.T) {
	race.Skip(t)
	bug := "first\nBUG here\n"
	for name, tt := range map[string]struct {
		end    ledger.End
		reason string
		set    func(b *branch, l *Loop)
	}{
		"below the threshold": {ledger.Notes, "1 note", func(b *branch, l *Loop) {
			l.Reviewers = []*panel.Reviewer{persona("quality", hold(branches.Script(b.T, "finds-bugs.sh"), "SEVERITY=medium"))}
		}},
		"an advisory reviewer": {ledger.Notes, "1 note", func(b *branch, l *Loop) {
			adviser := persona("adviser", hold(branches.Script(b.T, "finds-bugs.sh")))
			adviser.Blocking = false
			l.Reviewers = []*panel.Reviewer{adviser, persona("quality", hold("printf '{\"nonce\":\"%s\",\"covered\":[\"a.txt\"],\"findings\":[]}' $GIT_PLAN_NONCE"))}
		}},
		"the verifier doubts": {ledger.Notes, "1 note", func(b *branch, l *Loop) {
			l.Verifier.RunSession = hold(branches.Script(b.T, "verifies.sh"), "ANSWER=plausible")
		}},
		"the verifier refutes": {ledger.Clean, "", func(b *branch, l *Loop) {
			l.Verifier.RunSession = hold(branches.Script(b.T, "verifies.sh"), "ANSWER=refuted")
		}},
		"a verifier without output":    {ledger.Incomplete, "the verifier: its standard output is empty", func(b *branch, l *Loop) { l.Verifier.RunSession = hold("true") }},
		"a verifier that prints prose": {ledger.Incomplete, "the verifier: its output cannot be used", func(b *branch, l *Loop) { l.Verifier.RunSession = hold("echo all confirmed") }},
		"a verifier that fails":        {ledger.Incomplete, "the verifier: failed", func(b *branch, l *Loop) { l.Verifier.RunSession = hold("exit 3") }},
		"dismissed with reason":        {ledger.Explained, "1 finding explained away", func(b *branch, l *Loop) { l.Fix = says("dismissed", "as intended") }},
		"dismissed, without an id": {ledger.Explained, "1 finding explained away", func(b *branch, l *Loop) {
			l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
				return ledger.FixRecord{Status: agent.Done, Dispositions: []agent.Disposition{{Disposition: "dismissed", Because: "as intended"}}}, nil
			}
		}},
		"dismissed, and the verifier disagrees": {ledger.Stalemate, "1 finding open", func(b *branch, l *Loop) { l.Fix = says("dismissed", "no time") }},
		"dismissed, and no answer of the verifier": {ledger.Incomplete, "the verifier of what the fixer dismisses: its output cannot be used", func(b *branch, l *Loop) {
			confirms, asked := l.Verifier.RunSession, 0
			l.Fix = says("dismissed", "as intended")
			l.Verifier.RunSession = func(ctx context.Context, s agent.Session) agent.Result {
				if asked++; asked == 1 {
					return confirms(ctx, s)
				}
				return hold("echo all refuted")(ctx, s)
			}
		}},
		"a fixer that lies": {ledger.Stalemate, "1 finding open", func(b *branch, l *Loop) { l.Fix = says("fixed", "done") }},
		"a fixer that asks": {ledger.Stalemate, "1 finding open", func(b *branch, l *Loop) { l.Fix = says("asked", "which?") }},
		"a fixer that fails": {ledger.Stalemate, "failed: no tests", func(b *branch, l *Loop) {
			l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
				return ledger.FixRecord{Status: agent.Failed, Reason: "no tests"}, nil
			}
		}},
		"a fixer without budget": {ledger.Budget, "", func(b *branch, l *Loop) {
			l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
				return ledger.FixRecord{Status: agent.Stopped}, nil
			}
		}},
		"a reviewer without budget": {ledger.Budget, "", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("dear", func(context.Context, agent.Session) agent.Result {
				return agent.Result{Status: agent.Stopped, Reason: "plan.maxCost is used up"}
			}))
		}},
		"no fixer":    {ledger.Stalemate, "there is no fixer", func(b *branch, l *Loop) {}},
		"one round":   {ledger.RoundsUp, "1 finding blocks after 1 round; first a.txt:2: there is a bug (", func(b *branch, l *Loop) { l.Rounds = 1 }},
		"never fixed": {ledger.RoundsUp, "after 2 rounds", func(b *branch, l *Loop) { l.Rounds = 2; l.Fix = b.writes("1\nBUG a\n", "2\nBUG b\n", "3\nBUG c\n") }},
		"fixed twice without effect": {ledger.Stalemate, "after two fixes", func(b *branch, l *Loop) {
			l.Rounds = 9
			l.Fix = b.writes("1\nBUG here\n", "2\nBUG here\n", "3\nBUG here\n")
		}},
		"a new one after each fix": {ledger.Stalemate, "after two fixes", func(b *branch, l *Loop) {
			l.Rounds = 9
			l.Fix = b.writes("1\nBUG a\n", "2\nBUG b\n", "3\nBUG c\n")
		}},
		"back and forth": {ledger.Oscillation, "earlier round", func(b *branch, l *Loop) { l.Rounds = 9; l.Fix = b.writes("1\nBUG a\n", bug) }},
		"a commit that changes nothing": {ledger.Stalemate, "changed nothing", func(b *branch, l *Loop) {
			l.Fix = func(ctx context.Context, r Repair) (ledger.FixRecord, error) {
				b.Git("commit", "-q", "--allow-empty", "-m", "x")
				return ledger.FixRecord{Status: agent.Done, Head: b.Git("rev-parse", "HEAD")}, nil
			}
		}},
		"the branch is switched meanwhile": {ledger.Moved, "switched from feature to main", func(b *branch, l *Loop) {
			l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
				b.Git("switch", "-q", "main")
				return ledger.FixRecord{Status: agent.Done}, nil
			}
		}},
		"the branch is rewound": {ledger.Moved, "", func(b *branch, l *Loop) {
			l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
				b.Git("reset", "-q", "--hard", "main")
				return ledger.FixRecord{Status: agent.Done, Head: b.Git("rev-parse", "HEAD")}, nil
			}
		}},
		"a commit during the review": {ledger.Moved, "meanwhile", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("slow", func(ctx context.Context, s agent.Session) agent.Result {
				b.Commit("other.txt", "x\n")
				return hold(branches.Script(b.T, "finds-bugs.sh"))(ctx, s)
			}))
		}},
		"a reviewer that writes": {ledger.Incomplete, "reviewer writer: it changed its copy: a.txt;", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("writer", hold("echo x > a.txt; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a reviewer that writes hidden files": {ledger.Incomplete, "changed its copy: a.txt;", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("writer", hold("git update-index --assume-unchanged a.txt; echo '# x' >> a.txt; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a reviewer that changes git's configuration": {ledger.Incomplete, "changed its copy: .git/config;", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("writer", hold("git config core.fsmonitor ./x; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a reviewer that writes to the copy of all": {ledger.Incomplete, "the copy that reviewers read was changed: ", func(b *branch, l *Loop) {
			writer := persona("writer", hold("echo x > a.txt; "+branches.Script(b.T, "finds-bugs.sh")))
			writer.Shares = true
			l.Reviewers = append(l.Reviewers, writer)
		}},
		"a reviewer that checks out another commit": {ledger.Incomplete, "changed its copy: .git/HEAD", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("writer", hold("git reset -q --soft HEAD~1; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a reviewer that makes a branch": {ledger.Incomplete, "changed its copy: .git/refs/heads/mine;", func(b *branch, l *Loop) {
			l.Reviewers = append(l.Reviewers, persona("writer", hold("git branch mine; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a reviewer that runs the tests": {ledger.Found, "1 finding blocks", func(b *branch, l *Loop) {
			l.NoFix = true
			b.Commit(".gitignore", "*.log\n")
			l.Reviewers = append(l.Reviewers, persona("tester", hold("mkdir build; echo x > build/out; echo x > test.log; git add -N . 2>/dev/null; git reset -q; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"a verifier that writes": {ledger.Incomplete, "the verifier: it changed its copy: a.txt;", func(b *branch, l *Loop) {
			l.Verifier.RunSession = hold("echo x > a.txt; " + branches.Script(b.T, "verifies.sh"))
		}},
		"a reviewer that only reads with git": {ledger.Found, "1 finding blocks", func(b *branch, l *Loop) {
			l.NoFix = true
			l.Reviewers = append(l.Reviewers, persona("reader", hold("git status >/dev/null; git log -p >/dev/null; git diff HEAD; "+branches.Script(b.T, "finds-bugs.sh"))))
		}},
		"rules that cannot read a commit": {ledger.Incomplete, "reviewer rules: the change could not be read", func(b *branch, l *Loop) {
			l.NoFix = true
			b.Commit("gone.txt", "what no other commit has\n")
			blob := b.Git("rev-parse", "HEAD:gone.txt")
			b.Git("rm", "-q", "gone.txt")
			b.Git("commit", "-q", "-m", "x")
			if err := os.Remove(filepath.Join(b.Dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
				b.T.Fatal(err)
			}
		}},
		"no reviewers":         {ledger.Incomplete, "no reviewer judged", func(b *branch, l *Loop) { l.Reviewers, l.Verifier = nil, panel.Verifier{} }},
		"no required reviewer": {ledger.Incomplete, "no reviewer judged", func(b *branch, l *Loop) { l.Reviewers[0].When = []string{"**/*.sql"} }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", bug)
			l := b.loop()
			tt.set(b, l)
			out := b.run(l)
			b.expect(out, tt.end, tt.reason)
			if strings.HasPrefix(out.Ledger.Reason, "the verifier: ") { // a finding that it did not judge is no note
				if got := ledger.Weight(out.Ledger.Findings[0], false); got != "not judged, since the verifier gave no answer" {
					t.Error(got)
				}
			}
		})
	}
}

// A refutation must cite the code, not the verifier's own text.
func TestVerifierCannotCiteItsOwnText(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n")
	l := b.loop()
	l.NoFix = true
	l.Verifier.RunSession = hold(`echo 'this was here all the time' >proof.txt; `+branches.Script(t, "verifies.sh")+` | sed 's/"quote": "[^"]*"/"quote": "this was here all the time"/'`, "ANSWER=refuted")
	out := b.run(l)
	if f := out.Ledger.Findings; len(f) != 1 || f[0].Status != finding.Plausible {
		t.Errorf("%+v", f)
	}
}

// A confirmed finding is open again wherever its files are back: at the end of the review that went back to
// them, and in the next one, although no reviewer repeats it.
func TestGoingBackSettlesNothing(t *testing.T) {
	says := func(who, word, quote, title string) *panel.Reviewer {
		finding := fmt.Sprintf(`{"category": "wording", "severity": "high", "file": "a.txt", "quote": "%s", "title": "%s", "remedy": "fix"}`, quote, title)
		return persona(who, hold(fmt.Sprintf(`grep -q %s a.txt || finding= ; printf '{"nonce": "%%s", "covered": ["a.txt"], "findings": [%%s]}' $GIT_PLAN_NONCE "$finding"`, word), "finding="+finding))
	}
	b := newBranch(t)
	b.Commit("a.txt", "it helps\n")
	l := b.loop()
	l.Reviewers = []*panel.Reviewer{says("quality", "helps", "it helps", "must say works"), says("fidelity", "works", "it works", "must never say works")}
	l.Fix = b.writes("it works\n", "it helps\n")
	out := b.run(l)
	b.expect(out, ledger.Oscillation, "the fix brought back the tree of an earlier round; first a.txt:1: must say works (")
	if f := out.Ledger.Blocking(); len(f) != 1 || f[0].Title != "must say works" || f[0].Quote != "it helps" {
		t.Errorf("blocking %+v", f)
	}
	l.Reviewers = []*panel.Reviewer{says("quality", "nothing", "", "")}
	l.Earlier, l.NoFix = out.Ledger, true
	b.expect(b.run(l), ledger.Found, "1 finding blocks")
}

// The main invariant: an invalid answer is never a pass. The parser's own test has many more of them.
func TestMalformedAnswerIsNeverAPass(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.go", "package a\n")
	file := filepath.Join(t.TempDir(), "answer")
	const ok = `{"nonce": "@NONCE@", "covered": ["a.go"], "findings": []}`
	for name, answer := range map[string]string{
		"nothing": "", "prose": "No issues found. LGTM!", "cut off": ok[:len(ok)-3], "words behind": ok + "\nThat is all.",
		"two answers":     ok + "\n" + ok,
		"no nonce":        `{"covered": ["a.go"], "findings": []}`,
		"a wrong nonce":   `{"nonce": "other", "covered": ["a.go"], "findings": []}`,
		"covers nothing":  `{"nonce": "@NONCE@", "covered": [], "findings": []}`,
		"covers another":  `{"nonce": "@NONCE@", "covered": ["base.txt"], "findings": []}`,
		"no findings":     `{"nonce": "@NONCE@", "covered": ["a.go"]}`,
		"an unknown harm": `{"nonce": "@NONCE@", "covered": ["a.go"], "findings": [{"category": "c", "severity": "blocker", "file": "a.go", "quote": "x", "title": "t", "remedy": "fix"}]}`,
		"one too many":    `{"nonce": "@NONCE@", "covered": ["a.go"], "findings": [` + strings.Repeat("{},", 200) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b.T = t
			if err := os.WriteFile(file, []byte(answer), 0o600); err != nil {
				t.Fatal(err)
			}
			l := b.loop()
			l.Reviewers = append(l.Reviewers, persona("odd", hold(`sed "s/@NONCE@/$GIT_PLAN_NONCE/g" '`+file+`'`)))
			out := b.run(l)
			b.expect(out, ledger.Incomplete, "reviewer odd")
			if out.Ledger.Verdict().Passes() {
				t.Error("its verdict passes")
			}
		})
	}
}

func TestEmptyDifferenceDoesNotPass(t *testing.T) {
	b := newBranch(t)
	b.Git("commit", "-q", "--allow-empty", "-m", "nothing")
	l := b.loop()
	l.Earlier = &ledger.Ledger{Findings: []finding.Finding{{ID: "000000000001", Status: finding.Confirmed}}}
	out := b.run(l)
	b.expect(out, ledger.Incomplete, "nothing to review")
	if f := out.Ledger.Finding("000000000001"); f == nil || f.Status != finding.Confirmed {
		t.Errorf("what was confirmed is %+v, and nothing was judged", f)
	}
}

func TestABranchWithoutABaseIsReviewedWhole(t *testing.T) {
	b := newBranch(t)
	l := b.loop()
	b.Git("switch", "-q", "--orphan", "other")
	b.Commit("x.txt", "x\n")
	l.Change.Base = b.Repo.EmptyTree()
	b.expect(b.run(l), ledger.Clean, "")
}

func TestUnparsableAnswerIsAskedForOnceMore(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "fine\n")
	asked := filepath.Join(t.TempDir(), "asked")
	l := b.loop()
	// The first time it answers in prose; told so, it answers properly.
	l.Reviewers = []*panel.Reviewer{persona("quality", hold(`tee '`+asked+`' | grep -q 'could not be used' && `+branches.Script(t, "finds-bugs.sh")+` || echo fine`))}
	b.expect(b.run(l), ledger.Clean, "")
	if data, err := os.ReadFile(asked); err != nil || !strings.Contains(string(data), "no JSON object") {
		t.Errorf("it does not learn what was wrong: %v", err)
	}
}

func TestSecretIsNotShownAndOnlyAPersonSettlesIt(t *testing.T) {
	b := newBranch(t)
	token := "gh" + "p_" + "R4nd0mLy8Drawn2Value7Of9Thirty3Six6X"
	b.Commit("keys.txt", "token = "+token+"\n", "a.txt", "fine\n")
	said := filepath.Join(t.TempDir(), "said")
	l := b.loop()
	l.Reviewers = []*panel.Reviewer{persona("quality", hold("{ cat; cat *.txt; } > '"+said+"'; "+branches.Script(t, "finds-bugs.sh")))}
	out := b.run(l)
	b.expect(out, ledger.Stalemate, "only a person can settle")
	data, err := os.ReadFile(said)
	if err != nil || strings.Contains(string(data), token) {
		t.Errorf("the reviewer saw the secret (%v)", err)
	}
	ledger, err := out.Ledger.Bytes()
	if err != nil || strings.Contains(string(ledger)+out.Ledger.Text(), token) {
		t.Errorf("the secret is repeated (%v)", err)
	}
	if !strings.Contains(out.Ledger.Text(), "keys.txt:1: critical secret: GitHub token (ghp_… 40 characters)") {
		t.Error(out.Ledger.Text())
	}
}

func TestDismissedFindingReturnsOnlyWithItsCode(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n")
	l := b.loop()
	l.Fix = says("dismissed", "as intended")
	first := b.run(l)
	b.expect(first, ledger.Explained, "")

	l.Earlier, l.NoFix = first.Ledger, true
	b.expect(b.run(l), ledger.Clean, "")
	b.Commit("b.txt", "other\n")
	b.expect(b.run(l), ledger.Clean, "")
	b.Commit("a.txt", "first\nchanged around\nBUG here\n")
	b.expect(b.run(l), ledger.Found, "1 finding blocks")
}

// New findings in old code block less each round; those in the fixer's code do not.
func TestThresholdRisesOnlyForOldCode(t *testing.T) {
	for name, tt := range map[string]struct {
		late string // where the reviewer finds something in the second round only
		end  ledger.End
	}{
		"in old code":         {"old", ledger.Notes},
		"in the fixer's code": {"fix", ledger.RoundsUp},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", "first\nBUG here\n", "c.txt", "an old line\n")
			l := b.loop()
			l.Rounds, l.Fix = 2, b.writes("first\na fix line\n")
			file := map[string]string{"old": "c.txt", "fix": "a.txt"}[tt.late]
			late := fmt.Sprintf(`[ "$GIT_PLAN_ROUND" = 1 ] && exec %s; printf '{"nonce": "%%s", "covered": ["a.txt"], "findings": [{"category": "correctness", "severity": "high", "file": "%s", "quote": "%s", "title": "late", "remedy": "fix"}]}' "$GIT_PLAN_NONCE"`,
				branches.Script(t, "finds-bugs.sh"), file, map[string]string{"old": "an old line", "fix": "a fix line"}[tt.late])
			l.Reviewers = []*panel.Reviewer{persona("quality", hold(late))}
			b.expect(b.run(l), tt.end, "")
		})
	}
}

// A reviewer that forgets a finding does not clear it while its code exists.
func TestSilenceDoesNotClearFindings(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n")
	l := b.loop()
	l.Rounds = 2
	forgets := `[ "$GIT_PLAN_ROUND" = 1 ] && exec ` + branches.Script(t, "finds-bugs.sh") + `; printf '{"nonce": "%s", "covered": ["a.txt"], "findings": []}' "$GIT_PLAN_NONCE"`
	l.Reviewers = []*panel.Reviewer{persona("quality", hold(forgets))}
	l.Fix = b.writes("first\nBUG here\nand more\n")
	b.expect(b.run(l), ledger.RoundsUp, "1 finding blocks")
}

// A fix may delete a file which the branch had added.
func TestFixThatDeletesIsReviewed(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\n", "b.txt", "BUG here\n")
	l := b.loop()
	l.Reviewers = []*panel.Reviewer{persona("quality", hold(`[ -e b.txt ] && exec `+branches.Script(t, "finds-bugs.sh")+`; printf '{"nonce": "%s", "covered": ["b.txt"], "findings": []}' "$GIT_PLAN_NONCE"`))}
	l.Fix = func(context.Context, Repair) (ledger.FixRecord, error) {
		b.Git("rm", "-q", "b.txt")
		b.Git("commit", "-qm", "fix")
		return ledger.FixRecord{Status: agent.Done, Head: b.Git("rev-parse", "HEAD")}, nil
	}
	b.expect(b.run(l), ledger.Clean, "")
}

// A note is kept while its code exists, although no reviewer repeats it, and not longer.
func TestNoteEndsWithItsCode(t *testing.T) {
	for left, want := range map[string]struct {
		end  ledger.End
		open int
	}{"first\nodd\n": {ledger.Notes, 1}, "first\n": {ledger.Clean, 0}} {
		b := newBranch(t)
		b.Commit("a.txt", "first\nBUG here\nodd\n")
		l := b.loop()
		once := func(severity, quote string) string {
			return fmt.Sprintf(`{"category": "style", "severity": "%s", "file": "a.txt", "quote": "%s", "title": "%[2]s", "remedy": "fix"}`, severity, quote)
		}
		l.Reviewers = []*panel.Reviewer{persona("quality", hold(fmt.Sprintf(`[ "$GIT_PLAN_ROUND" = 1 ] && f='%s, %s'; printf '{"nonce": "%%s", "covered": ["a.txt"], "findings": [%%s]}' "$GIT_PLAN_NONCE" "$f"`,
			once("high", "BUG here"), once("low", "odd"))))}
		l.Fix = b.writes(left)
		out := b.run(l)
		b.expect(out, want.end, "")
		if open := out.Ledger.Standing(); len(open) != want.open {
			t.Errorf("%q: %+v", left, open)
		}
	}
}

// A confirmed finding blocks until its code is gone or it is refuted: a rename, inserted lines, milder
// wording, an unsure verifier or a different threshold do not settle it.
func TestOnlyAFixOrRefutationSettlesAFinding(t *testing.T) {
	race.Skip(t)
	says := func(severity string) *panel.Reviewer {
		return persona("quality", hold(fmt.Sprintf(`printf '{"nonce": "%%s", "covered": ["a.txt", "b.txt"], "findings": [{"category": "correctness", "severity": "%s", "file": "a.txt", "quote": "BUG one\\nand two", "title": "a bug", "trigger": "always", "remedy": "fix"}]}' "$GIT_PLAN_NONCE"`, severity)))
	}
	silent := persona("testing", hold(`printf '{"nonce": "%s", "covered": ["a.txt", "b.txt"], "findings": []}' "$GIT_PLAN_NONCE"`))
	advises := persona("simplification", says("high").RunSession)
	advises.Blocking = false
	for name, then := range map[string]struct {
		change func(*branch)
		set    func(*branch, *Loop)
		end    ledger.End
	}{
		"renamed":          {change: func(b *branch) { b.Git("mv", "a.txt", "b.txt"); b.Git("commit", "-qm", "mv") }, end: ledger.Found},
		"an inserted line": {change: func(b *branch) { b.Commit("a.txt", "first\nBUG one\nas is known\nand two\n") }, end: ledger.Found},
		"a milder word":    {set: func(_ *branch, l *Loop) { l.Reviewers = []*panel.Reviewer{says("low")} }, end: ledger.Found},
		"only advised":     {set: func(_ *branch, l *Loop) { l.Reviewers = []*panel.Reviewer{silent, advises} }, end: ledger.Found},
		"an unsure verifier": {set: func(b *branch, l *Loop) {
			l.Verifier.RunSession = hold(branches.Script(b.T, "verifies.sh"), "ANSWER=plausible")
		}, end: ledger.Found},
		"a different threshold in between": {set: func(b *branch, l *Loop) {
			l.BlockOn = finding.Critical
			between := b.run(l)
			b.expect(between, ledger.Notes, "")
			l.BlockOn, l.Earlier = finding.High, between.Ledger
		}, end: ledger.Found},
		"refuted": {set: func(b *branch, l *Loop) {
			l.Verifier.RunSession = hold(branches.Script(b.T, "verifies.sh"), "ANSWER=refuted")
		}, end: ledger.Clean},
		"fixed": {change: func(b *branch) { b.Commit("a.txt", "first\nfine\n") }, end: ledger.Clean},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", "first\nBUG one\nand two\n")
			l := b.loop()
			l.NoFix, l.Reviewers = true, []*panel.Reviewer{says("high")}
			first := b.run(l)
			b.expect(first, ledger.Found, "1 finding blocks")
			l.Earlier, l.Reviewers = first.Ledger, []*panel.Reviewer{silent}
			if then.change != nil {
				then.change(b)
			}
			if then.set != nil {
				then.set(b, l)
			}
			b.expect(b.run(l), then.end, "")
		})
	}
}

// A finding that this review settled is not confirmed by an earlier review; one that it was given, or has not
// seen, is.
func TestEarlierVerificationHoldsUntilSettled(t *testing.T) {
	earlier := finding.Finding{ID: "x", Status: finding.Confirmed, Because: "earlier"}
	for status, want := range map[finding.Status]string{"": "earlier", finding.Fixed: "earlier", finding.Confirmed: "now", finding.Asked: "now", finding.Refuted: "", finding.Dismissed: "", finding.Plausible: ""} {
		r := &running{Loop: &Loop{Earlier: &ledger.Ledger{Findings: []finding.Finding{earlier}}}, at: Progress{Ledger: &ledger.Ledger{}}}
		if status != "" {
			r.at.Ledger.Findings = []finding.Finding{{ID: "x", Status: status, Because: "now"}}
		}
		got := ""
		if f := r.confirmed("x"); f != nil {
			got = f.Because
		}
		if got != want {
			t.Errorf("%q: %q, want %q", status, got, want)
		}
	}
}

// Reviewers of the last look do not run before it: their findings have the threshold of the first round.
func TestLastLookBlocks(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n", "c.txt", "an old line\n")
	l := b.loop()
	l.Fix = b.writes("first\nfixed\n")
	last := persona("late", hold(`printf '{"nonce": "%s", "covered": ["a.txt"], "findings": [{"category": "correctness", "severity": "high", "file": "c.txt", "quote": "an old line", "title": "late", "trigger": "always", "remedy": "ask"}]}' "$GIT_PLAN_NONCE"`))
	last.Rounds = panel.Last
	l.Reviewers = append(l.Reviewers, last)
	b.expect(b.run(l), ledger.Stalemate, "")
}

func TestLastLookRunsWhenNothingBlocks(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n")
	l := b.loop()
	var asked []string
	for _, rounds := range []panel.Rounds{panel.First, panel.Last} {
		p := persona(string(rounds), func(ctx context.Context, s agent.Session) agent.Result {
			asked = append(asked, fmt.Sprintf("%s %d", rounds, s.Review.Round))
			return hold(branches.Script(t, "finds-bugs.sh"))(ctx, s)
		})
		p.Rounds = rounds
		l.Reviewers = append(l.Reviewers, p)
	}
	l.Fix = b.writes("first\nwell\n")
	b.expect(b.run(l), ledger.Clean, "")
	if !slices.Equal(asked, []string{"first 1", "last 2"}) {
		t.Errorf("asked %q", asked)
	}
}
