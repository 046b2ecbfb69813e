package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Marks are what the box of a step has in each state.
var Marks = map[progress.State]string{
	progress.StateDone: "x", progress.StateOpen: " ", progress.StateBlocked: "!",
	progress.StateSkipped: "-", progress.StateRunning: ">", progress.StateReopened: "<",
}

func Standing(ctx context.Context, w io.Writer, co *checkout.Checkout, s *status.Plan) {
	width, paint := terminal.Width(os.Stdout), Colors(co, os.Stdout)
	terminal.Fold(w, width, 0, "%s", paint.Bold(s.Title))
	far, state := fmt.Sprintf("plan %s on %s, %s", s.Plan, s.Branch, co.Progress.Summary()), ""
	if s.State != status.Done {
		far, state = far+", ", string(s.State)
	}
	terminal.Fold(w, width, 0, "%s%s", paint.Dim(far), InColor(paint, progress.State(state), state))
	if goal := co.Doc.Plan.Goal; goal != "" {
		terminal.Fold(w, width, 6, "goal: %s", visible.OneLine(goal, 400))
	}
	say(w, "")
	steps(w, co, s.Steps)
	if s.Requirements != nil {
		say(w, "")
		Requirements(w, width, s.Requirements)
	}
	say(w, "")
	for _, st := range s.Steps {
		for _, ref := range st.Originals { // unfolded, so that it can be copied
			if paths := workspace.Differing(ctx, co.Repo, ref); len(paths) > 0 {
				terminal.Println(w, "your files as they were before step "+st.ID+" ("+visible.Few(paths)+"): "+
					workspace.BringBack(ref))
			}
		}
	}
	for _, p := range s.Proposals {
		terminal.Fold(w, width, 4, "proposed by the session of step %s: %s (git plan replan)", p.Step, visible.OneLine(p.Text, 400))
	}
	for _, m := range s.Manual {
		terminal.Fold(w, width, 8, "    %s", Manual(m))
	}
	if len(s.Manual) > 0 {
		say(w, "")
	}
	if len(s.DoneWhen) > 0 {
		say(w, "done when: %s", progress.Passing(s.DoneWhen))
	}
	for _, c := range s.DoneWhen {
		terminal.Fold(w, width, 4, "  %s", visible.Line(c.String()))
	}
	if co.Doc.Plan.Bounds != nil {
		terminal.Fold(w, width, 4, "planned again %s within its Bounds; used: %s", visible.Count(s.Plannings, "time"),
			progress.Used(co.Doc.Plan, co.Doc.Events))
	}
	if line := s.Review.String(); line != "" {
		terminal.Fold(w, width, 0, "%s", line)
	}
	step := ""
	if next, ok := co.Progress.Next(co.Doc.Plan); ok {
		step = next.ID
	}
	if err := new(work.Spending).Allows(co, step); errors.Is(err, fault.ErrBudget) {
		terminal.Fold(w, width, 0, "budget: %s", err)
	}
	for _, id := range checkout.StashedPlans(co) {
		stash, how := checkout.Stashed(co, id), "the next git plan step or run brings them back at its end"
		if id != co.Doc.ID {
			how = "git stash apply --index " + stash.Kept + "^2 brings them back"
		}
		if _, err := co.Repo.Resolve(ctx, stash.Kept); err == nil && s.State != status.Running {
			terminal.Fold(w, width, 0, "autostash: your changes are kept as %s; %s", stash.Kept, how)
		}
	}
	if len(s.Left) > 0 {
		terminal.Fold(w, width, 4, "in the tree since a session was interrupted, or changed after it: %s", visible.Few(s.Left))
	}
	Invalid(w, co, co.Config.Settings())
	next, named := s.Next(ctx, co), ""
	if step, ok := co.Progress.Blocked(co.Doc.Plan); ok && s.State == status.Blocked {
		named = step.ID
	}
	Blocked(w, co, named)
	Next(w, paint, next)
}

// Next prints what comes next, the command in bold; a command alone is not folded, so that it can be copied.
func Next(w io.Writer, c terminal.Colors, next status.Advice) {
	command, why := next.Command, next.String()
	if !strings.HasPrefix(why, command) {
		command = ""
	}
	if why = why[len(command):]; why == "" {
		terminal.Println(w, "next: "+string(c.Bold(command)))
		return
	}
	say(w, "next: %s%s", c.Bold(command), why)
}

// Blocked names the blocked steps but one, with the command that they need: STEP in it is any of several.
func Blocked(w io.Writer, co *checkout.Checkout, but string) {
	behind, root := map[string][]string{}, map[string]string{} // a blocked step, and for those behind it that one
	alike := map[string][]string{}                             // a command with STEP, and the steps that need it
	for _, s := range co.Doc.Plan.Steps {
		st := co.Progress.Steps[s.ID]
		if st.State == progress.StateBlocked && s.ID != but {
			command := status.Unblock("STEP", st.Last()).Command
			alike[command] = append(alike[command], s.ID)
		}
		if st.State == progress.StateBlocked && !st.Unchanged() {
			root[s.ID] = s.ID
		}
		open := st.State == progress.StateOpen || st.State == progress.StateReopened
		if i := slices.IndexFunc(s.Needs, func(id string) bool { return root[id] != "" }); open && i >= 0 {
			root[s.ID] = root[s.Needs[i]]
			behind[root[s.ID]] = append(behind[root[s.ID]], s.ID)
		}
	}
	for _, command := range slices.Sorted(maps.Keys(alike)) {
		ids := alike[command]
		times := map[bool]int{true: 1}[len(ids) == 1]
		say(w, "blocked: %s (%s)", strings.Join(ids, ", "), strings.Replace(command, "STEP", ids[0], times))
	}
	for _, id := range slices.Sorted(maps.Keys(behind)) {
		wait := map[bool]string{true: "waits", false: "wait"}[len(behind[id]) == 1]
		say(w, "%s %s for %s", visible.Few(behind[id]), wait, id)
	}
}

// Invalid warns of the settings whose value is invalid.
func Invalid(w io.Writer, co *checkout.Checkout, set []settings.Setting) {
	for _, s := range set {
		if err := doctor.WrongSettings(co, s); err != nil {
			say(w, "warning: %s", err)
		}
	}
}

func Requirements(w io.Writer, width int, list []progress.Requirement) {
	for _, r := range list {
		var by []string
		for _, s := range r.Steps {
			text := s.ID
			switch {
			case s.Commit != "" && s.State == progress.StateDone:
				text += " " + visible.Short(s.Commit)
			case s.State != progress.StateDone:
				text += " " + string(s.State)
			}
			by = append(by, text)
		}
		if by == nil {
			by = []string{"no step serves it"}
		}
		terminal.Fold(w, width, 8, "%3s [%s] %s: %s", r.ID, Marks[r.State], r.Text, strings.Join(by, ", "))
	}
}

// Manual returns what a person is to check, and whether they did, in one line.
func Manual(m progress.Manual) string {
	if m.Commit != "" {
		return fmt.Sprintf("[x] by hand, %d: %s  checked at %s", m.N, visible.Line(m.Text), visible.Short(m.Commit))
	}
	return fmt.Sprintf("[ ] by hand, %d: %s (git plan done --manual %d)", m.N, visible.Line(m.Text), m.N)
}

// Porcelain prints for programs how far a plan is: lines whose words and columns stay.
func Porcelain(w io.Writer, s *status.Plan) {
	row := func(cells ...string) { terminal.Println(w, strings.Join(cells, "\t")) }
	row("plan", s.Plan, field(s.Branch), field(s.Base))
	row("goal", field(s.Title))
	row("state", string(s.State))
	row("progress", fmt.Sprint(s.Progress.Done), fmt.Sprint(s.Progress.Total))
	for _, st := range s.Steps {
		row("step", fmt.Sprint(st.N), st.ID, string(st.State), field(st.Commit), field(st.Title))
	}
	review := []string{"review", string(s.Review.End), s.Review.Head}
	if s.Review.PlanOnly {
		review = append(review, "told")
	}
	row(review...)
}

// field returns a column of --porcelain: what would end it, and hidden characters, become blanks.
func field(s string) string {
	s = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(s)
	return cmp.Or(visible.Blanked(s), "-")
}

// Colors are the colours of output for people on a file, as color.ui says.
func Colors(co *checkout.Checkout, f *os.File) terminal.Colors {
	ui, _ := co.Config.Get("color.ui")
	return terminal.ColorsOf(f, ui)
}

func steps(w io.Writer, co *checkout.Checkout, list []status.Step) {
	width, paint := terminal.Width(os.Stdout), Colors(co, os.Stdout)
	var all strings.Builder // one write, not a thousand
	left := slices.IndexFunc(list, func(st status.Step) bool { return st.State != progress.StateDone })
	if done := (left+len(list)+1)%(len(list)+1) - 20; done > 20 { // the last twenty are a line each
		terminal.Fold(&all, width, 8, "1-%d %s done (git plan status --porcelain lists each)", done, paint.Good("[x]"))
		list = list[done:]
	}
	for _, st := range list {
		mark := InColor(paint, st.State, "["+Marks[st.State]+"]")
		terminal.Fold(&all, width, 8, "%3d %s %s (%s)%s", st.N, mark, st.Title, st.ID, outcome(co, st))
	}
	terminal.Println(w, strings.TrimSuffix(all.String(), "\n"))
}

// InColor paints a text in the colour of a state, of a step or of a whole plan.
func InColor(paint terminal.Colors, state progress.State, text string) terminal.Painted {
	switch state {
	case progress.StateDone:
		return paint.Good(text)
	case progress.StateBlocked:
		return paint.Bad(text)
	case progress.StateRunning, progress.StateReopened, progress.State(status.Unapproved):
		return paint.Wait(text)
	}
	return terminal.Painted(visible.Line(text))
}

// Doubts returns what a person should look at in a step, such as why it may not be done although it counts as done.
func Doubts(co *checkout.Checkout, st status.Step) (out []string) {
	if co.Progress.Steps[st.ID].Unchecked(co.Doc.Plan, st.ID) {
		out = append(out, "no command checked it")
	}
	if len(st.Weakened) > 0 {
		out = append(out, "weaker tests or checks")
	}
	if st.Originals != nil {
		out = append(out, "changed files of yours")
	}
	return out
}

func outcome(co *checkout.Checkout, st status.Step) (text string) {
	derived := co.Progress.Steps[st.ID]
	last := derived.Last()
	switch {
	case st.State == progress.StateDone && st.Commit != "":
		text = strings.Join(append([]string{"", visible.Short(st.Commit)}, Doubts(co, st)...), "  ")
	case st.State == progress.StateDone && last.TickedByHand():
		text = "  ticked in the plan, not checked"
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
		if last.Kept != "" {
			text += "; what it did is kept: " + co.Attempts().ShowCommand(last.Kept)
		}
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
