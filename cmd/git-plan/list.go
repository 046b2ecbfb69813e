package main

import (
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the plans of the repository",
		Description: "One line for each plan: its branch (* is this one), progress, state, the time of its\n" +
			"last event, and its id. For the plan of this branch progress is derived from the\n" +
			"commits, as in git plan status; for others it is as last recorded.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, printList) })
		},
	}
}

func printList(c *cli.Context, co *checkout.Checkout) error {
	plans, err := co.Plans(c.Context)
	if err != nil {
		return err
	}
	own, ok := co.PlanID(c.Context)
	var at *standing.Plan
	if ok && co.Load(c.Context) == nil {
		at, _ = standing.Of(c.Context, co) // if its review cannot be read, without that
	}
	var rows [][]string
	for _, p := range plans {
		here := " "
		if p.ID == own {
			here = "*"
			if at != nil {
				p.Done, p.Total, p.State = at.Progress.Done, at.Progress.Total, string(at.State)
			}
		}
		progress := fmt.Sprintf("%d/%d", p.Done, p.Total)
		if p.Total == 0 {
			progress = "-"
		}
		state := p.State
		if why := views.Away(p); why != "" {
			state += ", " + why
		}
		rows = append(rows, []string{here + " " + visible.Line(p.Branch), progress, state, ago(time.Since(p.Time)), visible.Line(p.ID)})
	}
	return terminal.Table(c.App.Writer, terminal.Width(os.Stdout), nil, rows)
}

// ago returns an age as git words it.
func ago(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{
		{365 * 24 * time.Hour, "year"}, {30 * 24 * time.Hour, "month"}, {7 * 24 * time.Hour, "week"},
		{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"},
	} {
		if d >= u.size {
			return terminal.Count(int(d/u.size), u.name) + " ago"
		}
	}
	return terminal.Count(max(int(d/time.Second), 0), "second") + " ago"
}
