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
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Replan has a planner session rewrite what is still open in the plan. The session reads what was
// done, where the work got stuck, what the session there proposed, and what a person says. What
// is done is frozen. The new text is stored, and not approved. by says who asked for it: a
// person, or the program itself (ByAgent). It returns the text before.
func Replan(ctx context.Context, w *work.Worker, by, feedback string, ask func([]agent.Question) ([]string, error)) (before []byte, err error) {
	return rewrite(ctx, w, by, feedback, prompt.Planning{Ask: ask, Stuck: stuckAt(w, "A person says", feedback)})
}

// rewrite has a planner session rewrite the plan as asked, and stores what it wrote.
func rewrite(ctx context.Context, w *work.Worker, by, feedback string, asked prompt.Planning) (before []byte, err error) {
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
	asked.Goal, asked.Old = w.Checkout.Doc.Plan.Title, w.Checkout.Doc.Plan
	made, err := MakePlan(ctx, w, asked)
	if err != nil {
		return before, err
	}
	p, err := plan.Parse(made.Text)
	if err != nil {
		return before, err
	}
	begun := begunSteps(w, p)
	if by == journal.ByAgent && bytes.Equal(plan.Meaning(before), plan.Meaning(made.Text)) {
		begun = nil // the same again would end in the same way
	}
	err = w.Checkout.Store.Apply(ctx, w.Checkout.Doc, w.Checkout.Branch, journal.Change{
		Event: w.WithSessions(journal.Event{Kind: journal.Replanned, Steps: begun, Head: journal.None, By: by,
			Took: time.Since(began), Reason: visible.OneLine(feedback, 400), Answers: made.Answers}),
		Edit: func([]byte) ([]byte, error) { return made.Text, nil },
	})
	if err != nil {
		return before, err
	}
	return before, w.Checkout.Derive(ctx)
}

// begunSteps returns the steps of the new plan that were tried before: they start from the
// beginning.
func begunSteps(w *work.Worker, p *plan.Plan) []string {
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

// stuckAt returns what a planner reads about where the work is, and why the plan is rewritten.
func stuckAt(w *work.Worker, who, feedback string) string {
	var b strings.Builder
	if feedback != "" {
		fmt.Fprintf(&b, "%s: %s\n\n", who, strings.TrimSpace(feedback))
	}
	for i := range w.Checkout.Doc.Plan.Steps {
		s := &w.Checkout.Doc.Plan.Steps[i]
		st := w.Checkout.Progress.Steps[s.ID]
		b.WriteString(prompt.LineOf(s, st))
		if st.State == progress.StateDone || st.State == progress.StateSkipped {
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
	for _, p := range progress.Proposals(w.Checkout.Doc.Events) {
		fmt.Fprintf(&b, "\nThe session of step #%s proposes, for you to judge: %s\n", p.Step, p.Text)
	}
	return b.String()
}

// stays returns which steps of the old plan a planner must leave as they are: those that are
// done, and if one is to be split, every other one.
func stays(pr *progress.Progress, split string) func(id string) bool {
	return func(id string) bool {
		st := pr.Steps[id].State
		return st == progress.StateDone || st == progress.StateSkipped || split != "" && id != split
	}
}

// rewritten returns the plan that a planner's text makes: what must stay is as it was.
func rewritten(old *plan.Plan, pr *progress.Progress, split string, text []byte) ([]byte, error) {
	if split != "" {
		return splitUp(old, split, text)
	}
	return frozen(old, stays(pr, split), text)
}

// frozen is a planner's new text with the steps that stay as they were, word for word: in their
// place if the planner kept them, else before the first step. The front matter stays.
func frozen(old *plan.Plan, stay func(id string) bool, text []byte) ([]byte, error) {
	was, is, err := outlined(old, text)
	if err != nil {
		return nil, err
	}
	var kept []share.Piece
	for _, s := range old.Steps {
		if stay(s.ID) {
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
	if first := slices.IndexFunc(body, func(p share.Piece) bool { return p.Step != nil }); first >= 0 {
		body = slices.Insert(body, first, kept...)
	}
	return together(was, is, body)
}

// outlined returns the pieces of the old plan and of a planner's text.
func outlined(old *plan.Plan, text []byte) (was, is *share.Outline, err error) {
	if was, err = share.Outlined(old.Source); err == nil {
		is, err = share.Outlined(text)
	}
	return was, is, err
}

// together joins pieces of an old text and a new one, below the front matter of the old one.
func together(was, is *share.Outline, body []share.Piece) ([]byte, error) {
	between := func(a, b share.Piece, usual string) string {
		from := []*share.Outline{is, was}
		if a.Name == "" { // under the front matter, which is the old one's
			from = []*share.Outline{was, is}
		}
		for _, o := range from {
			if gap, ok := o.Gaps[[2]string{a.Name, b.Name}]; ok {
				return gap
			}
		}
		if a.Step != nil && b.Step != nil {
			return "\n"
		}
		return usual
	}
	out := []byte(share.Together(was.Front, body, between))
	_, err := plan.Parse(out)
	return out, err
}

// Split is Replan for one step, which becomes two or more; all others stay word for word. The
// planner reads what is weak in the step, and how the sessions at it ended.
func Split(ctx context.Context, w *work.Worker, step *plan.Step, feedback string, ask func([]agent.Question) ([]string, error)) (before []byte, err error) {
	if st := w.Checkout.Progress.Steps[step.ID].State; st == progress.StateDone || st == progress.StateSkipped {
		return nil, &fault.Fault{Kind: fault.ErrNothingLeft, Step: step.ID, Text: fmt.Sprintf("step %s is %s: there is nothing to split", step.ID, st)}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Step %s is too much for one session. Make two or more steps of it, each with a Check of its own. The last of them keeps the id #%[1]s, since other steps may need it. Leave every other step as it is.\n", step.ID)
	found, err := lint.Plan(ctx, w.Runner.Checkout, w.Checkout.Doc.Plan.Source)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.Step == step.ID {
			fmt.Fprintf(&b, "It is weak: %s\n", f.Text)
		}
	}
	return rewrite(ctx, w, journal.ByPerson, feedback, prompt.Planning{Ask: ask, Split: step.ID, Stuck: b.String() + "\n" + stuckAt(w, "A person says", feedback)})
}

// splits says why a planner's text is not the plan with one step split and all others kept; split
// is "" if no step is to be split.
func splits(old *plan.Plan, split string, text []byte) error {
	if split == "" {
		return nil
	}
	p, err := plan.Parse(text)
	if err != nil {
		return err
	}
	for i := range old.Steps {
		id := old.Steps[i].ID
		if s, ok := p.Step(id); ok && s.ID == id {
			continue
		}
		if id == split {
			return fmt.Errorf("the last part of step %s must keep its id: {#%[1]s}", id)
		}
		return fmt.Errorf("step %s is missing: only step %s is to be split", id, split)
	}
	if len(p.Steps) <= len(old.Steps) {
		return fmt.Errorf("step %s is not split: make two or more steps of it", split)
	}
	return nil
}

// splitUp returns the old plan with the parts of a step in its place. Nothing else is taken from
// the new text.
func splitUp(old *plan.Plan, split string, text []byte) ([]byte, error) {
	was, is, err := outlined(old, text)
	if err != nil {
		return nil, err
	}
	var parts []share.Piece
	for _, p := range is.Body {
		if _, known := was.Named[p.Name]; p.Step != nil && (!known || p.Step.ID == split) {
			parts = append(parts, p)
		}
	}
	var body []share.Piece
	for _, p := range was.Body {
		if p.Step != nil && p.Step.ID == split {
			body = append(body, parts...)
			continue
		}
		body = append(body, p)
	}
	return together(was, is, body)
}
