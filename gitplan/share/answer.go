package share

import (
	"context"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
)

// waiting are the answers that this process stores once no session is running, by the events that asked.
var waiting sync.Map

// WaitingAnswer returns the answer to a blocked step that waits in this process; "" without one.
func WaitingAnswer(c *checkout.Checkout, step string) string {
	text, _ := waiting.Load(c.Progress.Steps[step].Last().Commit)
	answer, _ := text.(string)
	return answer
}

// AnswerLater stores an answer to a blocked step once no session is running, in the plan that open gives it, unless by
// then another event has followed the question. It returns at once, and calls failed if the answer was not stored.
func AnswerLater(ctx context.Context, c *checkout.Checkout, step, text string, open func(func(*checkout.Checkout) error) error, failed func(error)) {
	to := c.Progress.Steps[step].Last().Commit
	waiting.Store(to, text)
	go func() {
		defer waiting.Delete(to)
		err := open(func(c *checkout.Checkout) error {
			release, err := c.LockText(ctx, nil)
			if err != nil {
				return err
			}
			defer release()
			if c.Progress.Steps[step].Last().Commit == to && c.RequireBlocked(step) == nil {
				_, err = StoreAnswer(ctx, c, step, text, false)
			}
			return err
		})
		if err != nil {
			failed(err)
		}
	}()
}

// StoreAnswer stores an answer in a blocked step, and reports whether the plan is approved with it.
func StoreAnswer(ctx context.Context, c *checkout.Checkout, step, answer string, untrusted bool) (approved bool, err error) {
	if approved, err = integrity.IsApproved(c.Repo, c.Doc.ID, c.Doc.Plan); err != nil {
		return false, err
	}
	if err = c.Answer(ctx, step, answer); err != nil || !approved || untrusted {
		return false, err
	}
	return true, integrity.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source)
}
