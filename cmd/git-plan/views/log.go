package views

import (
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
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Log prints the events of a plan, or of one step, newest first.
func Log(w io.Writer, co *checkout.Checkout, only string) {
	width, paint := terminal.Width(os.Stdout), Colors(co)
	failed := only != "" && co.Progress.Steps[only].State != progress.StateDone
	for i := len(co.Doc.Events) - 1; i >= 0; i-- {
		e := co.Doc.Events[i]
		if only != "" && !slices.Contains(e.Steps, only) {
			continue
		}
		Event(w, width, paint, co.Branch, e)
		if only != "" {
			for _, p := range work.ProofOf(co, e.Session) {
				say(w, "%*s%s", logIndent, "", p.Heading)
				quote(w, p.Text)
			}
		}
		if failed && e.Kind == journal.Failed { // the last attempt
			said(w, co, e)
			failed = false
		}
	}
}

func said(w io.Writer, co *checkout.Checkout, failed journal.Event) {
	if text, howToSee := checkout.FailureOutput(co, failed); text != "" {
		quote(w, text)
		say(w, "%*sall of that, and what the session did: %s", logIndent, "", howToSee)
	}
}

func quote(w io.Writer, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(visible.Text(text), "\n") {
		terminal.Println(w, fmt.Sprintf("%*s| %s", logIndent, "", line))
	}
}

const logIndent = 13 // of what is printed below an event

// Event prints an event. On a terminal the name of the current branch would only take up room.
func Event(w io.Writer, width int, paint terminal.Colors, branch string, e journal.Event) {
	headline := e.Headline
	if width != terminal.Endless {
		headline = strings.TrimPrefix(headline, branch+" ")
	}
	by := ""
	switch {
	case len(e.Usage) > 0:
		by = " [" + heldBy(e) + "]"
	case e.Agent != "" && e.Tokens != (agent.Tokens{}):
		by = fmt.Sprintf(" [%s, %s]", e.Agent, e.Tokens)
	case e.Agent != "": // another event reports what it used, or it is a command
		by = " [" + e.Agent + "]"
	}
	terminal.Fold(w, width, logIndent, "%s %s %s%s", paint.Wait(visible.Short(e.Commit)), e.Time.Local().Format("2006-01-02 15:04:05"), headline, by)
	if e.Kind == journal.Done && e.Head == journal.None && !e.TickedByHand() {
		say(w, "%*s%s", logIndent, "", terminal.Committed(e.Head))
	}
	for _, more := range []string{e.Reason, e.Summary, e.Kept} {
		if more != "" && !strings.HasSuffix(e.Headline, ": "+more) { // a review's end is its headline
			terminal.Fold(w, width, logIndent, "%*s%s", logIndent, "", more)
		}
	}
	if e.Proposal != "" {
		terminal.Fold(w, width, logIndent, "%*sproposes to change the plan: %s", logIndent, "", e.Proposal)
	}
}

// heldBy returns the agents of an event's sessions, their number and tokens.
func heldBy(e journal.Event) string {
	var agents []string
	n := 0
	for _, h := range e.Usage {
		agents = append(agents, h.Agent)
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
