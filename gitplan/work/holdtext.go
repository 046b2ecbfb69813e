package work

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// HoldText keeps the plan's text as it is from before a session until its work
// is settled: what a person types meanwhile is stored after that, so whatever
// else moves the plan is no person. It is held once, by whoever asks first.
func (w *Worker) HoldText(ctx context.Context) (release func(), err error) {
	if w.Doc == nil || w.text != nil {
		return func() {}, nil
	}
	soon, cancel := context.WithTimeout(ctx, journal.Patience)
	defer cancel()
	text, err := journal.WaitText(soon, w.Repo, w.Doc.ID, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.New(fault.ErrBusy, "a git plan edit that stores what was typed does not end")
	}
	if err != nil {
		return nil, err
	}
	if w.Tip, err = w.Repo.Resolve(ctx, journal.RefPrefix+w.Doc.ID); err != nil {
		return nil, errors.Join(err, text.Close())
	}
	w.text = text
	return func() {
		w.text = nil
		_ = text.Close()
	}, nil
}
