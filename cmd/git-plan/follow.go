package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// recent is how many events are shown before what is followed.
const recent = 10

// followLog shows what happens to the plan as it happens, until Ctrl-C.
func followLog(c *cli.Context, co *gitplan.Checkout, only string) error {
	shown := newView(c)
	defer shown.end()
	width := func() int { return widthOf(os.Stderr) } // it may change meanwhile
	events := concerning(co.Doc.Events, only)
	for _, e := range events[max(0, len(events)-recent):] {
		tellEvent(shown.people, width(), co.Branch, e)
	}
	known := map[string]bool{}
	for _, e := range co.Doc.Events {
		known[e.Commit] = true
	}
	if _, alive := journal.Working(co.Repo, co.Doc.ID); !alive {
		tell(shown.people, width(), 0, "nobody works on it now; waiting until somebody does (Ctrl-C ends this)")
	}
	err := journal.Follow(c.Context, co.Repo, co.Doc.ID, journal.Following{
		Began: func(h journal.Holder) {
			shown.reset()
			tell(shown.people, width(), 0, "git plan %s (pid %d) is at work since %s", clean(h.Command), h.PID, h.Since.Local().Format("15:04:05"))
		},
		Told: func(n journal.Notice) {
			if only == "" || n.Step == "" || n.Step == only {
				shown.show(n)
			}
		},
		Ended: func(died bool) {
			shown.reset()
			if died {
				tell(shown.people, width(), 0, "whoever worked on it died; the next command heals what it left (git plan status)")
				return
			}
			tell(shown.people, width(), 0, "nobody works on it now; waiting (Ctrl-C ends this)")
		},
		Changed: func(live bool) error {
			doc, err := co.Store.Load(c.Context, co.Doc.ID)
			if err != nil {
				return err
			}
			for _, e := range doc.Events {
				if !known[e.Commit] && (only == "" || slices.Contains(e.Steps, only)) && !(live && e.By == journal.ByAgent) {
					tellEvent(shown.people, width(), co.Branch, e)
				}
				known[e.Commit] = true
			}
			return nil
		},
	})
	if err == nil || c.Context.Err() != nil {
		return &ended{code: exitInterrupted}
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
