package prove

import (
	"context"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/work"
)

// require ends the acceptance of a check, since it passes.
func require(ctx context.Context, s *site.Site, command string) error {
	return s.Store.Apply(ctx, s.Doc, s.Branch, journal.Change{Event: journal.Event{Kind: journal.Required, Check: journal.NameOfCheck(command), By: journal.ByAgent}})
}

// Done notes how the checks of a step that is done ended, for the next step, and requires from
// now on those that pass.
func Done(ctx context.Context, s *site.Site, step *plan.Step, out work.Outcome) error {
	var proofs []site.Proof
	for _, command := range plan.Commands(step.Checks) {
		proofs = append(proofs, site.Proof{Tree: out.Tree, Where: where(s.Checkout), Command: command, Tested: out.Tested[command]})
	}
	for _, command := range plan.Commands(s.Doc.Plan.Checks) {
		p := site.Proof{Tree: out.Tree, Where: where(s.Checkout), Command: command, Tested: out.Tested[command]}
		switch passes, accepted := out.Accepted[command]; {
		case accepted && passes:
			if err := require(ctx, s, command); err != nil {
				return err
			}
		case accepted:
			p.Exit.Code, p.Why = 1, fmt.Sprintf("`%s` failed after the last step", command)
		}
		proofs = append(proofs, p)
	}
	if out.Tree == "" { // after a crash nothing but the commit is known
		return nil
	}
	return s.Prove(proofs)
}
