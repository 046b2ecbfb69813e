package work

import (
	"context"
	"errors"
	"slices"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/site"
)

// RunChecks runs the checks of a task: a session's as check does, a person's own
// work as VerifyAsPerson does. Those that a person accepted as failing come last, and may fail.
func (a *Attempt) RunChecks(ctx context.Context) error {
	required := slices.DeleteFunc(slices.Clone(a.t.Checks), a.t.mayFail)
	err := a.runCommands(ctx, required)
	if a.noteMissing(err); err != nil {
		return err
	}
	a.lenient = map[string]bool{}
	for _, command := range a.t.Checks {
		if !a.t.mayFail(command) {
			continue
		}
		err := a.runCommands(ctx, []string{command})
		var failed *site.CheckFailure
		if err != nil && (ctx.Err() != nil || !errors.As(err, &failed)) {
			return err
		}
		a.lenient[command] = err == nil
	}
	return nil
}

func (a *Attempt) runCommands(ctx context.Context, commands []string) error {
	if a.t.Agent == nil {
		return a.w.PersonsChecks(a.t.Name, journal.Notice{Step: a.t.Name}).Run(ctx, commands)
	}
	return a.p.Check(ctx, a.t.Name, journal.About(a.t.Name, a.t.Role, a.try.N), commands, a.keepCheck)
}

// noteMissing notes that a check failed because its program is nowhere on PATH: no session can
// install that, so none follows.
func (a *Attempt) noteMissing(err error) {
	a.missing = ""
	var f *site.CheckFailure
	if errors.As(err, &f) && (f.Exit.Code == notRunnable || f.Exit.Code == notFound) {
		a.missing = MissingProgram(f.Command, a.w.Repo.Top)
		f.Missing = a.missing
	}
}
