package planner

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/testdata/texts"
)

const good = "- [ ] **One** {#one}\n  - Files: `a.txt`\n  - Check: `test -f a.txt`\n"

// A plan that cannot run is sent back, with the planner's own line numbers; each attempt is a fresh session.
func TestInvalidPlanIsSentBack(t *testing.T) {
	d := newDesk(t, "", `cat >"$HOME/told$GIT_PLAN_ATTEMPT"
test $GIT_PLAN_ATTEMPT = 1 && fields='- Check: `+"`nothing-here -x`"+`' || fields='- Check: `+"`true`"+`'
printf '# Serve\n\n## Steps\n\n- [x] One {#one}\n  - Files: a.txt\n  %s\n' "$fields"`)
	text, err := d.make()
	d.Fine(err)
	if !strings.Contains(text, "- [ ] One {#one}") || !strings.Contains(text, "`true`") {
		t.Errorf("the plan is\n%s", text)
	}
	reported := d.Heard(2)
	if !strings.Contains(reported, "line 7: there is no program nothing-here here; correct the command, or install the program") || !strings.Contains(reported, "nothing-here -x") {
		t.Errorf("the second session was sent\n%s", reported)
	}
	if said := d.Said(journal.StepNote); !strings.HasPrefix(said, "the planner is asked to improve its plan: line 7: there is no program nothing-here here") || strings.Contains(said, "correct the command") {
		t.Errorf("the person was sent %s", said)
	}
	if strings.Contains(d.Heard(1), "nothing-here") || d.Count(journal.SessionStart) != 2 {
		t.Errorf("%d sessions were held", d.Count(journal.SessionStart))
	}
}

// Weaknesses are sent back as long as there are attempts, and once to a planner that repeats them; the person decides
// about the rest. An invalid plan is an error, which includes the text.
func TestRemainingWeaknesses(t *testing.T) {
	weak := texts.Steps("- [ ] One {#one}\n")
	d := newDesk(t, "", writes(weak))
	d = again(d.World)
	if text, err := d.make(); err != nil || text != serving(weak) || d.Count(journal.SessionStart) != 2 {
		t.Errorf("weak: %v after %d sessions\n%s", err, d.Count(journal.SessionStart), text)
	}
	d.Git("config", "planAgent.m.command", writes("no plan\n"))
	d.Set("plan.attempts", "2")
	d = again(d.World)
	text, err := d.make()
	d.Refused(err, fault.ErrPlanner, "the planner's plan cannot be used: ")
	if text != "no plan\n" || d.Count(journal.SessionStart) != 2 {
		t.Errorf("after %d sessions it is %q", d.Count(journal.SessionStart), text)
	}
	d.Git("config", "planAgent.m.command", "exit 1")
	d = again(d.World)
	_, err = d.make()
	d.Refused(err, fault.ErrPlanner, "exit code 1")
}

// A plan in a fence is taken out of it, with its own line numbers.
func TestPlanInAFence(t *testing.T) {
	d := newDesk(t, "", writes("```markdown\n"+texts.Steps(good)+"```\n"))
	text, err := d.make()
	d.Fine(err)
	if text != serving(texts.Steps(good)) {
		t.Errorf("the plan is\n%s", text)
	}
}

// A planner changes nothing: it works in a clone that is thrown away.
func TestPlannersFilesAreDiscarded(t *testing.T) {
	d := newDesk(t, "", "rm README; echo x >a.txt; mkdir d; echo x >d/b.txt; echo x >c.txt; git branch mine; pwd >\"$HOME/told1\"\n"+writes(texts.Steps(good)))
	d.Set("plan.planner.timeout", "5m")
	d = again(d.World)
	before := d.Git("for-each-ref")
	_, err := d.make()
	d.Fine(err)
	d.Clean()
	if d.Git("for-each-ref") != before || d.Read("README") != "read me\n" {
		t.Error("something is changed here")
	}
}

// An unsandboxed planner reaches the repository itself. Changes of configuration and hooks stop everything,
// changed refs are only reported.
func TestChangesAPlannerMustNotMake(t *testing.T) {
	for name, c := range map[string]struct{ meddles, tampering, note string }{
		"a ref":         {"git -C REPO branch meddled", "", "refs changed during the session: refs/heads/meddled"},
		"configuration": {"git -C REPO config alias.st status", "tampering: the planner's session changed ", ""},
		"the base":      {"git -C REPO branch -qf main HEAD", "tampering: the planner's session changed the base main", ""},
		"the plan":      {"git -C REPO update-ref -d refs/plans/PLAN", "tampering: ", ""},
	} {
		d := newDesk(t, good, "true")
		d.Commit("own.txt", "own\n")
		script := strings.NewReplacer("REPO", "'"+d.Dir+"'", "PLAN", d.Plan).Replace(c.meddles) + "\n" + writes(texts.Steps(good))
		d.Git("config", "planAgent.m.command", script)
		d = again(d.World)
		release, err := d.Runner.LockPlan(t.Context())
		d.Fine(err)
		text, err := d.make()
		release()
		if c.tampering == "" {
			d.Fine(err)
			if said := d.Said(journal.StepNote); !strings.Contains(said, c.note) {
				t.Errorf("%s: it said %s", name, said)
			}
			continue
		}
		d.Refused(err, fault.ErrSetupChanged, c.tampering)
		if text != texts.Steps(good) {
			t.Errorf("%s: what it wrote is lost", name)
		}
	}
}

// A repository without a commit has nothing to read; the planner works in an empty folder.
func TestPlanBeforeTheFirstCommit(t *testing.T) {
	d := newDesk(t, "", "test -z \"$(ls -A)\" || exit 1\n"+writes(texts.Steps(good)))
	d.Git("update-ref", "-d", "HEAD")
	d.Git("rm", "-q", "--cached", "README")
	d = again(d.World)
	_, err := d.make()
	d.Fine(err)
}

// A planner's prompt describes the repository: its files, its checks, and recent commits, as far as there is
// room.
func TestPromptOfAPlanner(t *testing.T) {
	d := newDesk(t, "", "true")
	d.Commit("Makefile", "test:\n\tgo test ./...\n")
	d.Commit("go.mod", "module x\n")
	d.Commit("AGENTS.md", "Say please.\n")
	rules, survey := About(t.Context(), d.Worker, prompt.Planning{Goal: "serve"})
	if !strings.Contains(rules, "Say please.") {
		t.Errorf("the instructions are\n%s", rules)
	}
	for _, want := range []string{"Files:\nAGENTS.md\nMakefile\nREADME\ngo.mod\n", "Commands that seem to check this project:\nmake test\ngo vet ./...\ngo test ./...\n", "The last commits:\nChange AGENTS.md\nChange go.mod\n"} {
		if !strings.Contains(survey, want) {
			t.Errorf("the survey lacks %q:\n%s", want, survey)
		}
	}
	d.Write("AGENTS.md", strings.Repeat("Say please.\n", 4000))
	if rules, _ = About(t.Context(), d.Worker, prompt.Planning{Goal: "serve"}); len(rules) > 200_000 {
		t.Errorf("%d bytes of instructions", len(rules))
	}
	if _, survey = About(t.Context(), d.Worker, prompt.Planning{Goal: strings.Repeat("serve ", 400_000)}); !strings.Contains(survey, "go.mod") {
		t.Errorf("beside a long goal the survey is\n%s", survey)
	}
}

// A planner that is a program ends its session to ask. The next session reads the person's answers, and may
// ask further questions; attempts are left for invalid plans.
func TestPlanningProgramAsks(t *testing.T) {
	d := newDesk(t, "", `cat >"$HOME/told$GIT_PLAN_ATTEMPT"
case $GIT_PLAN_ATTEMPT in
1) echo '{"status":"blocked","questions":[{"question":"Which store?","suggested":["files","sqlite"]},{"question":"For whom?"}]}' >"$GIT_PLAN_RESULT" ;;
2) echo '{"status":"blocked","question":"-","questions":[{"question":"Which store?"},{"question":"Which file?"},{"question":"Which file?"}]}' >"$GIT_PLAN_RESULT" ;;
*) cat <<'END'
`+texts.Steps(good)+`END
esac`)
	d.Set("plan.attempts", "1")
	d = again(d.World)
	var asked []string
	made, err := MakePlan(t.Context(), d.Worker, prompt.Planning{Goal: "serve", Ask: func(list []agent.Question) (answers []string, err error) {
		for _, q := range list {
			asked = append(asked, q.Text)
			answers = append(answers, map[string]string{"Which store?": "files", "Which file?": "a.db"}[q.Text])
		}
		return answers, nil
	}})
	d.Fine(err)
	if got := strings.Join(asked, " "); got != "Which store? For whom? Which file?" {
		t.Errorf("the person was asked %s", got)
	}
	decisions := "## Decisions\n\n- D1: Which store? files\n- D2: Which file? a.db\n\n"
	if want := strings.Replace(serving(texts.Steps(good)), "## Goal", decisions+"## Goal", 1); string(made.Text) != want || made.Answers != 2 {
		t.Errorf("%d answers, and the plan is\n%s", made.Answers, made.Text)
	}
	for n, want := range map[int]string{1: `"questions": [{`, 2: "- Which store?\n|   -> files (D1)\n| - For whom?\n|   -> (no answer: decide", 3: "-> a.db (D2)"} {
		if reported := d.Heard(n); !strings.Contains(reported, want) {
			t.Errorf("session %d was sent\n%s", n, reported)
		}
	}
}

// A planner that asks in every session is stopped, and no answered question is asked again.
func TestQuestionsEnd(t *testing.T) {
	d := newDesk(t, "", `cat >/dev/null; echo '{"status":"blocked","questions":[{"question":"Really?"},{"question":"Again '$GIT_PLAN_ATTEMPT'?"}]}' >"$GIT_PLAN_RESULT"`)
	n := 0
	_, err := MakePlan(t.Context(), d.Worker, prompt.Planning{Goal: "serve", Ask: func(list []agent.Question) ([]string, error) {
		n += len(list)
		return make([]string, len(list)), nil
	}})
	d.Refused(err, fault.ErrQuestion, "Really?")
	if n != 1+maxAsking || d.Count(journal.SessionStart) != 1+maxAsking {
		t.Errorf("%d questions in %d sessions", n, d.Count(journal.SessionStart))
	}
}
