package reviewers

import (
	"bytes"
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// PullRequest returns the text of a pull request for the branch and its plan.
func PullRequest(ctx context.Context, co *checkout.Checkout) ([]byte, error) {
	tree, err := co.Repo.Resolve(ctx, "HEAD^{tree}")
	if err != nil {
		return nil, err
	}
	checked, err := checkedAs(ctx, co)
	if err != nil {
		return nil, err
	}
	pr := &ledger.PullRequest{Plan: co.Doc.Plan, Progress: co.Progress, HeadTree: tree, Checked: checked, Manual: progress.Manuals(co.Doc.Plan, co.Doc.Events)}
	pr.LeftOut, _ = progress.Unreviewed(co.Doc.Events)
	var text bytes.Buffer
	if pr.Ledger, err = ledger.Last(ctx, co.Store, co.Doc, co.Branch); err == nil {
		_, err = pr.WriteTo(&text)
	}
	return text.Bytes(), err
}

// checkedAs returns the plan as it was when each done step's commands passed, and under "" at the last review.
func checkedAs(ctx context.Context, co *checkout.Checkout) (map[string]*plan.Plan, error) {
	events := map[string]journal.Event{}
	for _, e := range co.Doc.Events {
		if e.Kind == journal.Reviewed {
			events[""] = e
		}
	}
	for id, st := range co.Progress.Steps {
		if st.State == progress.StateDone && st.Last().Commit != "" && !st.Last().TickedByHand() {
			events[id] = st.Last()
		}
	}
	out, parsed := map[string]*plan.Plan{}, map[string]*plan.Plan{}
	for id, e := range events {
		text, err := co.Version(ctx, e.Commit)
		if err != nil {
			return nil, err
		}
		unticked := strings.ReplaceAll(string(text), "- [x] ", "- [ ] ") // otherwise each version would be parsed
		if parsed[unticked] == nil {
			if parsed[unticked], err = plan.Parse(text); err != nil {
				return nil, err
			}
		}
		out[id] = parsed[unticked]
	}
	return out, nil
}
