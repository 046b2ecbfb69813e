package views

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

func has(t *testing.T, printed string, lines ...string) {
	t.Helper()
	for _, want := range lines {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in:\n%s", want, printed)
		}
	}
}

// Before approving a plan a person sees which commands it runs, and what it will cost.
func TestOutlookBeforeApproval(t *testing.T) {
	co, _ := stood(t)
	var out strings.Builder
	Outlook(t.Context(), &out, co, 80, false, false)
	has(t, out.String(), "goal: Say hello\n", "3 steps: hello, bye, later\n",
		"commands that will run:\n", "touch a", "test -e b", "without a command that checks it: later (", "expected: 2 sessions for the steps, at most ")
	co.Doc.Plan.Checks = []plan.Check{{Text: "`test -e b`", Command: "test -e b"}}
	runs, unchecked := Runs(co)
	if got := fmt.Sprint(runs, len(unchecked)); got != "[{touch a [1] [] false} {test -e b [2] [after each step] false}] 0" {
		t.Error(got)
	}
}

// The log is printed newest first, with text of others escaped.
func TestListedEvents(t *testing.T) {
	co, _ := stood(t)
	var out strings.Builder
	Log(&out, co, "bye", -1)
	has(t, out.String(), " [claude]\n", "no b\\u001b[31m\n")
	if strings.Contains(out.String(), "created") {
		t.Errorf("more than the step's own events:\n%s", out.String())
	}
	out.Reset()
	Log(&out, co, "", 1)
	if strings.Contains(out.String(), "created") {
		t.Errorf("more than one:\n%s", out.String())
	}
	out.Reset()
	Log(&out, co, "", -1)
	if log := out.String(); strings.Index(log, "failed") > strings.Index(log, "created") {
		t.Errorf("not the newest first:\n%s", log)
	}
	out.Reset()
	Event(&out, terminal.Endless, terminal.Colors{}, co, journal.Event{Kind: journal.Done, Head: journal.None, Headline: "work 1/3 done", Proposal: "split it",
		Usage: []journal.RoleUsage{{Agent: "claude", Sessions: 2}, {Agent: "claude", Sessions: 1}}})
	has(t, out.String(), "[claude, 3 sessions]", "proposes to change the plan: split it")
	for width, want := range map[int]string{80: "3 of 3 [x, 5.5k tokens]\n", terminal.Endless: "work 3 of 3 [x, 5000 tokens in, 500 out]\n"} {
		out.Reset()
		Event(&out, width, terminal.Colors{}, co, journal.Event{Headline: "work 3 of 3", Agent: "x", Tokens: agent.Tokens{In: 5000, Out: 500}})
		has(t, out.String(), want)
	}

	// The reason of an attempt is that of its step, too, and is told once.
	for _, kind := range []journal.Kind{journal.Failed, journal.Blocked} {
		co.Doc.Events = append(co.Doc.Events, journal.Event{Kind: kind, Steps: []string{"bye"}, Reason: "it is half"})
	}
	out.Reset()
	Log(&out, co, "bye", 2)
	if strings.Count(out.String(), "it is half") != 1 {
		t.Errorf("a reason is told once:\n%s", out.String())
	}
}
