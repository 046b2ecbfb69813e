package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

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
