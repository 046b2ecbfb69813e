package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/work"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Marks are what the box of a step has in each state.
var Marks = map[progress.State]string{
	progress.StateDone: "x", progress.StateOpen: " ", progress.StateBlocked: "!",
	progress.StateSkipped: "-", progress.StateRunning: ">", progress.StateReopened: "<",
}

// Standing prints for people how far a plan is, and what comes next.
func Standing(ctx context.Context, w io.Writer, co *checkout.Checkout, s *status.Plan, all bool) {
	width := terminal.Width(os.Stdout)
	head := &bytes.Buffer{}
	terminal.Fold(head, width, 0, "%s", Colors(co).Bold(visible.Line(s.Title)))
	far := co.Progress.Summary()
	if s.State != status.Done {
		far += ", " + string(s.State)
	}
	terminal.Fold(head, width, 0, "plan %s on %s, %s", s.Plan, visible.Line(s.Branch), far)
	say(head, "")
	_, _ = w.Write(head.Bytes())
	steps(w, co, s.Steps, bytes.Count(head.Bytes(), []byte("\n")), all)
	if s.Requirements != nil {
		say(w, "")
		Requirements(w, width, s.Requirements)
	}
	say(w, "")
	for _, p := range s.Proposals {
		terminal.Fold(w, width, 4, "proposed by the session of step %s: %s (git plan replan)", p.Step, visible.OneLine(p.Text, 400))
	}
	Manuals(w, width, s.Manual)
	if line := s.Review.String(); line != "" {
		terminal.Fold(w, width, 0, "%s", line)
	}
	step := ""
	if next, ok := co.Progress.Next(co.Doc.Plan); ok {
		step = next.ID
	}
	if err := work.SpentOn(co, step); errors.Is(err, fault.ErrBudget) {
		terminal.Fold(w, width, 0, "budget: %s", visible.Line(err.Error()))
	}
	if stash := checkout.Stashed(co, co.Doc.ID); stash.Kept != "" && s.State != status.Running {
		terminal.Fold(w, width, 0, "autostash: your changes are kept as %s; the next git plan step or run brings them back at its end", stash.Kept)
	}
	if len(s.Left) > 0 {
		terminal.Fold(w, width, 4, "in the tree since a session was interrupted, or changed after it: %s (the next git plan step keeps it)", visible.Few(s.Left))
	}
	Gate(w, co)
	next := s.Next(ctx, co)
	if files := co.Unmerged(ctx); files != "" && s.State != status.Running {
		next = status.Resolve(visible.Line(files))
	}
	say(w, "next: %s", next) // not folded, so that it can be copied
}

// Gate warns if plan.prePush is a word that the gate does not know: it is the strict one then.
func Gate(w io.Writer, co *checkout.Checkout) {
	if mode, err := co.Config.Word("plan.prePush"); err != nil {
		say(w, "warning: %s; using %s instead", visible.Line(err.Error()), mode)
	}
}

// Requirements prints what has become of each requirement of a plan, and by which steps; it
// prints nothing for a plan without any.
func Requirements(w io.Writer, width int, list []status.Requirement) {
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
		terminal.Fold(w, width, 8, "%s", fmt.Sprintf("%3s [%s] %s: %s", r.ID, Marks[r.State], visible.Line(r.Text), strings.Join(by, ", ")))
	}
}

// RequirementsOf is Requirements for a run that ended.
func RequirementsOf(w io.Writer, co *checkout.Checkout) {
	if list := status.Requirements(co); list != nil {
		say(w, "requirements:")
		Requirements(w, terminal.Width(os.Stderr), list)
	}
}

// Manual returns what a person is to check, and whether they did, in one line.
func Manual(m progress.Manual) string {
	if m.Commit != "" {
		return fmt.Sprintf("[x] by hand, %d: %s  checked at %s", m.N, visible.Line(m.Text), visible.Short(m.Commit))
	}
	return fmt.Sprintf("[ ] by hand, %d: %s (git plan done --manual %d)", m.N, visible.Line(m.Text), m.N)
}

// Manuals prints what a person is to check, and what of it was.
func Manuals(w io.Writer, width int, list []progress.Manual) {
	for _, m := range list {
		terminal.Fold(w, width, 8, "    %s", Manual(m))
	}
	if len(list) > 0 {
		say(w, "")
	}
}

// Away says of a plan that no branch here has where that is; "" if a branch has it.
func Away(l checkout.Listed) string {
	switch {
	case l.Remote != "":
		return "its branch is at " + visible.Line(l.Remote)
	case l.NoBranch:
		return "no branch has it"
	}
	return ""
}
