package gitplan

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// LeaveOutReview records that a person has the verification and the review of a finished plan left
// out, once for each commit. It does nothing before the plan is finished.
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
