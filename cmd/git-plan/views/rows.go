package views

import (
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Colors are those of what a command prints to a person, as color.ui says.
func Colors(co *checkout.Checkout) terminal.Colors {
	ui, _ := co.Config.Get("color.ui")
	return terminal.ColorsOf(os.Stdout, ui)
}

func steps(w io.Writer, co *checkout.Checkout, list []status.Step) {
	width, paint := terminal.Width(os.Stdout), Colors(co)
	for _, st := range list {
		terminal.Fold(w, width, 8, "%3d %s %s (%s)%s", st.N, paintMark(paint, st.State), st.Title, st.ID, outcome(co, st))
	}
}

func paintMark(paint terminal.Colors, state progress.State) terminal.Painted {
	mark := "[" + Marks[state] + "]"
	switch state {
	case progress.StateDone:
		return paint.Good(mark)
	case progress.StateBlocked:
		return paint.Bad(mark)
	case progress.StateRunning, progress.StateReopened:
		return paint.Wait(mark)
	}
	return terminal.Painted(mark)
}

func outcome(co *checkout.Checkout, st status.Step) (text string) {
	derived := co.Progress.Steps[st.ID]
	last := derived.Last()
	switch {
	case st.State == progress.StateDone && st.Commit != "":
		text = "  " + visible.Short(st.Commit)
		if last.By == journal.ByAgent && co.Doc.Plan.Unchecked(st.ID) {
			text += "  no command checked it"
		}
	case st.State == progress.StateDone && last.TickedByHand():
		text = "  ticked by hand"
	case st.State == progress.StateDone && last.Kind == journal.Done:
		text = strings.TrimSuffix("  no change: "+visible.OneLine(last.Reason, 200), ": ")
	case st.State == progress.StateBlocked && last.Question:
		text = "  waits for your answer to: " + st.Reason
	case st.State == progress.StateBlocked, st.State == progress.StateSkipped:
		text = strings.TrimSuffix("  "+string(st.State)+": "+st.Reason, ": ")
	case st.State == progress.StateRunning && st.Running == nil:
		text = "  running"
	case st.State == progress.StateRunning:
		text = "  " + st.Running.String()
	case st.State == progress.StateReopened && derived.Pull != "":
		text = "  " + visible.Short(st.Commit) + " did it and " + st.Reason
	case st.State == progress.StateReopened:
		text = strings.TrimSuffix("  reopened: "+strings.TrimSpace(visible.Short(st.Commit)+" "+st.Reason), ": ")
	case st.Reason != "" && last.Question:
		text = "  the last attempt asked: " + st.Reason
	case st.Reason != "":
		text = "  last attempt: " + st.Reason
	}
	if commit, ok := co.Progress.DoneElsewhere(st.ID); ok && st.State == progress.StateOpen {
		text += "  " + visible.Short(commit) + " names it, but the plan here does not know that it is done"
	}
	if st.Unapproved {
		text += "  waits for approval"
	}
	return text
}

func say(w io.Writer, format string, args ...any) { terminal.Say(w, format, args...) }

func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
