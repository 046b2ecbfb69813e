package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

type logOptions struct {
	*command
	session                        string
	follow, diff, stats, all, json bool
	most                           int
}

func logCommand(with *command) *cli.Command {
	c := &logOptions{command: with, most: -1}
	c.option(&c.session, "session", "print the transcript of session `ID`, or of the last one at a step")
	c.option(&c.most, "n", "show only the newest `N`")
	c.option(&c.follow, "f, follow", "follow what happens, until Ctrl-C")
	c.option(&c.diff, "diff", "show how the plan changed: --diff [<version> [<version>]]")
	c.option(&c.stats, "stats", "show what the work took")
	c.option(&c.all, "all", "with --stats: for all plans of the repository")
	c.option(&c.json, "json", "with --stats: one JSON object; with --session: its lines as stored")
	return c.define("log", "[<step>]", "show what happened to the plan, newest first",
		c.inRepo(2, func(co *checkout.Checkout) error {
			switch {
			case len(c.args) > 1 && !c.diff:
				return c.misused("log takes at most one argument")
			case c.json && c.session == "" && !c.stats:
				return c.misused("--json is for --stats and --session")
			case c.all && !c.stats:
				return c.misused("--all is for --stats")
			}
			err := co.Load(c.Context)
			if none := errors.Is(err, fault.ErrNoPlan); err != nil && !(none && (c.all || c.session != "")) {
				return err
			}
			if c.follow {
				return printLog(c, co)
			}
			return paged(c.command, co, func() error {
				switch {
				case c.diff:
					return printDiff(c.command, co)
				case c.session != "":
					return printSession(c, co)
				case c.stats:
					return printStats(c, co)
				}
				return printLog(c, co)
			})
		}))
}

func printStats(c *logOptions, co *checkout.Checkout) (err error) {
	var pasts []progress.PlanEvents
	if c.all {
		if pasts, err = progress.AllEvents(c.Context, co.Store); err != nil {
			return err
		}
	} else {
		pasts = append(pasts, progress.PlanEvents{Plan: co.Doc.ID, Branch: co.Doc.Plan.Branch, Events: co.Doc.Events})
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
	if c.follow {
		return followLog(c.command, co, only)
	}
	if only != "" && !slices.ContainsFunc(co.Doc.Events, func(e journal.Event) bool { return slices.Contains(e.Steps, only) }) {
		say(c.Err, "nothing happened to step %s yet; what it is: git plan show %s", only, only)
	}
	views.Log(c.Out, co, only, c.most)
	return nil
}

// printSession prints a transcript of the plan, or without one of a review.
func printSession(c *logOptions, co *checkout.Checkout) error {
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
	return printTranscript(c.Out, f, "")
}

// printTranscript prints the parts of a transcript, but those under one heading.
func printTranscript(w io.Writer, f io.Reader, but string) error {
	return agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		if p.Heading == but {
			return
		}
		say(w, "%s", p.Heading)
		if p.Text != "" {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(strings.TrimRight(visible.Text(p.Text), "\n"), "\n", "\n    "))
		}
	})
}

// printWork prints what is not committed yet: in the work tree, and in the clone of each step.
func printWork(ctx context.Context, w io.Writer, color string) error {
	return withRepository(ctx, func(co *checkout.Checkout) error {
		any := false
		id, _ := co.PlanID(ctx)
		for _, task := range checkout.Tasks(co.Repo, id) {
			r := co.Repo
			if top, gitDir, err := task.Clone(); err == nil {
				if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil {
					r = r.WithFiles(top, gitDir)
					defer r.Close()
				}
			}
			if step := task.State().Name; step != "" {
				say(w, "%s:", step)
			}
			differ, err := worktree.Diff(ctx, r, w, color)
			if err != nil {
				return err
			}
			any = any || differ
		}
		if !any {
			say(w, "nothing is changed yet")
		}
		return nil
	})
}

func printSessions(ctx context.Context, w io.Writer, names []string) error {
	return withRepository(ctx, func(co *checkout.Checkout) error {
		_ = co.LoadToRead(ctx) // there may be no plan yet
		for _, name := range names {
			say(w, "%s:", name)
			f, err := checkout.OpenTranscript(co, name)
			if err != nil {
				return err
			}
			defer f.Close()
			if err := printTranscript(w, f, "prompt"); err != nil {
				return err
			}
		}
		return nil
	})
}

func printDiff(c *command, co *checkout.Checkout) (err error) {
	var before []byte
	after := co.Doc.Plan.Source
	if len(c.args) > 0 {
		before, err = co.Version(c.Context, c.arg(0))
	} else if before, err = integrity.ApprovedMeaning(co.Repo, co.Doc.ID); before != nil {
		after = plan.Meaning(after)
	} else if err == nil {
		before, err = co.Version(c.Context, co.Doc.Events[0].Commit)
	}
	if err == nil && len(c.args) == 2 {
		after, err = co.Version(c.Context, c.arg(1))
	}
	if err != nil {
		return err
	}
	change := share.CompareWords(before, after)
	if change == "" && len(c.args) < 2 {
		say(c.Err, "the plan is unchanged")
		return nil
	}
	_, err = c.Out.Write([]byte(views.Colors(co, os.Stdout).Words(terminal.OnScreen(change))))
	return err
}

// paged shows what a command prints to a terminal in the person's pager.
func paged(c *command, co *checkout.Checkout, print func() error) error {
	configured, set := co.Config.Get("core.pager")
	pager := terminal.Pager(configured, set)
	if pager == "" || !terminal.Is(os.Stdout) || integrity.Trusted(c.Context, co.Repo) != nil {
		return print()
	}
	return terminal.Page(c.Context, pager, func(w io.Writer) error {
		c.Out = w
		return print()
	})
}

func followLog(c *command, co *checkout.Checkout, only string) error {
	shown := newLive(c, co, false)
	defer shown.end()
	// the width may change meanwhile
	tell := func(format string, args ...any) { terminal.Fold(c.Err, terminal.Width(os.Stderr), 0, format, args...) }
	show := func(e journal.Event) {
		views.Event(c.Err, terminal.Width(os.Stderr), views.Colors(co, os.Stderr), co, e)
	}
	known := map[string]bool{}
	var events []journal.Event
	for _, e := range co.Doc.Events {
		known[e.Commit] = true
		if only == "" || slices.Contains(e.Steps, only) {
			events = append(events, e)
		}
	}
	for _, e := range events[max(0, len(events)-10):] {
		show(e)
	}
	if _, alive := journal.Working(co.Repo, co.Doc.ID); !alive {
		tell("nothing works on it now; waiting for a run (Ctrl-C ends this)")
	}
	err := journal.Follow(c.Context, co.Repo, co.Doc.ID, journal.Following{
		Began: func(h journal.Holder) {
			shown.View.Forget()
			tell("git plan %s (pid %d) is at work since %s", h.Command, h.PID, h.Since.Local().Format("15:04:05"))
		},
		Notice: func(n journal.Notice) {
			if only == "" || n.Step == "" || n.Step == only {
				shown.View.Show(n)
			}
		},
		Ended: func() {
			shown.View.Forget()
			tell("nothing works on it now; waiting (Ctrl-C ends this)")
		},
		Changed: func(live bool) error {
			doc, err := co.Store.Load(c.Context, co.Doc.ID)
			if err != nil {
				return err
			}
			for _, e := range doc.Events {
				if !known[e.Commit] && (only == "" || slices.Contains(e.Steps, only)) && !(live && e.By == journal.ByAgent) {
					show(e)
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
