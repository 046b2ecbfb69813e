package checkout

import (
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Unwitnessed returns the events since the last one that this clone wrote or fetched, oldest
// first.
func (c *Checkout) Unwitnessed() []journal.Event {
	tips := journal.WitnessedTips(c.Repo, c.Doc.ID)
	known := func(e journal.Event) bool { return slices.Contains(tips, e.Commit) }
	for i := len(c.Doc.Events) - 1; i >= 0; i-- {
		if known(c.Doc.Events[i]) {
			return c.Doc.Events[i+1:]
		}
	}
	return c.Doc.Events
}

// Witness trusts the plan's chain as it is: a person was shown its events.
func (c *Checkout) Witness() error { return journal.Witness(c.Repo, c.Doc.ID, "", c.Doc.Tip) }

// requireWitnessed returns ErrUnapproved if this clone neither wrote nor fetched some events.
func (c *Checkout) requireWitnessed() error {
	strange := c.Unwitnessed()
	if len(strange) == 0 {
		return nil
	}
	last := strange[len(strange)-1]
	events := "1 event of the plan was"
	if len(strange) > 1 {
		events = fmt.Sprintf("%d events of the plan were", len(strange))
	}
	return fault.New(fault.ErrUnapproved, "%s not written or fetched by git plan in this clone; the last is: %s", events, last.Said())
}
