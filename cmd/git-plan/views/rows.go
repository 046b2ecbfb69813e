package views

import (
	"fmt"
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

// below is how many rows of status are below its steps, with the shell's next line.
const below = 5

// steps prints a row for each step. On a terminal that has too few rows for all, steps far
// from the next one are counted, unless all are asked for, and those that are shown and need no
// attention have a row each. above is how many rows are above them.
func steps(w io.Writer, co *checkout.Checkout, list []status.Step, above int, all bool) {
	width, paint := terminal.Width(os.Stdout), Colors(co)
	room := len(list)
	if height := terminal.Height(os.Stdout); !all && height > 0 {
		room = max(height-above-below, 8)
	}
	rows := folded(list, room)
	for _, r := range rows {
		if r.to > r.from {
			line := fmt.Sprintf("%3d-%d [%s] %s", list[r.from].N, list[r.to].N, Marks[list[r.from].State], terminal.Count(r.to-r.from+1, "step"))
			say(w, "%s", paint.Dim(line+" (--all shows them)"))
			continue
		}
		st := list[r.from]
		if len(rows) < len(list) && (st.State == progress.StateDone || st.State == progress.StateOpen && st.Reason == "") {
			title := st.Title
			st.Title = ""
			st.Title = terminal.Cut(visible.Line(title), max(width-len(stepRow(co, st)), 12))
		}
		line := strings.Replace(stepRow(co, st), "["+Marks[st.State]+"]", paintMark(paint, st.State), 1)
		terminal.Fold(w, width, 8, "%s", line)
	}
}

func paintMark(paint terminal.Colors, state progress.State) string {
	mark := "[" + Marks[state] + "]"
	switch state {
	case progress.StateDone:
		return paint.Good(mark)
	case progress.StateBlocked:
		return paint.Bad(mark)
	case progress.StateRunning, progress.StateReopened:
		return paint.Wait(mark)
	}
	return mark
}

// stretch is a row of status: one step, or several of one state that are only counted.
type stretch struct{ from, to int }

// folded returns the rows of steps, so that they are at most room if that can be: steps that
// need attention always have one of their own, then those around the first that is open, the
// nearest first; what is left is counted, in stretches of one state.
func folded(steps []status.Step, room int) []stretch {
	shown, next := make([]bool, len(steps)), len(steps)-1
	for i, s := range steps {
		switch s.State {
		case progress.StateDone, progress.StateOpen, progress.StateSkipped:
			shown[i] = len(steps) <= room || s.Unapproved
		default:
			shown[i] = true
		}
	}
	for i, s := range steps {
		if s.State == progress.StateOpen {
			next = i
			break
		}
	}
	rows := stretches(steps, shown)
	for d := 0; d < len(steps) && d <= room; d++ {
		for _, i := range []int{next + d, next - d} {
			if i < 0 || i >= len(steps) || shown[i] {
				continue
			}
			shown[i] = true
			more := stretches(steps, shown)
			if len(more) > room {
				return rows
			}
			rows = more
		}
	}
	return rows
}

// stretches joins neighbours of one state that are not shown.
func stretches(steps []status.Step, shown []bool) []stretch {
	var out []stretch
	for i := range steps {
		if n := len(out); i > 0 && !shown[i] && !shown[i-1] && steps[i].State == steps[i-1].State {
			out[n-1].to = i
			continue
		}
		out = append(out, stretch{i, i})
	}
	return out
}

// stepRow says how far a step is.
func stepRow(co *checkout.Checkout, st status.Step) string {
	line := fmt.Sprintf("%3d [%s] %s (%s)", st.N, Marks[st.State], visible.Line(st.Title), st.ID)
	switch st.State {
	case progress.StateDone:
		switch e := co.Progress.Steps[st.ID].Last(); {
		case st.Commit != "":
			line += "  " + visible.Short(st.Commit)
			if e.By == journal.ByAgent && co.Doc.Plan.Unchecked(st.ID) {
				line += "  no command checked it"
			}
		case e.TickedByHand():
			line += "  ticked by hand"
		case e.Kind == journal.Done:
			line += strings.TrimSuffix("  no change: "+visible.OneLine(e.Reason, 200), ": ")
		}
	case progress.StateBlocked, progress.StateSkipped:
		if st.State == progress.StateBlocked && co.Progress.Steps[st.ID].Last().Question {
			line += "  waits for your answer to: " + visible.Line(st.Reason)
			break
		}
		line += strings.TrimSuffix("  "+string(st.State)+": "+visible.Line(st.Reason), ": ")
	case progress.StateRunning:
		if st.Running == nil {
			line += "  running"
		} else {
			line += "  " + st.Running.String()
		}
	case progress.StateReopened:
		if co.Progress.Steps[st.ID].Pull != "" {
			line += "  " + visible.Short(st.Commit) + " did it and " + visible.Line(st.Reason)
		} else {
			line += strings.TrimSuffix("  reopened: "+strings.TrimSpace(visible.Short(st.Commit)+" "+visible.Line(st.Reason)), ": ")
		}
	case progress.StateOpen:
		if st.Reason != "" {
			said := "  last attempt: "
			if co.Progress.Steps[st.ID].Last().Question {
				said = "  the last attempt asked: "
			}
			line += said + visible.Line(st.Reason)
		}
		if commit, ok := co.Progress.DoneUnseen(st.ID); ok {
			line += "  " + visible.Short(commit) + " names it, but the plan here does not know that it is done"
		}
	}
	if st.Unapproved {
		line += "  waits for approval"
	}
	return line
}
