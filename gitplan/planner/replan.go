package planner

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Replan has a planner session rewrite what is open in the plan, knowing where the work got stuck and what a person
// says. What is done is frozen; the new text is stored, and not approved. by is a person or ByAgent.
func Replan(ctx context.Context, w *work.Worker, by, feedback string, ask func([]agent.Question) ([]string, error)) (before []byte, err error) {
	if w.Checkout.Progress.Complete() {
		return nil, fault.New(fault.ErrNothingLeft, "%s: nothing is left to plan again", w.Checkout.Progress.AllDone())
	}
	release, err := w.Runner.LockPlan(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	before = slices.Clone(w.Checkout.Doc.Plan.Source)
	began := time.Now()
	defer func() {
		if err != nil {
			err = w.AccountFailed(ctx, err)
		}
	}()
	made, err := MakePlan(ctx, w, prompt.Planning{Goal: w.Checkout.Doc.Plan.Title, Old: w.Checkout.Doc.Plan, Ask: ask,
		Stuck: stuckAt(w), Proposed: proposed(w), Wanted: feedback})
	if err != nil {
		return before, err
	}
	p, err := plan.Parse(made.Text)
	if err != nil {
		return before, err
	}
	started := startedSteps(w, p)
	if by == journal.ByAgent && bytes.Equal(plan.Meaning(before), plan.Meaning(made.Text)) {
		started = nil // the same again would end in the same way
	}
	err = w.Checkout.Store.Apply(ctx, w.Checkout.Doc, w.Checkout.Branch, journal.Change{
		Event: w.WithSessions(journal.Event{Kind: journal.Replanned, Steps: started, Head: journal.None, By: by,
			Took: time.Since(began), Reason: feedback, Answers: made.Answers}),
		Edit: func([]byte) ([]byte, error) { return made.Text, nil },
	})
	if err != nil {
		return before, err
	}
	return before, w.Checkout.Derive(ctx)
}

// startedSteps returns the steps of the new plan that were tried before: they start again.
func startedSteps(w *work.Worker, p *plan.Plan) []string {
	var out []string
	for i := range p.Steps {
		id := p.Steps[i].ID
		st, known := w.Checkout.Progress.Steps[id]
		if known && st.State != progress.StateDone && st.State != progress.StateSkipped && st.Last().Kind != "" {
			out = append(out, id)
		}
	}
	return out
}

// proposed returns what sessions say about the plan.
func proposed(w *work.Worker) string {
	var b strings.Builder
	for _, p := range progress.Proposals(w.Checkout.Doc.Events) {
		fmt.Fprintf(&b, "The session of step #%s: %s\n", p.Step, p.Text)
	}
	return b.String()
}

// stuckAt returns what a planner reads about where the work is.
func stuckAt(w *work.Worker) string {
	var b strings.Builder
	for i := range w.Checkout.Doc.Plan.Steps {
		s := &w.Checkout.Doc.Plan.Steps[i]
		st := w.Checkout.Progress.Steps[s.ID]
		b.WriteString(prompt.LineOf(s, st))
		if closed(w.Checkout.Progress, s.ID) {
			continue
		}
		for _, e := range w.Checkout.Doc.Events {
			if slices.Contains(e.Steps, s.ID) && (e.Kind == journal.Failed || e.Kind == journal.Blocked) {
				what := string(e.Kind)
				if e.Kind == journal.Failed && e.Question {
					what = "asked"
				}
				fmt.Fprintf(&b, "     %s: %s\n", what, e.Reason)
			}
		}
	}
	return b.String()
}

// closed reports whether a planner must leave a step as it is: it is done, or skipped.
func closed(pr *progress.Progress, id string) bool {
	st := pr.Steps[id].State
	return st == progress.StateDone || st == progress.StateSkipped
}

// frozen returns a planner's text below the old front matter, with the closed steps as they were: in their place if
// the planner kept them, else before the first step.
func frozen(old *plan.Plan, pr *progress.Progress, text []byte) ([]byte, error) {
	was, err := share.Outlined(old.Source)
	if err != nil {
		return nil, err
	}
	is, err := share.Outlined(text)
	if err != nil {
		return nil, err
	}
	var kept []share.Piece
	for _, s := range old.Steps {
		if closed(pr, s.ID) {
			kept = append(kept, was.Named["step "+s.ID])
		}
	}
	body := make([]share.Piece, 0, len(is.Body)+len(kept))
	for _, p := range is.Body {
		if p.Step != nil {
			if i := slices.IndexFunc(kept, func(k share.Piece) bool { return k.Name == p.Name }); i >= 0 {
				p.Raw = kept[i].Raw
				kept = slices.Delete(kept, i, i+1)
			}
		}
		body = append(body, p)
	}
	if first := slices.IndexFunc(body, func(p share.Piece) bool { return p.Step != nil }); first >= 0 && len(kept) > 0 {
		kept[0].Lead, body[first].Lead = body[first].Lead, "\n"
		body = slices.Insert(body, first, kept...)
	}
	body[0].Lead = was.Body[0].Lead
	out := []byte((&share.Outline{Front: was.Front, FrontTail: was.FrontTail, Body: body, Tail: is.Tail}).Text())
	_, err = plan.Parse(out)
	return out, err
}
