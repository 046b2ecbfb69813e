package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "show time, tokens, cost, attempts and interventions",
		Description: "An intervention is what a person does to the plan between two sessions once work has\n" +
			"begun, such as answering, editing, reopening or skipping a step, or fixing by hand what\n" +
			"a review could not. Approvals are not interventions. The mean time between interventions\n" +
			"is the time of the sessions whose work was kept, divided by their number. What an agent\n" +
			"does not report, such as tokens, is unknown, not zero. gitplan-statistics(7) defines\n" +
			"each number.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "for all plans of the repository"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if c.Bool("all") {
				return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, statsOfAll) })
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return paged(c, co, statsOfOne) })
		},
	}
}

func statsOfOne(c *cli.Context, co *checkout.Checkout) error {
	return stats(c, co, []progress.Past{progress.PastOf(co.Doc)})
}

func statsOfAll(c *cli.Context, co *checkout.Checkout) error {
	pasts, err := progress.Pasts(c.Context, co.Store)
	if err != nil {
		return err
	}
	return stats(c, co, pasts)
}

func stats(c *cli.Context, co *checkout.Checkout, pasts []progress.Past) error {
	s := progress.Measure(pasts)
	if c.Bool("json") {
		return writeJSON(c.App.Writer, s)
	}
	return printStats(c.App.Writer, terminal.Width(os.Stdout), s)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func printStats(w io.Writer, width int, s progress.Stats) error {
	t := s.Total
	terminal.Fold(w, width, 15, "sessions       %d in %s, %s of it productive", t.Sessions, atLeast(seconds(t.Seconds), t.Untimed), seconds(t.Productive))
	terminal.Fold(w, width, 15, "attempts       %d, %d of them wasted", t.Attempts, t.Wasted)
	terminal.Fold(w, width, 15, "used           %s; %s", used(t), money(t))
	terminal.Fold(w, width, 15, "people         work waited %s for them; seen at work for %s; %s", seconds(s.Human.Waiting), seconds(s.Human.Acting), terminal.Count(s.Approvals, "approval"))
	if t.Mean == nil {
		terminal.Fold(w, width, 15, "interventions  none")
	} else {
		terminal.Fold(w, width, 15, "interventions  %d, on average every %s of productive sessions", t.Interventions.Total, seconds(*t.Mean))
	}
	if err := tableOf(w, width, "role", s.Roles); err != nil {
		return err
	}
	return tableOf(w, width, "model", s.Models)
}

// tableOf prints the rows of one kind.
func tableOf(w io.Writer, width int, kind string, rows []progress.Row) error {
	if len(rows) == 0 {
		return nil
	}
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{visible.Line(r.Name), fmt.Sprint(r.Sessions), timed(r), fmt.Sprint(r.Attempts), tokens(r), money(r), fmt.Sprint(r.Interventions.Total)})
	}
	say(w, "")
	return terminal.Table(w, width, []string{"by " + kind, "sessions", "time", "attempts", "tokens", "cost", "interventions"}, cells)
}

// atLeast marks what is a lower bound.
func atLeast(text string, unknown int) string {
	if unknown > 0 {
		return ">=" + text
	}
	return text
}

func timed(r progress.Row) string {
	if r.Untimed > 0 && r.Seconds == 0 {
		return "unknown"
	}
	return atLeast(seconds(r.Seconds), r.Untimed)
}

func used(r progress.Row) string {
	text := r.Tokens.String()
	if r.UnknownTokens > 0 && r.Tokens.Unreported == 0 {
		text = "at least " + text
	}
	if r.UnknownTokens == r.Sessions && r.Tokens.In+r.Tokens.Out == 0 && r.Sessions > 0 {
		text = "tokens unknown"
	}
	return text
}

func tokens(r progress.Row) string {
	if r.UnknownTokens > 0 && r.Tokens.In+r.Tokens.Out == 0 {
		return "unknown"
	}
	return atLeast(fmt.Sprint(r.Tokens.In+r.Tokens.Out), r.UnknownTokens)
}

func money(r progress.Row) string {
	if r.CostUSD == nil {
		return "cost unknown"
	}
	return atLeast(agent.Cost{USD: *r.CostUSD, Known: true}.String(), r.UnknownCost)
}

// seconds returns a time in two units at most, from seconds to days.
func seconds(n int64) string {
	units := []struct {
		size int64
		name string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}}
	for i, u := range units {
		if n < u.size {
			continue
		}
		text := fmt.Sprintf("%d%s", n/u.size, u.name)
		if rest := n % u.size; i < 3 && rest >= units[i+1].size {
			text += fmt.Sprintf("%d%s", rest/units[i+1].size, units[i+1].name)
		}
		return text
	}
	return "0s"
}
