package progress

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Manual is a criterion of the plan's Verification that no command decides: a person checks
// it, and says so.
type Manual struct {
	N      int    `json:"n"` // its place among them, from 1
	ID     string `json:"id"`
	Text   string `json:"text"`
	Commit string `json:"commit"` // that the branch was at when it was found to hold; "" if it was not yet
}

// manualID bounds the id of a manual check, in bytes.
const manualID = 40

// Manuals returns what a person is to check, in the plan's order. Whoever rewords one has to
// check it again.
func Manuals(p *plan.Plan, events []journal.Event) []Manual {
	confirmed := map[string]string{}
	for _, e := range events {
		if e.Kind == journal.Confirmed && e.By == journal.ByPerson {
			confirmed[e.Check] = e.Head
		}
	}
	var out []Manual
	used := map[string]int{}
	for i, c := range plan.Criteria(p.Verification) {
		m := Manual{N: i + 1, ID: markdown.Slug(c.Text, manualID), Text: c.Text, Commit: confirmed[journal.NameOfCheck(c.Text)]}
		if used[m.ID]++; used[m.ID] > 1 {
			m.ID = fmt.Sprintf("%s-%d", m.ID, used[m.ID])
		}
		out = append(out, m)
	}
	return out
}
