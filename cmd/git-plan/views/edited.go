package views

import (
	"io"

	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Settled prints what an edit means for steps, if a person may not expect it.
func Settled(w io.Writer, settled []share.Settled) {
	for _, s := range settled {
		text := map[share.SettledHow]string{
			share.GoneThoughDone: "is gone; its commit " + visible.Short(s.Commit) + " stays, and is of no step until one has the id " + s.Step + " again",
			share.NewAndTicked:   "is new, and done since its box is ticked: nothing was checked",
			share.TickDoubted:    "is not done by its tick, for what may be a task is beside it: git plan lint",
			share.TickedByHand:   "is done since you ticked it: nothing was checked",
			share.DoneStill:      "is done and stays so; to have it done again: git plan reopen " + s.Step,
			share.BlockedStill:   "is blocked still; to try it again: git plan reopen " + s.Step,
		}[s.How]
		say(w, "step %s %s", s.Step, text)
	}
}
