package gitplan

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// LeaveOutReview records that a person leaves out the verification and the review of a finished
// plan, once for each commit. Before the plan is finished it does nothing.
func (s *Steps) LeaveOutReview(ctx context.Context) error {
	if !s.Progress.Complete() {
		return nil
	}
	head, err := s.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if at, ok := progress.Unreviewed(s.Doc.Events); ok && at == head {
		return nil
	}
	return s.Store.Apply(ctx, s.Doc, s.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Unreviewed, Head: head, By: journal.ByPerson, Reason: "--no-review: neither verified nor reviewed",
	}})
}
