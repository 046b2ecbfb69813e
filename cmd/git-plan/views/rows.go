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

// steps prints a row for each step. On a terminal that has too few rows, the steps that are done before
// the first one that is not are counted in one row, unless all are asked for. above is how many rows are
// above them.
func steps(w io.Writer, co *checkout.Checkout, list []status.Step, above int, all bool) {
	width, paint := terminal.Width(os.Stdout), Colors(co)
	done := 0
	if height := terminal.Height(os.Stdout); !all && height > 0 {
		done = counted(list, height-above-below)
	}
	if done > 0 {
		line := fmt.Sprintf("%3d-%d [%s] %s", list[0].N, list[done-1].N, Marks[progress.StateDone], terminal.Count(done, "step"))
		say(w, "%s", paint.Dim(line+" (--all shows them)"))
		list = list[done:]
	}
	for _, st := range list {
		line := strings.Replace(stepRow(co, st), "["+Marks[st.State]+"]", paintMark(paint, st.State), 1)
		terminal.Fold(w, width, 8, "%s", line)
	}
}

// counted returns how many steps at the beginning are only counted, so that the others fit the room if that
// can be.
func counted(list []status.Step, room int) (done int) {
	for len(list)-done+min(done, 1) > room && done < len(list) && list[done].State == progress.StateDone {
		done++
	}
	if done < 2 {
		return 0
	}
	return done
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
		if commit, ok := co.Progress.DoneElsewhere(st.ID); ok {
			line += "  " + visible.Short(commit) + " names it, but the plan here does not know that it is done"
		}
	}
	if st.Unapproved {
		line += "  waits for approval"
	}
	return line
}

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// unique returns a list without what is in it already.
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
