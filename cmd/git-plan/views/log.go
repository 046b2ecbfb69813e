package views

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Log prints what happened to a plan, newest first: all of it, or what happened to one step, with
// what its sessions and checks printed. patches adds how each event changed the plan's text.
func Log(ctx context.Context, w io.Writer, co *checkout.Checkout, only string, patches bool) error {
	width, paint := terminal.Width(os.Stdout), Colors(co)
	failed := only != "" && co.Progress.Steps[only].State != progress.StateDone
	for i := len(co.Doc.Events) - 1; i >= 0; i-- {
		e := co.Doc.Events[i]
		if only != "" && !slices.Contains(e.Steps, only) {
			continue
		}
		Event(w, width, paint, co.Branch, e)
		if only != "" {
			proof(w, co, e)
		}
		if failed && e.Kind == journal.Failed { // the last attempt
			said(w, co, e)
			failed = false
		}
		if patches {
			if err := patch(ctx, w, co, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// said prints the end of what was printed by what failed an attempt.
func said(w io.Writer, co *checkout.Checkout, failed journal.Event) {
	text, howToSee := checkout.FailureOutput(co, failed)
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(visible.Text(text), "\n") {
		say(w, "%*s| %s", logIndent, "", line)
	}
	say(w, "%*sall of that, and what was done: %s", logIndent, "", visible.Line(howToSee))
}

// proof prints what the checks of an attempt printed, and what a failed one had changed.
func proof(w io.Writer, co *checkout.Checkout, e journal.Event) {
	if e.Kind != journal.Done && e.Kind != journal.Failed {
		return
	}
	for _, p := range work.ProofOf(co, e.Session) {
		say(w, "%*s%s", logIndent, "", visible.Line(p.Heading))
		if p.Text == "" {
			continue
		}
		for line := range strings.SplitSeq(visible.Text(p.Text), "\n") {
			say(w, "%*s| %s", logIndent, "", line)
		}
	}
}

const logIndent = 13 // of what is printed below an event

// Event prints an event for whoever is on a branch: on a terminal the branch's name would
// only take up room.
func Event(w io.Writer, width int, paint terminal.Colors, branch string, e journal.Event) {
	headline := e.Headline
	if width != terminal.Endless {
		headline = strings.TrimPrefix(headline, branch+" ")
	}
	line := fmt.Sprintf("%s %s %s", paint.Wait(visible.Short(e.Commit)), e.Time.Local().Format("2006-01-02 15:04:05"), visible.Line(headline))
	switch {
	case len(e.Usage) > 0:
		line += " [" + heldBy(e) + "]"
	case e.Agent != "" && e.Tokens != (agent.Tokens{}):
		line += fmt.Sprintf(" [%s, %s]", visible.Line(e.Agent), e.Tokens)
	case e.Agent != "": // another event reports what it used, or it is a command
		line += fmt.Sprintf(" [%s]", visible.Line(e.Agent))
	}
	terminal.Fold(w, width, logIndent, "%s", line)
	if e.Kind == journal.Done && e.Head == journal.None && !e.TickedByHand() {
		say(w, "%*s%s", logIndent, "", terminal.Committed(e.Head))
	}
	for _, more := range []string{e.Reason, e.Summary, e.Kept} {
		if more != "" && !strings.HasSuffix(e.Headline, ": "+more) { // a review's end is its headline
			terminal.Fold(w, width, logIndent, "%*s%s", logIndent, "", visible.Line(more))
		}
	}
	if e.Proposal != "" {
		terminal.Fold(w, width, logIndent, "%*sproposes to change the plan: %s", logIndent, "", visible.Line(e.Proposal))
	}
}

// heldBy returns who ran the sessions that an event reports, how many there were, and what they
// used together.
func heldBy(e journal.Event) string {
	var agents []string
	n := 0
	for _, h := range e.Usage {
		agents = append(agents, visible.Line(h.Agent))
		n += h.Sessions
	}
	parts := unique(agents)
	if n > 1 {
		parts = append(parts, terminal.Count(n, "session"))
	}
	if e.Tokens != (agent.Tokens{}) {
		parts = append(parts, e.Tokens.String())
	}
	return strings.Join(parts, ", ")
}

// patch prints how an event changed the plan's text. The first event created it.
func patch(ctx context.Context, w io.Writer, co *checkout.Checkout, event int) error {
	after, err := co.Version(ctx, co.Doc.Events[event].Commit)
	if err != nil {
		return err
	}
	var before []byte
	if event > 0 {
		if before, err = co.Version(ctx, co.Doc.Events[event-1].Commit); err != nil {
			return err
		}
	}
	if change := share.CompareWords(before, after); change != "" {
		say(w, "\n    %s\n", strings.ReplaceAll(strings.TrimRight(visible.Text(change), "\n"), "\n", "\n    "))
	}
	return nil
}
