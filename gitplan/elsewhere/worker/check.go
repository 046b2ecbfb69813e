package worker

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/site"
)

// check runs the commands of a job, in the sandbox and without the keys of this machine, up to the
// first that does not pass.
func (w *worker) check(ctx context.Context, r *room, job wire.Work) error {
	c := r.Checks(job.Session.ID, journal.Notice{}, r.Config.Environment(nil))
	c.Dir, c.Timeout = r.files.Top, job.Timeout
	var err error
	if c.Confine, err = r.confined(r.Confine(ctx, r.files.Top)); err != nil {
		return w.Send(wire.Result, agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()})
	}
	for n, line := range job.Checks {
		ended := wire.Ended{N: n}
		c.Keep = func(_ string, exit proc.Exit, output string) {
			ended.Code, ended.TimedOut, ended.Flooded, ended.Output = exit.Code, exit.TimedOut, exit.Flooded, output
		}
		var failed *site.CheckFailure
		if err := c.Run(ctx, []string{line}); err != nil && !errors.As(err, &failed) {
			return err
		}
		s, err := worktree.ReadStatus(ctx, r.files)
		if err != nil {
			return err
		}
		if !s.Clean() {
			ended.Changed = s.Paths()
		}
		ended = ended.Tidy()
		if err := w.Send(wire.Checked, ended); err != nil {
			return err
		}
		if !ended.Passed() {
			break
		}
	}
	return w.Send(wire.Result, agent.Result{Status: agent.Done})
}
