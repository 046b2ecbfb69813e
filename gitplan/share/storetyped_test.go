package share

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

// A step is its id. A person who ticks, changes or renames one is told what that means for
// it, and nothing of what goes without saying.
func TestWhatAnEditMeansForSteps(t *testing.T) {
	const (
		open   = "- [ ] Say hello {#a}\n"
		ticked = "- [x] Say hello {#a}\n"
		other  = "- [ ] Say hello to all {#a}\n"
		gone   = "- [ ] Something else {#b}\n"
	)
	is := func(s progress.State, commit string) progress.StepState {
		return progress.StepState{State: s, Commit: commit}
	}
	byHand := is(progress.StateDone, journal.None)
	for _, c := range []struct {
		before string
		stood  progress.StepState
		after  string
		stands progress.StepState
		want   []Settled
	}{
		{open, is(progress.StateOpen, ""), other, is(progress.StateOpen, ""), nil},
		{open, is(progress.StateOpen, ""), ticked, byHand, []Settled{{Step: "a", How: TickedByHand}}},
		{gone, is(progress.StateOpen, ""), gone + ticked, byHand, []Settled{{Step: "a", How: NewAndTicked}}},
		{gone, is(progress.StateOpen, ""), gone + open, is(progress.StateOpen, ""), nil},
		{ticked, is(progress.StateDone, "12ab"), other, is(progress.StateDone, "12ab"), []Settled{{Step: "a", How: DoneStill}}},
		{open, is(progress.StateBlocked, ""), other, is(progress.StateBlocked, ""), []Settled{{Step: "a", How: BlockedStill}}},
		{open, is(progress.StateBlocked, ""), open, is(progress.StateBlocked, ""), nil},
		{ticked, is(progress.StateDone, "12ab"), gone, is(progress.StateOpen, ""), []Settled{{"a", GoneThoughDone, "12ab"}}},
		{ticked, byHand, gone, is(progress.StateOpen, ""), nil},
	} {
		was, err := plan.Parse([]byte(texts.Steps(c.before)))
		if err != nil {
			t.Fatal(err)
		}
		now, err := plan.Parse([]byte(texts.Steps(c.after)))
		if err != nil {
			t.Fatal(err)
		}
		at := func(s progress.StepState) *progress.Progress {
			return &progress.Progress{Steps: map[string]progress.StepState{"a": s}}
		}
		got := settledBy(was, at(c.stood), now, at(c.stands))
		if len(got) != len(c.want) || len(got) == 1 && got[0] != c.want[0] {
			t.Errorf("%s-> %s%v, want %v", c.before, c.after, got, c.want)
		}
	}
}
