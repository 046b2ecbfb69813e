package status

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// none is the End of a branch without a review, or whose review has not ended.
const none ledger.End = "none"

// Review is the end of the last review, as status --json prints it.
type Review struct {
	End   ledger.End `json:"end"`
	Head  string     `json:"head"`
	Stale bool       `json:"stale,omitempty"` // the branch has changed since

	// PlanOnly is true if the review is only recorded in the plan: this clone has no verdict that passes the branch.
	PlanOnly bool `json:"told,omitempty"`

	Only []string `json:"only,omitempty"` // the reviewers that judged, unless all did

	LeftOut string `json:"left_out,omitempty"` // the commit at which a person skipped the review

	Facts ReviewFacts `json:"-"`
}

// ReviewFacts are further facts about a review, for people and for the advice.
type ReviewFacts struct {
	Blocking  []string // the short IDs of the blocking findings, first one that asks a person
	Asked     string   // the question of that one; "" if none asks
	Found     bool     // there are findings, at least notes
	Notes     int      // the number of open findings
	Dismissed int      // the number of dismissed findings
	Unread    int      // the number of files that no reviewer judged
	Stopped   bool     // the review passed, but the gate stops a push
	Why       string   // the reason, if the end alone says too little
	Nothing   bool     // there is nothing to review
	Missing   []string // the reviewers without an answer
	GoesOn    bool     // the review was interrupted, and can go on
}

// ReviewOf returns the end of the last review of the plan, or of a branch without one.
func ReviewOf(ctx context.Context, co *checkout.Checkout) (Review, error) {
	r := Review{End: none, Head: "-"}
	if co.Doc != nil {
		r.LeftOut = progress.Unreviewed(co.Doc.Events)
	}
	l, err := ledger.Last(ctx, co.Store, co.Doc, co.Branch)
	if err != nil || l == nil {
		return r, err
	}
	f := &r.Facts
	for _, b := range l.Blocking() {
		f.Blocking = append(f.Blocking, ledger.Short(b.ID))
		if f.Asked == "" && b.AsksPerson() {
			if f.Asked = b.Title; b.Status == finding.Asked { // otherwise the verifier gave the reason
				f.Asked = cmp.Or(b.Because, b.Title)
			}
			last := len(f.Blocking) - 1
			f.Blocking = append(f.Blocking[last:], f.Blocking[:last]...)
		}
	}
	f.Notes, f.Dismissed = len(l.Standing()), len(l.With(finding.Dismissed))
	if l.End.Passes() && len(l.Rounds) > 0 {
		f.Unread = len(l.Unread())
	}
	f.Found = f.Notes+len(l.Explained()) > 0
	f.Nothing, r.Only = l.BaseTree == l.HeadTree, l.Only
	f.Missing, f.GoesOn = l.Missing(), l.Interrupted()
	r.End, r.Head = cmp.Or(l.End, r.End), cmp.Or(l.Head, r.Head)
	if l.End == ledger.Oscillation || l.End == ledger.Incomplete && (len(f.Missing) == 0 || f.GoesOn) {
		f.Why = l.Reason
	}
	tree, err := co.Repo.Resolve(ctx, co.Rev()+"^{tree}")
	r.Stale = err == nil && tree != l.HeadTree
	if l.End.Passes() && !r.Stale {
		v, err := reviewers.Known(ctx, co, co.Doc, l.Base, co.Rev())
		passed := err == nil && v.Passes()
		mode, _ := co.Config.Word("plan.prePush")
		f.Stopped, r.PlanOnly = mode == "block" && !passed, !passed && len(r.Only) == 0
	}
	return r, nil
}

// Word returns the state of a plan whose steps are all done: done, or the outcome of its review.
func (r Review) Word() string {
	switch {
	case r.End == none, r.Stale, r.LeftOut != "":
		return "not reviewed"
	case !r.End.Passes():
		return "review " + r.End.Words()
	}
	return string(Done)
}

// List returns the plans of the repository; that of this branch is derived from the commits. The state of one whose
// steps are all done is the Word of its review.
func List(ctx context.Context, co *checkout.Checkout) ([]checkout.Listed, error) {
	plans, err := co.Plans(ctx)
	own, ok := co.PlanID(ctx)
	for i := range plans {
		p := &plans[i]
		if p.Here = ok && p.ID == own; p.Here && co.Load(ctx) == nil {
			if at, _ := Of(ctx, co); at != nil { // an unreadable review is left out
				p.Done, p.Total, p.State = at.Progress.Done, at.Progress.Total, string(at.State)
				p.Skipped = co.Progress.Skipped()
				if at.State == Done {
					p.State = at.Review.Word()
				}
				continue
			}
		}
		if p.State != string(Done) {
			continue
		}
		r := Review{End: none}
		if doc, err := co.Store.At(ctx, p.ID, journal.RefPrefix+p.ID); err == nil {
			if last, err := ledger.Last(ctx, co.Store, doc, p.Branch); err == nil && last != nil {
				tree, err := co.Repo.Resolve(ctx, "refs/heads/"+p.Branch+"^{tree}")
				r.End, r.Stale = cmp.Or(last.End, none), err == nil && tree != last.HeadTree
			}
		}
		p.State = r.Word()
	}
	return plans, err
}

// String returns a review as a person is shown it; "" if there was none.
func (r Review) String() string {
	switch {
	case r.End == none && r.LeftOut != "":
		return "review: skipped at " + visible.Short(r.LeftOut) + " (--no-review)"
	case r.End == none:
		return ""
	}
	ended := r.End.Words()
	switch n := r.Facts.Notes; {
	case r.End == ledger.Explained && r.Facts.Dismissed > 0:
		ended = "passed with " + visible.Count(r.Facts.Dismissed, "dismissed finding")
	case r.End == ledger.Notes && n > 0:
		ended = "passed with " + visible.Count(n, "note")
	}
	if n := r.Facts.Unread; n > 0 {
		ended += ", " + visible.Count(n, "file") + " judged by no reviewer,"
	}
	line := fmt.Sprintf("review: %s at %s", ended, visible.Short(r.Head))
	if len(r.Only) > 0 {
		line += ", by " + strings.Join(r.Only, ", ") + " alone"
	}
	switch {
	case r.LeftOut != "":
		line += ", and skipped since, at " + visible.Short(r.LeftOut) + " (--no-review)"
	case r.Stale:
		line += ", and the branch has changed since"
	case r.PlanOnly:
		line += ", in another clone; none has passed here"
	case r.Facts.Why != "":
		line += ": " + r.Facts.Why
	}
	if n := len(r.Facts.Blocking); n > 0 {
		line += fmt.Sprintf("; blocking findings: %d", n)
	}
	if r.Facts.Found {
		line += "; see git plan show --review"
	}
	return line
}
