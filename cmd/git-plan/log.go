package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

func logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "show what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "print the transcript of session `ID`, or of the last one at a step"},
			&cli.BoolFlag{Name: "f", Aliases: []string{"follow"}, Usage: "follow what happens, until Ctrl-C"},
			&cli.BoolFlag{Name: "p", Usage: "show how each event changed the plan's text, word by word"},
			plainFlag(),
			&cli.BoolFlag{Name: "json", Usage: "with --session: print its lines as stored, one JSON object each"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if c.Bool("json") && !c.IsSet("session") {
				return misused(c, "--json is for --session")
			}
			if c.IsSet("session") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printSession) })
			}
			if c.Bool("f") {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return printLog(c, co) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printLog) })
		},
	}
}

func printLog(c *cli.Context, co *checkout.Checkout) error {
	only := ""
	if c.NArg() == 1 {
		step, err := stepOf(co, c.Args().First())
		if err != nil {
			return err
		}
		only = step.ID
	}
	if c.Bool("f") {
		return followLog(c, co, only)
	}
	width, paint := terminal.Width(os.Stdout), views.Colors(co)
	failed := only != "" && co.Progress.Steps[only].State != progress.StateDone
	for i := len(co.Doc.Events) - 1; i >= 0; i-- {
		e := co.Doc.Events[i]
		if only != "" && !slices.Contains(e.Steps, only) {
			continue
		}
		printEvent(c.App.Writer, width, paint, co.Branch, e)
		if only != "" {
			printProof(c, co, e)
		}
		if failed && (e.Kind == journal.Blocked || e.Kind == journal.Failed) { // the last attempt
			printSaid(c, co, e)
			failed = false
		}
		if c.Bool("p") {
			if err := printPatch(c, co, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// printSaid prints the end of what was printed by what failed an attempt.
func printSaid(c *cli.Context, co *checkout.Checkout, failed journal.Event) {
	said, howToSee := work.SaidBy(c.Context, co, failed)
	if said == "" {
		return
	}
	for line := range strings.SplitSeq(visible.Text(said), "\n") {
		say(c.App.Writer, "%*s| %s", logIndent, "", line)
	}
	say(c.App.Writer, "%*sall of that, and what was done: %s", logIndent, "", visible.Line(howToSee))
}

// printProof prints what the checks of an attempt printed, and what a failed one had changed.
func printProof(c *cli.Context, co *checkout.Checkout, e journal.Event) {
	if e.Kind != journal.Done && e.Kind != journal.Failed {
		return
	}
	for _, p := range work.ProofOf(co, e.Session) {
		say(c.App.Writer, "%*s%s", logIndent, "", visible.Line(p.Heading))
		if p.Text == "" {
			continue
		}
		for line := range strings.SplitSeq(visible.Text(p.Text), "\n") {
			say(c.App.Writer, "%*s| %s", logIndent, "", line)
		}
	}
}

const logIndent = 13 // of what is printed below an event

// printEvent prints an event for whoever is on a branch: on a terminal the branch's name would
// only take up room.
func printEvent(w io.Writer, width int, paint terminal.Colors, branch string, e journal.Event) {
	headline := e.Headline
	if width != terminal.Endless {
		headline = strings.TrimPrefix(headline, branch+" ")
	}
	line := fmt.Sprintf("%s %s %s", paint.Wait(visible.Short(e.Commit)), e.Time.Local().Format("2006-01-02 15:04:05"), visible.Line(headline))
	switch {
	case len(e.Held) > 0:
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
	for _, h := range e.Held {
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

// printPatch prints how an event changed the plan's text. The first event created it.
func printPatch(c *cli.Context, co *checkout.Checkout, event int) error {
	after, err := co.Version(c.Context, co.Doc.Events[event].Commit)
	if err != nil {
		return err
	}
	var before []byte
	if event > 0 {
		if before, err = co.Version(c.Context, co.Doc.Events[event-1].Commit); err != nil {
			return err
		}
	}
	if change := share.CompareWords(before, after); change != "" {
		say(c.App.Writer, "\n    %s\n", strings.ReplaceAll(strings.TrimRight(visible.Text(change), "\n"), "\n", "\n    "))
	}
	return nil
}

// printSession prints a transcript: of the branch's plan, or without one of a
// review.
func printSession(c *cli.Context, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	name := c.String("session")
	if co.Doc != nil {
		if step, ok := co.Doc.Plan.Step(name); ok {
			name = step.ID
		}
	}
	f, err := work.Transcript(co, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Bool("json") {
		_, err := io.Copy(c.App.Writer, f)
		return err
	}
	return agent.ReadTranscript(f, func(heading, text string) {
		say(c.App.Writer, "%s", visible.Line(heading))
		if text != "" {
			say(c.App.Writer, "    %s", strings.ReplaceAll(strings.TrimRight(visible.Text(text), "\n"), "\n", "\n    "))
		}
	})
}
