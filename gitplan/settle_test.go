package gitplan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Every result of a task, with and without changed configuration, is one fault, and at most one event.
func TestSettlingAStep(t *testing.T) {
	for _, c := range []struct {
		status  agent.Status
		changed bool
		kind    error
		says    string
		event   journal.Kind
	}{
		{agent.Done, false, nil, "", journal.Done},
		{agent.Done, true, fault.ErrSetupUnseen, "step a is done, but something was changed after its commit: core.pager", journal.Done},
		{agent.Failed, false, fault.ErrStepFailed, "step a failed after 2 attempts: why; kept: git plan attempts show refs/kept", journal.Blocked},
		{agent.Failed, true, fault.ErrSetupUnseen, "why; kept: git plan attempts show refs/kept", ""},
		{agent.TimedOut, false, fault.ErrStepFailed, "step a failed after 2 attempts: why; kept: git plan attempts show refs/kept", journal.Blocked},
		{agent.TimedOut, true, fault.ErrSetupUnseen, "why; kept: git plan attempts show refs/kept", ""},
		{agent.Blocked, false, fault.ErrStepAsks, "step a is blocked: which?; kept: git plan attempts show refs/kept", journal.Blocked},
		{agent.Blocked, true, fault.ErrSetupUnseen, "why; kept: git plan attempts show refs/kept", ""},
		{agent.Cancelled, false, fault.ErrInterrupted, "interrupted in step a; kept: git plan attempts show refs/kept", ""},
		{agent.Cancelled, true, fault.ErrInterrupted, "interrupted in step a; kept: git plan attempts show refs/kept", ""},
		{agent.Limited, false, fault.ErrLimited, "the agent is limited: why", ""},
		{agent.Limited, true, fault.ErrLimited, "the agent is limited: why", ""},
		{agent.Unreachable, false, fault.ErrUnreachable, "why", ""},
		{agent.Unreachable, true, fault.ErrUnreachable, "why", ""},
		{agent.Lost, false, fault.ErrLost, "why; kept: git plan attempts show refs/kept", ""},
		{agent.Unauthorised, false, fault.ErrNoKey, "why", ""},
		{agent.Unauthorised, true, fault.ErrNoKey, "why", ""},
		{agent.Unusable, false, fault.ErrAgentSetup, "why", ""},
		{agent.Unusable, true, fault.ErrAgentSetup, "why", ""},
		{agent.Stopped, false, fault.ErrBudget, "why", ""},
		{agent.Stopped, true, fault.ErrBudget, "why", ""},
	} {
		w := newWalker(t, twoSteps, does)
		step, _ := w.Checkout.Doc.Plan.Step("a")
		p, err := workspace.Ready(t.Context(), w.Worker.Runner)
		w.Fine(err)
		out := work.Outcome{Status: c.status, Reason: "why\nall of it", Kept: "refs/kept", Commit: w.Head(), Result: agent.Result{Question: "which?"}, Attempts: 3, Counted: 2}
		if c.changed {
			out.SetupChanged = []string{"core.pager"}
		}
		before := len(w.Checkout.Doc.Events)
		err = w.settle(t.Context(), p, step, out)
		var f *fault.Fault
		if c.kind == nil && err != nil || c.kind != nil && (!errors.Is(err, c.kind) || !errors.As(err, &f) || f.Step != "a" || f.Text != c.says) {
			t.Errorf("%s, set-up changed %t: %v, want %q", c.status, c.changed, err, c.says)
		}
		if brief := strings.Replace(c.says, ": why", "", 1); f != nil && f.Brief != map[bool]string{true: brief}[errors.Is(err, fault.ErrStepFailed)] {
			t.Errorf("%s: in brief %q, want %q", c.status, f.Brief, brief)
		}
		var events []string
		for _, e := range w.Checkout.Doc.Events[before:] {
			events = append(events, string(e.Kind))
		}
		if got := strings.Join(events, " "); got != string(c.event) {
			t.Errorf("%s, set-up changed %t: the events are %q, want %q", c.status, c.changed, got, c.event)
		}
		if _, unseen := w.Checkout.SetupChange(); unseen != (c.status == agent.Done && c.changed) {
			t.Errorf("%s, set-up changed %t: a person has to look: %t", c.status, c.changed, unseen)
		}
	}
}

// A done step that needs no further change keeps the commit that did it: if that is lost, the step is open
// again.
func TestStepWithoutItsOwnCommit(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Check: `test -f a.txt`\n- [ ] b {#b}\n", `test -f a.txt || `+does)
	_, out := w.steps("")
	err := w.Checkout.SetState(t.Context(), "reopened", "", "a")
	w.Fine(err)
	w = again(w.World)
	w.cannot("a", fault.ErrNoChange, "is blocked until you confirm it")
	_, _, err = w.Done(t.Context(), "a")
	if w.Fine(err); w.last().Head != out.Commit {
		t.Errorf("the step is confirmed, and the event names %s", w.last().Head)
	}
	w.is("a done, b open")
	w.Git("reset", "-q", "--hard", "HEAD^")
	w = again(w.World)
	w.is("a reopened, b open")
}

// A session's report to later ones is one line of its own words only.
func TestReportToLaterSessions(t *testing.T) {
	for want, r := range map[string]agent.Result{
		"":                    {},
		"made it":             {Summary: "made it\n"},
		"did: x why: y":       {Handoff: agent.Handoff{Did: "x", Why: "y"}},
		"made it rejected: z": {Summary: "made it", Handoff: agent.Handoff{Rejected: "z"}},
		"made it assumed: b":  {Summary: "made it", Assumed: "b"},
	} {
		if got := handedOn(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := handedOn(agent.Result{Summary: strings.Repeat("long ", 400)}); len(got) > 1003 {
		t.Errorf("it is %d bytes", len(got))
	}
}

// Of the files that a session says it had to change, only those count that its step does not name.
func TestDriftOfASession(t *testing.T) {
	said := []agent.Drift{{File: "a.go", Because: "the step"}, {File: "b\x1b.go", Because: "it was wrong"}}
	if got := driftOf(&plan.Step{Files: []string{"a.go"}}, said); len(got) != 1 || got[0] != `b\u001b.go: it was wrong` {
		t.Errorf("%q", got)
	}
	if got := driftOf(&plan.Step{}, said); got != nil {
		t.Errorf("a step that names no files: %q", got)
	}
}

// A step whose result cannot be recorded is not reported as done, and the next command ticks it.
func TestStepThatCannotBeTicked(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.Set("plan.hooksSandbox", "off")
	lock := "refs/plans/" + w.Plan + ".lock"
	w.Write(".git/hooks/post-commit", "#!/bin/sh\n>.git/"+lock+"\n")
	w.Fine(os.Chmod(filepath.Join(w.Dir, ".git/hooks/post-commit"), 0o755))
	_, _, err := w.Step(t.Context(), "")
	if err == nil || w.Count(journal.StepDone) != 0 || w.Checkout.Task().State().Name != "a" {
		t.Errorf("%v; reported as done %d times; the task is recorded as %q", err, w.Count(journal.StepDone), w.Checkout.Task().State().Name)
	}
	w.Fine(os.Remove(filepath.Join(w.Dir, ".git", lock)), os.Remove(filepath.Join(w.Dir, ".git/hooks/post-commit")))
	w = again(w.World)
	if step, _ := w.steps(""); step != "b" || w.events("a") != "started checked done" {
		t.Errorf("the next command did %s; the events of a are %s", step, w.events("a"))
	}
}
