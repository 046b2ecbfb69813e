package work

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Verify runs commands of the plan on the tree as it is, in the place and the sandbox of a
// session: what it finds is what the next session finds.
func (w *Worker) Verify(ctx context.Context, at *place.Place, commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	here, leave, err := at.Enter(ctx, agent.Fixer)
	if err != nil {
		return err
	}
	defer func() {
		leave()
		place.DiscardClone(w.Checkout)
	}()
	return here.Check(ctx, "verify", journal.Notice{Round: new(int)}, commands, nil)
}

// VerifyAsPerson runs commands of the plan as the person who asks would type them.
func (w *Worker) VerifyAsPerson(ctx context.Context, commands []string) error {
	return w.PersonsChecks("verify", journal.Notice{}).Run(ctx, commands)
}

// explain shows a failed check's output to whoever must fix it.
func explain(err error) error {
	var f *site.CheckFailure
	if errors.As(err, &f) && f.Output != "" {
		return fmt.Errorf("%s\n%s", f.Error(), f.Output)
	}
	return err
}
