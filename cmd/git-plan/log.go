package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

type logOptions struct {
	*command
	session                               string
	follow, diff, patch, stats, all, json bool
}

func logCommand() *cli.Command {
	c := &logOptions{command: new(command)}
	return &cli.Command{
		Name: "log", Usage: "show what happened to the plan, newest first", ArgsUsage: "[<step>]",
		Description: "With --diff it shows how the plan changed, word by word: since the last approval, or since\n" +
			"the plan was made; or since a version, or between two. A version is a commit of the plan,\n" +
			"as git plan log names it, or ~N for N changes ago; approvals and ticks are changes, too.\n\n" +
			"With --stats it shows time, tokens, cost, attempts and interventions: what a person did to the\n" +
			"plan between two sessions, such as answering, editing or reopening a step. What an agent does\n" +
			"not report, such as tokens, is unknown, not zero. gitplan-statistics(7) defines each number.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Destination: &c.session, Usage: "print the transcript of session `ID`, or of the last one at a step"},
			&cli.BoolFlag{Name: "f", Aliases: []string{"follow"}, Destination: &c.follow, Usage: "follow what happens, until Ctrl-C"},
			&cli.BoolFlag{Name: "diff", Destination: &c.diff, Usage: "show how the plan changed: --diff [<version> [<version>]]"},
			&cli.BoolFlag{Name: "p", Destination: &c.patch, Usage: "show how each event changed the plan's text, word by word"},
			&cli.BoolFlag{Name: "stats", Destination: &c.stats, Usage: "show what the work took"},
			&cli.BoolFlag{Name: "all", Destination: &c.all, Usage: "with --stats: for all plans of the repository"},
			c.plainFlag(),
			&cli.BoolFlag{Name: "json", Destination: &c.json, Usage: "with --stats: one JSON object; with --session: its lines as stored"},
		},
		Action: c.do(func() error {
			if c.diff {
				if len(c.args) > 2 {
					return c.misused("log --diff takes at most two versions")
				}
				return withPlan(c.Context, func(co *checkout.Checkout) error {
					return paged(c.command, co, func() error { return printDiff(c.command, co) })
				})
			}
			if err := c.arguments(1); err != nil {
				return err
			}
			switch {
			case c.json && c.session == "" && !c.stats:
				return c.misused("--json is for --stats and --session")
			case c.all && !c.stats:
				return c.misused("--all is for --stats")
			case c.stats && c.all:
				return withCheckout(c.Context, func(co *checkout.Checkout) error {
					return paged(c.command, co, func() error { return printStats(c, co) })
				})
			}
			if c.session != "" {
				return withCheckout(c.Context, func(co *checkout.Checkout) error {
					return paged(c.command, co, func() error { return printSession(c, co) })
				})
			}
			if c.follow {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return printLog(c, co) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error {
				return paged(c.command, co, func() error { return printLog(c, co) })
			})
		}),
	}
}

// printStats prints what the work took, of all plans or of one.
func printStats(c *logOptions, co *checkout.Checkout) (err error) {
	var pasts []progress.PlanEvents
	if c.all {
		if pasts, err = progress.AllEvents(c.Context, co.Store); err != nil {
			return err
		}
	} else {
		pasts = append(pasts, progress.EventsOfPlan(co.Doc))
	}
	s := progress.Measure(pasts)
	if c.json {
		return views.JSON(c.Out, s)
	}
	return views.Stats(c.Out, terminal.Width(os.Stdout), s)
}

func printLog(c *logOptions, co *checkout.Checkout) error {
	only := ""
	if len(c.args) == 1 {
		step, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		only = step.ID
	}
	switch {
	case c.stats:
		return printStats(c, co)
	case c.follow:
		return followLog(c.command, co, only)
	}
	return views.Log(c.Context, c.Out, co, only, c.patch)
}

// printSession prints a transcript: of the branch's plan, or without one of a
// review.
func printSession(c *logOptions, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		return err
	}
	name := c.session
	if co.Doc != nil {
		if step, ok := co.Doc.Plan.Step(name); ok {
			name = step.ID
		}
	}
	f, err := checkout.OpenTranscript(co, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.json {
		_, err := io.Copy(c.Out, f)
		return err
	}
	return agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		say(c.Out, "%s", visible.Line(p.Heading))
		if p.Text != "" {
			say(c.Out, "    %s", strings.ReplaceAll(strings.TrimRight(visible.Text(p.Text), "\n"), "\n", "\n    "))
		}
	})
}

func printDiff(c *command, co *checkout.Checkout) error {
	before, after, err := versions(c, co)
	if err != nil {
		return err
	}
	change := share.CompareWords(before, after)
	if change == "" && len(c.args) < 2 {
		return printUnchanged(c, co)
	}
	_, err = c.Out.Write([]byte(views.Colors(co).Words(terminal.OnScreen(change))))
	return err
}

// versions returns the two texts to compare.
func versions(c *command, co *checkout.Checkout) (before, after []byte, err error) {
	after = co.Doc.Plan.Source
	if len(c.args) == 0 {
		before, err = integrity.ApprovedMeaning(co.Repo, co.Doc.ID)
		if err != nil || before != nil {
			return before, plan.Meaning(after), err
		}
		before, err = co.Version(c.Context, co.Doc.Events[0].Commit)
		return before, after, err
	}
	if before, err = co.Version(c.Context, c.arg(0)); err == nil && len(c.args) == 2 {
		after, err = co.Version(c.Context, c.arg(1))
	}
	return before, after, err
}

// printUnchanged says that nothing differs, and how to see what a person or a planner changed last: most
// edits are approved as they are typed.
func printUnchanged(c *command, co *checkout.Checkout) error {
	text := "the plan has not changed since then"
	events := co.Doc.Events
	for edit := len(events) - 1; edit > 0; edit-- {
		if events[edit].Kind == journal.Edited || events[edit].Kind == journal.Replanned {
			text += fmt.Sprintf("; the last edit: git plan log --diff ~%d", len(events)-edit)
			break
		}
	}
	say(c.Err, "%s", text)
	return nil
}

// paged shows what a command prints to a terminal in the person's pager.
func paged(c *command, co *checkout.Checkout, print func() error) error {
	configured, set := co.Config.Get("core.pager")
	pager := terminal.Pager(configured, set)
	if pager == "" || !terminal.Is(os.Stdout) || co.Trusted(c.Context) != nil {
		return print()
	}
	return terminal.Page(c.Context, pager, func(w io.Writer) error {
		c.Out = w
		return print()
	})
}

// recent is how many events are shown before the new ones.
const recent = 10

// followLog shows what happens to the plan as it happens, until Ctrl-C.
func followLog(c *command, co *checkout.Checkout, only string) error {
	shown := newView(c, co)
	defer shown.end()
	width := func() int { return terminal.Width(os.Stderr) } // it may change meanwhile
	events := concerning(co.Doc.Events, only)
	for _, e := range events[max(0, len(events)-recent):] {
		views.Event(shown.View.Err, width(), views.Colors(co), co.Branch, e)
	}
	known := map[string]bool{}
	for _, e := range co.Doc.Events {
		known[e.Commit] = true
	}
	if _, alive := journal.Working(co.Repo, co.Doc.ID); !alive {
		terminal.Fold(shown.View.Err, width(), 0, "nothing is working on it now; waiting for a run (Ctrl-C ends this)")
	}
	err := journal.Follow(c.Context, co.Repo, co.Doc.ID, journal.Following{
		Began: func(h journal.Holder) {
			shown.View.Forget()
			terminal.Fold(shown.View.Err, width(), 0, "git plan %s (pid %d) is at work since %s", visible.Line(h.Command), h.PID, h.Since.Local().Format("15:04:05"))
		},
		Notice: func(n journal.Notice) {
			if only == "" || n.Step == "" || n.Step == only {
				shown.View.Show(n)
			}
		},
		Ended: func(died bool) {
			shown.View.Forget()
			if died {
				terminal.Fold(shown.View.Err, width(), 0, "whoever worked on it died; the next command heals what it left (git plan status)")
				return
			}
			terminal.Fold(shown.View.Err, width(), 0, "nothing is working on it now; waiting (Ctrl-C ends this)")
		},
		Changed: func(live bool) error {
			doc, err := co.Store.Load(c.Context, co.Doc.ID)
			if err != nil {
				return err
			}
			for _, e := range doc.Events {
				if !known[e.Commit] && (only == "" || slices.Contains(e.Steps, only)) && !(live && e.By == journal.ByAgent) {
					views.Event(shown.View.Err, width(), views.Colors(co), co.Branch, e)
				}
				known[e.Commit] = true
			}
			return nil
		},
	})
	if err == nil || c.Context.Err() != nil {
		return &exit.Ended{Code: exit.Interrupted}
	}
	return fmt.Errorf("cannot go on following: %w", err)
}

func concerning(events []journal.Event, step string) []journal.Event {
	if step == "" {
		return events
	}
	var out []journal.Event
	for _, e := range events {
		if slices.Contains(e.Steps, step) {
			out = append(out, e)
		}
	}
	return out
}
