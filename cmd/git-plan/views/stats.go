package views

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func Stats(w io.Writer, width int, s progress.Stats) error {
	t := s.Total
	terminal.Fold(w, width, 15, "sessions       %d in %s; work that was kept took %s", t.Sessions,
		atLeast(Seconds(t.Seconds), t.Untimed), Seconds(t.Productive))
	terminal.Fold(w, width, 15, "attempts       %d, %d wasted", t.Attempts, t.Wasted)
	reported := t.Tokens
	reported.Unreported += int64(t.UnknownTokens) // also sessions that reported nothing at all
	terminal.Fold(w, width, 15, "used           %s; %s", reported, money(t))
	terminal.Fold(w, width, 15, "people         waited for %s, at work %s; %s", Seconds(s.Human.Waiting),
		Seconds(s.Human.Acting), visible.Count(s.Approvals, "approval"))
	if t.Mean == nil {
		terminal.Fold(w, width, 15, "interventions  none")
	} else {
		terminal.Fold(w, width, 15, "interventions  %d, one for each %s of work that was kept (mean time between interventions)",
			t.Interventions.Total, Seconds(*t.Mean))
	}
	kinds, rows := []string{"role", "model", "month", "step"}, [][]progress.Row{s.Roles, s.Models, s.Months, s.Steps}
	if len(s.Plans) > 1 {
		kinds[3], rows[3] = "plan", s.Plans
	}
	for i, kind := range kinds {
		cells := [][]string{{"by " + kind, "sessions", "time", "attempts", "tokens", "cost", "interventions"}}
		for _, r := range rows[i] {
			row := StatsCells(r)
			row[5] = strings.TrimPrefix(row[5], "cost ") // its column says that
			cells = append(cells, row)
		}
		if len(cells) == 1 {
			continue
		}
		say(w, "")
		if err := terminal.Table(w, width, cells); err != nil {
			return err
		}
	}
	return nil
}

// StatsCells returns a row of a table of statistics.
func StatsCells(r progress.Row) []string {
	took := atLeast(Seconds(r.Seconds), r.Untimed)
	if r.Untimed > 0 && r.Seconds == 0 {
		took = "unknown"
	}
	all := r.Tokens.In + r.Tokens.Out
	tokens := atLeast(terminal.Thousands(all), r.UnknownTokens)
	if r.UnknownTokens > 0 && all == 0 {
		tokens = "unknown"
	} else if r.WastedTokens > 0 {
		tokens += fmt.Sprintf(", %d%% wasted", max(1, 100*r.WastedTokens/max(1, all)))
	}
	interventions := fmt.Sprint(r.Interventions.Total)
	if r.Mean != nil && *r.Mean > 0 { // otherwise none of its sessions' work was kept
		interventions += ", every " + Seconds(*r.Mean)
	}
	return []string{visible.Line(r.Name), fmt.Sprint(r.Sessions), took, fmt.Sprint(r.Attempts), tokens, money(r),
		interventions}
}

func atLeast(text string, unknown int) string {
	if unknown > 0 {
		return ">=" + text
	}
	return text
}

func money(r progress.Row) string {
	if r.CostUSD == nil {
		return "cost unknown"
	}
	return atLeast(agent.Cost{USD: *r.CostUSD, Known: true}.String(), r.UnknownCost)
}

// Seconds writes a time for people: 45s, 10m25s.
func Seconds(n int64) string { return (time.Duration(n) * time.Second).String() }
