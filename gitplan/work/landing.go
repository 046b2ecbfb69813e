package work

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
)

// land takes the turn at the work tree, and returns the tree to commit now: the one that passed,
// or if others have committed since the attempt began, the same on top of that, once that has
// passed as well; "" if it has not. The first time others may land while it is judged; the second
// time they wait, so that this ends. They may begin at any time.
func (a *Attempt) land(ctx context.Context, tree string, left *place.Leftover) (string, error) {
	for again := false; ; again = true {
		a.lands()
		if !a.t.comesOnTop(a.p, a.w.Turn) || a.t.passed(a.try) {
			return tree, nil
		}
		head, err := a.p.Moved(ctx)
		if err != nil || head == "" {
			return tree, err
		}
		if again {
			a.w.Turn.Aside()
		} else {
			a.w.Turn.Give()
		}
		if err := a.p.Rebase(ctx, a.watch.Setup, head, tree, a.message()); err != nil {
			return "", err
		}
		a.accepted = ""
		a.w.Report(journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepNote, "is rebased onto newer commits and checked again"))
		if tree, err = a.toCommit(ctx, left); err != nil || tree == "" {
			if err == nil && a.out.Status == agent.Failed && a.out.SetupChanged == nil {
				err = a.p.MovedOn() // a fresh session in a fresh clone learns of it
			}
			return "", err
		}
	}
}

// comesOnTop reports whether what others commit meanwhile does not end the task: a step of several
// at work, or in a clone, where a person may go on working. In the tree itself they would be in each
// other's way; what a review's fixer did is for the commit that was reviewed.
func (t Task) comesOnTop(p *place.Place, turn *Turn) bool {
	return turn != nil || p.Apart() && t.Role == agent.Executor
}

// lands takes the turn at the work tree, and reports that others land first.
func (a *Attempt) lands() {
	if a.w.Turn == nil {
		return
	}
	n := journal.About(a.t.Name, a.t.Role, a.try.N).Of(journal.StepLands, "")
	if !a.w.Turn.TryLand() {
		n.Reason = "waits until others are committed"
		a.w.Report(n)
		a.w.Turn.Land()
	}
	n.Reason = ""
	a.w.Report(n)
}
