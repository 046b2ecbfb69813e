package work

import (
	"context"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

func TestDecisionAfterAnAttempt(t *testing.T) {
	failed, asks, assume := Outcome{Status: agent.Failed}, Outcome{Status: agent.Blocked}, Task{Assume: true}
	for name, c := range map[string]struct {
		Attempt
		out  Outcome
		last bool
		want bool
	}{
		"it failed":                           {Attempt{}, failed, false, true},
		"it failed, and was the last":         {Attempt{}, failed, true, false},
		"it failed as the one before":         {Attempt{repeats: true}, failed, false, true},
		"it failed so in another way":         {Attempt{repeats: true, try: prompt.Attempt{AnotherWay: true}}, failed, false, false},
		"it failed so in an unexplained file": {Attempt{repeats: true, guarded: workspace.Guarded{Unexplained: []string{"a"}}}, failed, false, false},
		"it asks":                             {Attempt{t: assume}, asks, false, true},
		"it asks, and was the last":           {Attempt{t: assume}, asks, true, true},
		"it asks again":                       {Attempt{t: assume, try: prompt.Attempt{Question: "which?"}}, asks, false, false},
		"it asks, and only people may answer": {Attempt{}, asks, false, false},
		"only git commit refuses it":          {Attempt{repeats: true, t: Task{Record: func(context.Context, journal.Event) error { return nil }}}, Outcome{Status: agent.Failed, uncommitted: true}, false, false},
		"it was interrupted":                  {Attempt{}, Outcome{Status: agent.Cancelled}, false, false},
	} {
		if got := c.mayTryAgain(&c.out, c.last); got != c.want {
			t.Errorf("%s: %v, and %v is right", name, got, c.want)
		}
	}
}
