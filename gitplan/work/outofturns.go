package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/place"
)

// mayBeDone reports whether what a session left is judged although the session did not say that
// it is done. That is so only for a step's session whose turns were used up in the midst of its
// work, and only if a check can prove the work. It is not for one that says that it failed or asks,
// that was refused, interrupted or too slow, or whose provider failed: those leave half a work more
// often than not. Nor for a fixer, which has to say what became of each finding.
func (a *Attempt) mayBeDone(r agent.Result) bool {
	return r.Status == agent.Failed && r.OutOfTurns && a.t.Role == agent.Executor &&
		slices.ContainsFunc(a.t.Checks, func(command string) bool { return !a.t.mayFail(command) })
}

// judgeUnsaid judges what such a session left just as if it had said done, but that it must have
// changed something. The commit has the subject of the task.
func (a *Attempt) judgeUnsaid(ctx context.Context, left *place.Leftover) error {
	a.t.Unchanged = false
	err := a.Judge(ctx, left)
	why := a.out.Result.Reason
	switch {
	case err != nil:
	case a.out.Status == agent.Done:
		a.out.Reported = append(a.out.Reported, why+": it did not say that it is done, but the checks pass")
	case !strings.HasPrefix(a.out.Reason, why):
		a.out.Reason = fmt.Sprintf("%s; %s", why, a.out.Reason)
	}
	return err
}
