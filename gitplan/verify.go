package gitplan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
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

// check runs commands that judge the work of a session: in its environment and
// sandbox, since they run what it wrote.
func (p *Place) check(ctx context.Context, name string, of journal.Notice, commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	c, err := p.confined(ctx, name, of)
	if err != nil {
		return err
	}
	return c.Run(ctx, commands)
}

func (p *Place) confined(ctx context.Context, name string, of journal.Notice) (c Checks, err error) {
	c = p.checks(name, of, p.Config.Environment(nil))
	c.Confine, err = p.confine(ctx, c.Dir)
	return c, err
}

// judged runs the checks of a task: a session's as check does, a person's own
// work as VerifyAsPerson does.
func (w *Worker) judged(ctx context.Context, t Task) error {
	if t.Agent == nil {
		return w.personsChecks(t.Name, journal.Notice{Step: t.Name}).Run(ctx, t.Checks)
	}
	return w.check(ctx, t.Name, journal.About(t.Name, t.Role, w.trying), t.Checks)
}

func (p *Place) personsChecks(name string, of journal.Notice) Checks {
	c := p.checks(name, of, p.Config.PersonsEnvironment())
	c.Whole = true // an error says one line of it
	return c
}

func (p *Place) checks(name string, of journal.Notice, env []string) Checks {
	timeout, err := p.Config.Duration("plan.checkTimeout")
	if err != nil {
		timeout = 10 * time.Minute
	}
	env = append(env, proc.Mark(name+"-check-"+setup.Random(4)))
	return Checks{Dir: p.tree().Top, Env: env, Timeout: timeout, On: p.Tell, About: of}
}

// explain gives a failed check's output to whoever must mend it.
func explain(err error) error {
	var f *CheckFailure
	if errors.As(err, &f) && f.Output != "" {
		return fmt.Errorf("%s\n%s", f.Error(), f.Output)
	}
	return err
}
