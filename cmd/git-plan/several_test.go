package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
)

// After several runs each plan has a row; kept work, and plans that need a person, are listed below.
func TestHowSeveralRunsEnded(t *testing.T) {
	at := func(branch string) gitplan.QueuedPlan { return gitplan.QueuedPlan{ID: branch + "-1", Branch: branch} }
	var out strings.Builder
	err := printSeveral(&out, terminal.Endless, []gitplan.QueueEnd{
		{QueuedPlan: at("a"), Begun: true}, {QueuedPlan: at("b"), Begun: true, Code: exit.Busy, Left: "x.txt"}, {QueuedPlan: at("c"), Err: errors.New("no work tree")}, {QueuedPlan: at("d")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "a done", "b busy", "c no work tree", "d not begun", "the work tree of b is kept, because it contains something: x.txt", "see why: git switch BRANCH, then git plan status"} {
		if got := strings.Join(strings.Fields(strings.Split(out.String(), "\n")[i]), " "); got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}
