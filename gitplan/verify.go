package gitplan

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Verify runs commands of the plan on the tree as it is, where and as a session
// would: what it finds is what the next session finds.
func (w *Worker) Verify(ctx context.Context, commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	before := w.before
	leave, err := w.enter(ctx)
	if err != nil {
		return err
	}
	defer func() {
		leave()
		w.discardClone()
		w.before = before
	}()
	return w.check(ctx, "verify", journal.Notice{Round: new(int)}, commands)
}

// VerifyAsPerson runs commands of the plan as the person who asks would type them.
func (w *Worker) VerifyAsPerson(ctx context.Context, commands []string) error {
	return w.personsChecks("verify", journal.Notice{}).Run(ctx, commands)
}

// judged runs the checks of a task: a session's as check does, a person's own
// work as VerifyAsPerson does.
func (w *Worker) judged(ctx context.Context, t Task) error {
	if t.Agent == nil {
		return w.personsChecks(t.Name, journal.Notice{Step: t.Name}).Run(ctx, t.Checks)
	}
	return w.check(ctx, t.Name, journal.About(t.Name, t.Role, w.trying), t.Checks)
}

// explain gives a failed check's output to whoever must mend it.
func explain(err error) error {
	var f *CheckFailure
	if errors.As(err, &f) && f.Output != "" {
		return fmt.Errorf("%s\n%s", f.Error(), f.Output)
	}
	return err
}
