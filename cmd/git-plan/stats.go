package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "time, tokens, cost, attempts, and how often a person had to step in",
		Description: "The mean time between interventions is the time of the sessions whose work was kept over\n" +
			"the number of interventions: answers to questions, unsticking, corrections and retries by\n" +
			"hand. What a person does to the plan between two sessions, or to the code after a review that\n" +
			"ended with findings, is one intervention. Approvals are counted apart. What nobody told, such\n" +
			"as the tokens of many agents, is unknown, not zero.\n" +
			"\n" +
			"Work waits for people from an agent's end that wants one, such as a plan to approve or a step\n" +
			"that is blocked, to the next command of a person. Seen at work is the time between commands\n" +
			"that are at most 30 minutes apart, and that of steps open by git plan next.\n" +
			"gitplan-statistics(7) says how each number is counted.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "of all plans of the repository"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if c.Bool("all") {
				return withCheckout(c.Context, func(co *gitplan.Checkout) error { return paged(c, co, statsOfAll) })
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return paged(c, co, statsOfOne) })
		},
	}
}

func statsOfOne(c *cli.Context, co *gitplan.Checkout) error {
	return stats(c, co, []progress.Past{progress.PastOf(co.Doc)})
}

func statsOfAll(c *cli.Context, co *gitplan.Checkout) error {
	pasts, err := progress.Pasts(c.Context, co.Store)
	if err != nil {
		return err
	}
	return stats(c, co, pasts)
}

func stats(c *cli.Context, co *gitplan.Checkout, pasts []progress.Past) error {
	s := progress.Measure(pasts)
	if c.Bool("json") {
		return writeJSON(c.App.Writer, s)
	}
	return tellStats(c.App.Writer, terminal.Width(os.Stdout), s)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func tellStats(w io.Writer, width int, s progress.Stats) error {
	t := s.Total
	terminal.Fold(w, width, 15, "sessions       %d in %s, %s of it productive", t.Sessions, atLeast(seconds(t.Seconds), t.Untimed), seconds(t.Productive))
	terminal.Fold(w, width, 15, "attempts       %d, %d of them wasted", t.Attempts, t.Wasted)
	terminal.Fold(w, width, 15, "used           %s; %s", used(t), money(t))
	terminal.Fold(w, width, 15, "planning       %s of the time, %s of the tokens", percent(s.Planning.Time), percent(s.Planning.Tokens))
	if e := s.Estimates; e.Steps > 0 {
		terminal.Fold(w, width, 15, "estimates      %s for %s that took %s", seconds(e.Estimated), terminal.Count(e.Steps, "step"), seconds(e.Actual))
	}
	terminal.Fold(w, width, 15, "people         work waited %s for them; seen at work for %s; %s", seconds(s.Human.Waiting), seconds(s.Human.Acting), terminal.Count(s.Approvals, "approval"))
	terminal.Fold(w, width, 15, "interventions  %s", interventions(t.Interventions))
	if t.Mean != nil {
		terminal.Fold(w, width, 15, "               every %s of productive sessions", seconds(*t.Mean))
	}
	groups := []struct {
		name string
		rows []progress.Row
	}{{"role", s.Roles}, {"model", s.Models}, {"step", s.Steps}, {"month", s.Months}}
	if len(s.Plans) > 1 {
		groups = append(groups, struct {
			name string
			rows []progress.Row
		}{"plan", s.Plans})
	}
	for _, g := range groups {
		if len(g.rows) == 0 {
			continue
		}
		say(w, "")
		head := []string{"by " + g.name, "sessions", "time", "attempts", "wasted", "tokens", "cost", "interventions", "mean time between"}
		if err := terminal.Table(w, width, head, cells(g.rows, len(s.Plans) > 1)); err != nil {
			return err
		}
	}
	return nil
}

// cells are the rows as text, named with their plans where there are several.
func cells(rows []progress.Row, plans bool) (out [][]string) {
	for _, r := range rows {
		name := visible.Line(r.Name)
		if r.Plan != "" && plans {
			name = r.Plan + "/" + name
		}
		mean := "-"
		if r.Mean != nil {
			mean = seconds(*r.Mean)
		}
		out = append(out, []string{name, fmt.Sprint(r.Sessions), timed(r),
			fmt.Sprint(r.Attempts), fmt.Sprint(r.Wasted), tokens(r), money(r), fmt.Sprint(r.Interventions.Total), mean})
	}
	return out
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

func interventions(n progress.Interventions) string {
	if n.Total == 0 {
		return "none"
	}
	var kinds []string
	for _, k := range []struct {
		n         int
		one, more string
	}{{n.Answers, "answer", "answers"}, {n.Unsticking, "unsticking", "unsticking"}, {n.Corrections, "correction", "corrections"}, {n.Retries, "retry", "retries"}} {
		if k.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.n, map[bool]string{true: k.one, false: k.more}[k.n == 1]))
		}
	}
	return fmt.Sprintf("%d: %s", n.Total, strings.Join(kinds, ", "))
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}

// seconds is a time in two units at most, from seconds to days.
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
