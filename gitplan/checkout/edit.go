package checkout

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Revise replaces a plan's text by what a person typed; boxes and statuses that changed become events. What the
// program keeps in the front matter stays. ErrTypedOver if the plan was changed since c.Doc was read.
func (c *Checkout) Revise(ctx context.Context, typed []byte) error {
	old, was := c.Doc.Plan, c.Doc.Plan.Source
	if c.Doc.Renamed != "" {
		var err error
		if was, err = plan.SetFront(was, "branch", c.Doc.Renamed); err != nil {
			return err
		}
	}
	parsed, err := plan.Parse(typed)
	if err != nil {
		return err
	}
	base := ""
	if parsed.Base == "" {
		base = old.Base
	}
	text, err := journal.AsStored(typed, c.Doc.ID, c.Branch, base)
	if err != nil {
		return err
	}
	p, err := plan.Parse(text)
	if err != nil {
		return err
	}
	if bytes.Equal(text, old.Source) {
		return nil
	}
	err = c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{
		Event: journal.Event{Kind: journal.Edited, By: journal.ByPerson},
		Edit: func(now []byte) ([]byte, error) {
			if !bytes.Equal(now, was) {
				return nil, fault.New(fault.ErrTypedOver, "the plan was changed just now by another git plan")
			}
			return text, nil
		},
	})
	if err != nil {
		return err
	}
	if err := c.Derive(ctx); err != nil {
		return err
	}
	if err := applyEdit(ctx, c, old, p, c.Progress); err != nil {
		return err
	}
	return c.Derive(ctx)
}

// EventsOfEdit returns the events that changed boxes and statuses stand for; no tick does a step with other boxes.
func EventsOfEdit(old, p *plan.Plan, now *progress.Progress) []journal.Event {
	changed, reasons := map[journal.Kind][]string{}, map[journal.Kind]string{}
	for _, s := range p.Steps {
		before := plan.Step{}
		if b, ok := old.Step(s.ID); ok && b.ID == s.ID {
			before = *b
		}
		switch {
		case s.Status.Word != before.Status.Word && s.Status.Word != "":
			kind := journal.Kind(s.Status.Word) // blocked, skipped, reopened
			changed[kind] = append(changed[kind], s.ID)
			reasons[kind] = s.Status.Reason
		case s.Ticked() && !before.Ticked() && now.Steps[s.ID].State == progress.StateDone:
		case s.Ticked() && !before.Ticked():
			changed[journal.Done] = append(changed[journal.Done], s.ID)
		case !s.Box && before.Ticked(), before.Status.Word != "" && s.Status.Word == "":
			changed[journal.Reopened] = append(changed[journal.Reopened], s.ID)
		}
	}
	var out []journal.Event
	for _, kind := range []journal.Kind{journal.Done, journal.Reopened, journal.Blocked, journal.Skipped} {
		if ids := changed[kind]; len(ids) > 0 {
			out = append(out, journal.Event{Kind: kind, Steps: ids, Head: journal.None, By: journal.ByPerson, Reason: reasons[kind]})
		}
	}
	return out
}

// applyEdit writes the events of an edit.
func applyEdit(ctx context.Context, c *Checkout, old, edited *plan.Plan, now *progress.Progress) error {
	for _, e := range EventsOfEdit(old, edited, now) {
		if err := c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{Event: e}); err != nil {
			return err
		}
	}
	return nil
}

// SetState sets a step to skipped, blocked or reopened by hand. ErrUnknownStep; ErrDoneAlready unless reopened.
func (c *Checkout) SetState(ctx context.Context, name, word, reason string) (*plan.Step, error) {
	step, ok := c.Doc.Plan.Step(name)
	if !ok {
		return nil, c.Doc.Plan.NoStep(name)
	}
	if word != string(progress.StateReopened) && c.Progress.Steps[step.ID].State == progress.StateDone {
		return nil, &fault.Fault{Kind: fault.ErrDoneAlready, Step: step.ID, Text: fmt.Sprintf("step %s is done, so it cannot be %s", step.ID, word)}
	}
	return step, c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{
		Event: journal.Event{Kind: journal.Kind(word), Steps: []string{step.ID}, Head: journal.None, By: journal.ByPerson, Reason: visible.OneLine(reason, 400)},
		Edit: func(text []byte) ([]byte, error) {
			text, err := plan.SetStatus(text, step.ID, plan.StepStatus{Word: word, Reason: visible.OneLine(reason, 400)})
			if err != nil || word != "reopened" {
				return text, err
			}
			return plan.Tick(text, step.ID, false)
		},
	})
}

// RequireBlocked returns ErrNotAsked unless a step is blocked: only then does an answer help.
func (c *Checkout) RequireBlocked(step string) error {
	if st := c.Progress.Steps[step]; st.State != progress.StateBlocked {
		return &fault.Fault{Kind: fault.ErrNotAsked, Step: step, Text: "step " + step + " is not blocked, so there is nothing to answer: it is " + string(st.State)}
	}
	return nil
}

// Answered begins the reason of a step that an answer reopened.
const Answered = "answered: "

// Answer stores a person's answer in a blocked step, with its question, and reopens it: both or nothing.
func (c *Checkout) Answer(ctx context.Context, step, text string) error {
	if err := c.RequireBlocked(step); err != nil {
		return err
	}
	const most = 2000 // bytes, of what sessions read
	question, answer := "", visible.OneLine(text, most)
	if st := c.Progress.Steps[step]; st.Last().Question {
		question = visible.OneLine(st.Reason, most)
	}
	err := c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{
		Event: journal.Event{Kind: journal.Reopened, Steps: []string{step}, Head: journal.None, By: journal.ByPerson, Reason: Answered + visible.OneLine(answer, 380)},
		Edit: func(text []byte) ([]byte, error) {
			text, err := plan.AddAnswer(text, step, question, answer)
			if err != nil {
				return nil, err
			}
			return plan.SetStatus(text, step, plan.StepStatus{Word: "reopened", Reason: "answered"})
		},
	})
	if err != nil {
		return err
	}
	return c.Derive(ctx)
}

// TakeFile locks a file for a person to type in until release: path, or the next one that is not open (PLAN_2.md).
// With again it may be one that was typed in before.
func TakeFile(path string, again bool) (free string, release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	ext := filepath.Ext(path)
	for n, free := 2, path; ; n, free = n+1, fmt.Sprintf("%s_%d%s", strings.TrimSuffix(path, ext), n, ext) {
		if _, err := os.Lstat(free); err == nil && !again {
			continue
		}
		// The lock is a file of its own, since editors replace theirs.
		lock := flock.New(filepath.Join(filepath.Dir(free), "lock-"+filepath.Base(free)), flock.SetPermissions(0o600))
		ok, err := lock.TryLock()
		if _, gone := os.Lstat(free); err == nil && ok && (again || gone != nil) {
			return free, func() { _ = lock.Close() }, nil
		}
		if _ = lock.Close(); err != nil {
			return "", nil, err
		}
	}
}
