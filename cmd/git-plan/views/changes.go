package views

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Fetched says what became of a fetched plan; away means that it belongs to another branch.
func Fetched(p share.Fetched, remote string, away bool) string {
	text := map[share.FetchEnd]string{
		share.FetchedNew:     "new",
		share.FetchedBack:    "here again, since " + remote + " has it",
		share.FetchedForward: "moved forward",
		share.FetchedMerged:  "merged with what " + remote + " has; next: git plan push",
		share.FetchedAhead:   "more is here than at " + remote + "; next: git plan push",
		share.FetchedSame:    "as it is here",
		share.FetchedGone:    "no longer at " + remote + "; it stays here",
		share.FetchedNot:     "not taken",
	}[p.End]
	if len(p.Conflicts) > 0 && p.End == share.FetchedNot {
		return "nothing was changed here, since both sides changed:"
	}
	if p.Plan == nil {
		return text
	}
	if p.End == share.FetchedNew || p.End == share.FetchedBack {
		text += fmt.Sprintf(", %s for branch %s: %s", terminal.Count(len(p.Plan.Steps), "step"), visible.Line(p.Plan.Branch), visible.Line(p.Plan.Title))
	}
	if !p.Approved {
		text += "; not approved here: "
		if away {
			text += "git switch " + visible.Shell(p.Plan.Branch) + ", "
		}
		text += "read it, then git plan approve"
	}
	if len(p.Conflicts) > 0 {
		text += "; chosen between:"
	}
	return text
}

// Conflict prints both versions of a part, and which of them was chosen.
func Conflict(w io.Writer, k share.Conflict, chosen share.Side, remote string) {
	say(w, "  %s", k.Part)
	if k.Why != "" {
		say(w, "    cannot be put together: %s", k.Why)
	}
	for _, v := range []struct {
		side        share.Side
		where, text string
	}{{share.Ours, "here", k.Ours}, {share.Theirs, remote, k.Theirs}} {
		if v.side == chosen {
			v.where += ", chosen"
		}
		say(w, "    %s:", v.where)
		if v.text == "" {
			say(w, "      (removed)")
			continue
		}
		for _, line := range strings.Split(strings.TrimRight(visible.Text(v.text), "\n"), "\n") {
			say(w, "      %s", line)
		}
	}
}

// Settled prints what an edit means for steps, if a person may not expect it.
func Settled(w io.Writer, settled []share.Effect) {
	for _, s := range settled {
		text := map[share.EffectKind]string{
			share.GoneThoughDone: "is gone; its commit " + visible.Short(s.Commit) + " stays, and is of no step until one has the id " + s.Step + " again",
			share.NewAndTicked:   "is new, and done since its box is ticked: nothing was checked",
			share.TickDoubted:    "is not done by its tick, for what may be a task is beside it: git plan lint",
			share.TickedByHand:   "is done since you ticked it: nothing was checked",
			share.DoneStill:      "is done and stays so; to have it done again: git plan reopen " + s.Step,
			share.BlockedStill:   "is still blocked; to try it again: git plan reopen " + s.Step,
		}[s.How]
		say(w, "step %s %s", s.Step, text)
	}
}
