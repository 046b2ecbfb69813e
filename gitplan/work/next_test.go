package work

import (
	"context"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

func TestWhatFollowsAnAttempt(t *testing.T) {
	failed, asks, assume := Outcome{Status: agent.Failed}, Outcome{Status: agent.Blocked}, Task{Assume: true}
	for name, c := range map[string]struct {
		Attempt
		out  Outcome
		last bool
		want decision
	}{
		"it is done":                          {Attempt{}, Outcome{Status: agent.Done}, true, finished},
		"it failed":                           {Attempt{}, failed, false, another},
		"it failed, and was the last":         {Attempt{}, failed, true, givenUp},
		"it failed as the one before":         {Attempt{repeats: true}, failed, false, another},
		"it failed so in another way":         {Attempt{repeats: true, try: prompt.Attempt{AnotherWay: true}}, failed, false, givenUp},
		"it failed so in an unexplained file": {Attempt{repeats: true, unexplained: []string{"a"}}, failed, false, givenUp},
		"it asks":                             {Attempt{t: assume}, asks, false, another},
		"it asks, and was the last":           {Attempt{t: assume}, asks, true, another},
		"it asks again":                       {Attempt{t: assume, try: prompt.Attempt{Question: "which?"}}, asks, false, givenUp},
		"it asks, and only people may answer": {Attempt{}, asks, false, givenUp},
		"only git commit refuses it":          {Attempt{repeats: true, t: Task{Record: func(context.Context, journal.Event) error { return nil }}}, Outcome{Status: agent.Failed, uncommitted: true}, false, givenUp},
		"it was interrupted":                  {Attempt{}, Outcome{Status: agent.Cancelled}, false, givenUp},
	} {
		if got := c.follow(&c.out, c.last); got != c.want {
			t.Errorf("%s: %d, and %d is right", name, got, c.want)
		}
	}
}
