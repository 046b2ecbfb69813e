package gitplan

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Steps are done in the plan's order, each by its own session, and are one commit each, until none is left.
func TestStepsAreDoneOneByOne(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Needs: #b\n- [ ] Make b {#b}\n  - Needs: none\n", does)
	if step, out := w.steps(""); step != "b" || out.Commit != w.Head() {
		t.Errorf("first it did %s with %s", step, out.Commit)
	}
	w.is("a open, b done")
	w.steps("")
	w.is("a done, b done")
	if got := w.Git("log", "--format=%s %(trailers:key=Plan-Step,valueonly,separator=%x2C)", "main.."); got != "Make a "+w.Plan+"/a\nMake b "+w.Plan+"/b" {
		t.Errorf("the branch is\n%s", got)
	}
	if text := w.Git("show", "refs/plans/"+w.Plan+":plan.md"); !strings.Contains(text, "- [x] Make a") || !strings.Contains(text, "- [x] Make b") {
		t.Errorf("the plan is\n%s", text)
	}
	w.cannot("", fault.ErrNothingLeft, "no step is left: 2 of 2 done")
	w.cannot("a", fault.ErrNothingLeft, "step a is done already")
	w.cannot("c", fault.ErrUnknownStep, "the plan has no step c")
}

// A step is reported before it begins, and with its result.
func TestNoticesOfAStep(t *testing.T) {
	w := newWalker(t, twoSteps, `echo b >a.txt; echo '{"summary":"did it","handoff":{"why":"asked"},"amendments":[{"do":"change","step":"b","text":"split it"}]}' >"$GIT_PLAN_RESULT"`)
	w.Guard = func(context.Context, *checkout.Checkout, *plan.Step, workspace.Changeset) (workspace.Guarded, error) {
		return workspace.Guarded{Reported: []string{"drifts"}}, nil
	}
	w.steps("")
	var seen []string
	for _, n := range w.Saw {
		if strings.HasPrefix(n.Kind, "step.") {
			seen = append(seen, n.Kind+" "+n.Step+" "+n.Text)
		}
		if n.Kind == journal.StepDone && (n.Done != 1 || n.Total != 2 || n.Commit != w.Head()) {
			t.Errorf("done is noticed as %+v", n)
		}
	}
	want := "step.start a Make a\nstep.done a drifts; no command checked it; its session proposes to change the plan (git plan replan): change step b: split it"
	if got := strings.Join(seen, "\n"); got != want {
		t.Errorf("noticed was\n%s\nwant\n%s", got, want)
	}
	if e := w.last(); e.Kind != journal.Done || e.Summary != "did it why: asked" || !strings.HasPrefix(e.Reason, "drifts; no command") || e.Proposal != "change step b: split it" || e.Took <= 0 {
		t.Errorf("the event is %+v", e)
	}
}

// A step whose sessions failed is blocked: steps that need it wait, others continue. A person can reopen it.
func TestStepIsBlocked(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Attempts: 2\n  - Check: `test -f a.txt`\n- [ ] Make b {#b}\n  - Needs: #a\n- [ ] Make c {#c}\n  - Needs: none\n",
		`test $GIT_PLAN_STEP = a && { echo half >half.txt; exit 0; }; `+does)
	w.cannot("", fault.ErrStepFailed, "step a failed after 2 attempts: `test -f a.txt` exited with 1; kept: git plan attempts show a/")
	w.is("a blocked, b open, c open")
	w.cannot("a", fault.ErrStepBlocked, "step a is blocked: `test -f a.txt`")
	w.cannot("b", fault.ErrNotRunnable, "step b needs a first")
	if step, _ := w.steps(""); step != "c" {
		t.Errorf("it went on with %s", step)
	}
	w.cannot("", fault.ErrAllWait, "no open step can run: a is blocked (`test -f a.txt` exited with 1); b needs a")
	err := w.Checkout.SetState(t.Context(), "reopened", "", "a")
	w.Fine(err)
	w.Git("config", "planAgent.m.command", does)
	w = again(w.World)
	w.steps("")
	w.is("a done, b open, c done")
}

// A session's question blocks its step, until a person answers it in the plan.
func TestStepAsks(t *testing.T) {
	for ask, kind := range map[string]error{"": fault.ErrStepAsks, "  - Ask: yes\n": fault.ErrQuestion} {
		w := newWalker(t, "- [ ] Make a {#a}\n"+ask, `echo '{"status":"blocked","question":"Which one?"}' >"$GIT_PLAN_RESULT"`)
		w.cannot("", kind, "step a is blocked: Which one?")
		if e := w.last(); e.Kind != journal.Blocked || !e.Question || e.Reason != "Which one?" {
			t.Errorf("the event is %+v", e)
		}
		w.cannot("a", fault.ErrStepAsks, "step a is blocked: Which one?")
		if text := w.Git("show", "refs/plans/"+w.Plan+":plan.md"); !strings.Contains(text, "Status: blocked - Which one?") {
			t.Errorf("the plan is\n%s", text)
		}
	}
}

// No step runs where something is in the way; each case has its own error, before any session.
func TestObstaclesToAStep(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *walker)
		kind error
		says string
	}{
		"not committed":     {func(w *walker) { w.Write("README", "mine\n") }, fault.ErrSetAside, "not committed: README"},
		"inside a session":  {func(w *walker) { w.Setenv(proc.EnvDepth, "1") }, fault.ErrNested, ""},
		"detached":          {func(w *walker) { w.Git("switch", "-q", "--detach"); w.Checkout.Branch = "" }, fault.ErrDetached, ""},
		"not approved":      {func(w *walker) { w.unapprove() }, fault.ErrUnapproved, "the changes of the plan are not approved: step a"},
		"open by next":      {func(w *walker) { _, _, err := w.Next(w.Context(), ""); w.Fine(err) }, fault.ErrOpenByNext, "step a was opened by git plan next"},
		"an ignored file":   {func(w *walker) { w.Commit(".gitignore", "a.txt\n"); w.Write("a.txt", "mine\n") }, fault.ErrInTheWay, "git ignores a.txt, and step a is to write it"},
		"an untracked file": {func(w *walker) { w.Write("a.txt", "mine\n") }, fault.ErrInTheWay, "a.txt is not tracked, and step a is to write it"},
		"no committer": {func(w *walker) {
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				w.Setenv("GIT_"+who+"_NAME", "")
				w.Setenv("GIT_"+who+"_EMAIL", "")
			}
			*w = *again(w.World)
		}, fault.ErrNoIdentity, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWalker(t, "- [ ] Make a {#a}\n  - Files: a.txt\n", does)
			c.do(w)
			w.cannot("", c.kind, c.says)
			if w.sessions() > 0 {
				t.Error("a session was held")
			}
		})
	}
}

// unapprove gives the plan a meaning that was not approved.
func (w *walker) unapprove() {
	w.Helper()
	w.Happens(w.Worker.Runner, journal.Event{Kind: journal.Edited, By: journal.ByPerson, Head: journal.None}, func(text []byte) ([]byte, error) {
		return []byte(strings.Replace(string(text), "{#a}\n", "{#a}\n  - Check: `true`\n", 1)), nil
	})
}

// Prerequisites must be met before the first step, and are not checked again.
func TestPrerequisites(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n- [ ] Make b {#b}\n\n## Prerequisites\n\n- `test -f .git/ready`\n", does)
	w.cannot("", fault.ErrChecksFailed, "a prerequisite of the plan is not met: `test -f .git/ready` exited with 1")
	if w.sessions() > 0 {
		t.Error("a session was held")
	}
	w.Write(".git/ready", "")
	w.steps("")
	w.Fine(os.Remove(".git/ready"))
	w.steps("")
	w.is("a done, b done")
}

// A commit that does a step, and is not recorded in the plan, ticks it; one that the plan cannot know stops
// the step from running twice.
func TestCommitsThatDoSteps(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	before := w.Head()
	commit := w.Commit("a.txt", "by hand\n", "Plan-Step: "+w.Plan+"/a")
	w = again(w.World)
	w.cannot("", fault.ErrElsewhere, "names step a, but the plan here does not know that it is done")
	for _, kind := range []journal.Kind{journal.Started, journal.Checked} {
		w.Happens(w.Worker.Runner, journal.Event{Kind: kind, Steps: []string{"a"}, Attempt: 1, Head: before, Tree: w.Git("rev-parse", "HEAD^{tree}"), By: journal.ByAgent}, nil)
	}
	w = again(w.World)
	if st := w.Checkout.Progress.Steps["a"]; !st.Unticked || st.Commit != commit {
		t.Fatalf("a is %+v", st)
	}
	if step, _ := w.steps(""); step != "b" || w.events("a") != "started checked done" {
		t.Errorf("it did %s; of a it says %s", step, w.events("a"))
	}
	w.is("a done, b done")
}

// A shallow clone may lack the commit of a done step, which must not run again.
func TestShallowClone(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.steps("")
	w.Commit("c.txt", "c\n")
	dir := t.TempDir() + "/shallow"
	w.Git("clone", "-q", "--depth=1", "--no-single-branch", "--branch", "work", "file://"+w.Dir, dir)
	t.Chdir(dir)
	w.Git("remote", "set-head", "origin", "main")
	w.Git("fetch", "-q", "origin", "+refs/plans/*:refs/plans/*")
	c, err := checkout.Open(t.Context())
	w.Fine(err, c.Attach(t.Context(), w.Plan))
	c.Close()
	w = again(w.World)
	w.Fine(integrity.Approve(w.Checkout.Repo, w.Plan, w.Checkout.Doc.Plan.Source), journal.TrustTip(w.Checkout.Repo, w.Checkout.Doc.ID, "", w.Checkout.Doc.Tip))
	w.cannot("", fault.ErrNotPulled, "which did step a, is not in this shallow clone")
}

// A step sets its own time limit, number of attempts, and agent.
func TestTaskOfAStep(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Attempts: 7\n  - Timeout: 5m\n  - Model: large\n  - Effort: high\n  - Agent: other\n  - Check: `one`\n"+
		"- [ ] Make b {#b}\n  - Run: `make b`\n\n## Checks\n\n- `whole`\n", does)
	w.Agent("other", does)
	w.Set("plan.attempts", "2")
	w = again(w.World)
	p, err := workspace.Ready(t.Context(), w.Worker.Runner)
	w.Fine(err)
	a, _ := w.Checkout.Doc.Plan.Step("a")
	task, err := w.task(t.Context(), p, a)
	w.Fine(err)
	if task.Attempts != 7 || task.Session.Timeout.String() != "5m0s" || task.Session.Model != "large" || task.Session.Effort != "high" || task.Agent.Name() != "other" ||
		strings.Join(task.Checks, ",") != "one,whole" || !task.Unchanged {
		t.Errorf("the task of a is %+v", task)
	}
	b, _ := w.Checkout.Doc.Plan.Step("b")
	if task, err = w.task(t.Context(), p, b); err != nil || task.Attempts != 1 || task.Agent.Name() != "run" || strings.Join(task.Checks, ",") != "whole" || !task.Unchanged {
		t.Errorf("the task of b is %+v, %v", task, err)
	}
	for key, value := range map[string]string{"plan.attempts": "often", "plan.executor.timeout": "soon"} {
		other := newWalker(t, twoSteps, does)
		other.Git("config", key, value)
		other = again(other.World)
		if _, _, err := other.Step(t.Context(), ""); err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("with %s=%s: %v", key, value, err)
		}
	}
}

// A step's Action must be true for each file that it names.
func TestActions(t *testing.T) {
	for _, c := range []struct{ fields, script, wrong string }{
		{"create\n  - Files: new.txt", "echo x >new.txt", ""},
		{"create\n  - Files: new.txt", "echo x >other.txt", "the step is to create new.txt, and it did not"},
		{"modify\n  - Files: README", "echo x >README", ""},
		{"modify\n  - Files: README", "echo x >other.txt", "the step is to modify README, and it did not"},
		{"modify\n  - Files: docs, `*.go`", "echo x >docs/x.txt", ""},
		{"delete\n  - Files: README", "git rm -q README", ""},
		{"delete\n  - Files: README", "echo x >README", "the step is to delete README, and it did not"},
	} {
		w := newWalker(t, "- [ ] Make a {#a}\n  - Action: "+c.fields+"\n  - Attempts: 1\n", c.script)
		w.Commit("docs/x.txt", "docs\n")
		w = again(w.World)
		_, _, err := w.Step(t.Context(), "")
		if c.wrong == "" {
			w.Fine(err)
			continue
		}
		w.Refused(err, fault.ErrStepFailed, c.wrong)
	}
}

// The reason for waiting is listed for the first three steps.
func TestWaitingSteps(t *testing.T) {
	w := newWalker(t, "- [ ] a {#a}\n  - Needs: none\n- [ ] b {#b}\n  - Needs: #a\n- [ ] c {#c}\n  - Needs: #a, #b\n- [ ] d {#d}\n  - Needs: #a\n- [ ] e {#e}\n  - Needs: #a\n", does)
	err := w.Checkout.SetState(t.Context(), "blocked", "", "a")
	w.Fine(err)
	w = again(w.World)
	w.cannot("", fault.ErrAllWait, "a is blocked (by hand); b needs a; c needs a, b; and 2 more")
}
