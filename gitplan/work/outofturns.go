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
// it is done: only if it is a step's session that ran out of turns in the middle of its work, and
// a check can prove the work. It is not judged if the session said that it failed, asked, was
// refused, interrupted or too slow, or if its provider failed: those usually leave half of the
// work. Nor is a fixer's, which has to say what became of each finding.
func (a *Attempt) mayBeDone(r agent.Result) bool {
	return r.Status == agent.Failed && r.OutOfTurns && a.t.Role == agent.Executor &&
		slices.ContainsFunc(a.t.Checks, func(command string) bool { return !a.t.mayFail(command) })
}

// judgeUnsaid judges what such a session left as if it had said done, except that it must have
// changed something. The commit has the subject of the task.
func (a *Attempt) judgeUnsaid(ctx context.Context, left *place.Leftover) error {
	a.t.Unchanged = false
	err := a.Judge(ctx, left)
	why := a.out.Result.Reason
	switch {
	case err != nil:
	case a.out.Status == agent.Done:
		a.out.Reported = append(a.out.Reported, why+": it never reported that it was done, but the checks pass")
	case !strings.HasPrefix(a.out.Reason, why):
		a.out.Reason = fmt.Sprintf("%s; %s", why, a.out.Reason)
	}
	return err
}
