package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// AsItStands returns the text of the plan with the boxes of all done steps ticked.
func AsItStands(c *checkout.Checkout) []byte {
	return c.Doc.Plan.Ticked(func(s *plan.Step) bool { return c.Progress.Steps[s.ID].State == progress.StateDone }).Source
}

// Edit is a person's edit of a plan's text.
type Edit struct {
	Text      []byte
	From      []byte // the text before the edit: the result of AsItStands
	Was       []byte // the plan's source at that time
	Untrusted bool   // the author is unknown, so the edit approves nothing
	Agreed    []byte // the text that a person was shown and approved; nil if no person was asked
}

// Revised is the outcome of an Edit.
type Revised struct {
	Before   []byte   // the plan's source before the edit
	Merged   bool     // the edit was merged with changes made meanwhile
	Meaning  bool     // the plan's meaning changed, not only boxes and states
	Approved bool     // the plan is approved, since the person has just typed it
	Effects  []Effect // effects that the person may not expect
}

// StoreEdit stores an edit, merged with changes made meanwhile (ErrTypedOver if both changed the same). An approved
// plan stays approved unless the edit is untrusted. Merged is valid with an error, too.
func StoreEdit(ctx context.Context, c *checkout.Checkout, t Edit) (r Revised, err error) {
	before, stood, text := bytes.Clone(c.Doc.Plan.Source), c.Progress, t.Text
	approved, err := integrity.IsApproved(c.Repo, c.Doc.ID, c.Doc.Plan)
	if err != nil {
		return r, err
	}
	if !bytes.Equal(t.Was, before) {
		if text, err = mergeEdit(t.From, text, AsItStands(c)); err != nil {
			return r, err
		}
		r.Merged = true
	}
	if err := c.Revise(ctx, text); err != nil {
		return r, err
	}
	r.Before, r.Meaning = before, !bytes.Equal(plan.Meaning(before), plan.Meaning(c.Doc.Plan.Source))
	if old, err := plan.Parse(before); err == nil {
		r.Effects = effectsOf(old, stood, c.Doc.Plan, c.Progress)
	}
	if r.Meaning && (approved && !t.Untrusted || t.agreed(c)) {
		r.Approved = true
		err = integrity.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source)
	}
	return r, err
}

// agreed reports whether a person approved the stored state: every done step was shown, and there is no changed
// set-up and no unknown event.
func (t Edit) agreed(c *checkout.Checkout) bool {
	shown, err := plan.Parse(t.Agreed)
	if t.Agreed == nil || err != nil {
		return false
	}
	shown.Base = cmp.Or(shown.Base, c.Doc.Plan.Base) // as stored: a text without base gets the plan's
	if !plan.NotApproved(c.Doc.Plan, shown).None() {
		return false
	}
	_, unseen := c.SetupChange()
	return !unseen && len(c.Store.Unverified(c.Doc)) == 0
}

// Effect is an effect of an edit on a step that the person may not expect.
type Effect struct {
	Step   string
	How    EffectKind
	Commit string // the commit of a done step that was removed; else ""
}

// EffectKind is the kind of an Effect: what to tell the person about the step, with {step} and {commit}.
type EffectKind string

// The possible effects of an edit.
const (
	GoneThoughDone EffectKind = "is gone; its commit {commit} stays, and is of no step until one has the id {step} again"
	TickDoubted    EffectKind = "is not done by its tick, for what may be a task is beside it: git plan lint"
	TickedByHand   EffectKind = "is done since you ticked it: nothing was checked"
	DoneStill      EffectKind = "is done, with the old text; to have it done again: git plan reopen {step}"
	BlockedStill   EffectKind = "is still blocked; to try it again: git plan reopen {step}"
	OpenAgain      EffectKind = "is open again, since its Status line or its tick is gone"
)

// effectsOf compares the steps, and their states, before an edit with those after it.
func effectsOf(old *plan.Plan, stood *progress.Progress, now *plan.Plan, stands *progress.Progress) (out []Effect) {
	for _, was := range old.Steps {
		same, ok := now.Step(was.ID)
		gone := !ok || same.ID != was.ID
		if st := stood.Steps[was.ID]; gone && st.State == progress.StateDone && st.Commit != journal.None {
			out = append(out, Effect{was.ID, GoneThoughDone, st.Commit})
		}
	}
	closed := []progress.State{progress.StateDone, progress.StateSkipped, progress.StateBlocked}
	for i := range now.Steps {
		s := &now.Steps[i]
		was, known := old.Step(s.ID)
		before, after := stood.Steps[s.ID].State, stands.Steps[s.ID].State
		done, ticked := after == progress.StateDone, known && (was.Ticked() || before == progress.StateDone) // see AsItStands
		e := Effect{Step: s.ID}
		switch {
		case known && slices.Contains(closed, before) && (after == progress.StateOpen || after == progress.StateReopened):
			e.How = OpenAgain
		case s.Box && s.Doubt && !done && !(known && was.Box):
			e.How = TickDoubted
		case known && s.Ticked() && !ticked && done, !known && s.Box && done && stands.Steps[s.ID].Commit == journal.None:
			e.How = TickedByHand
		case !known || strings.TrimSpace(was.Approved()) == strings.TrimSpace(s.Approved()):
			continue
		case done:
			e.How = DoneStill
		case after == progress.StateBlocked:
			e.How = BlockedStill
		default:
			continue
		}
		out = append(out, e)
	}
	return out
}

// Excerpt returns the text of one step, and a function that replaces it in the plan. A ParseError of that function has
// line numbers of the excerpt.
func Excerpt(src []byte, id string) (text []byte, put func(text []byte) ([]byte, error), err error) {
	p, s, err := plan.FindStep(src, id)
	if err != nil {
		return nil, nil, err
	}
	item := string(p.Source[s.At.Item.From:s.At.Item.To])
	body := strings.TrimRight(item, " \t\r\n")
	behind := item[len(body):] // blank lines before what follows stay
	return []byte(body + plan.LineEnd(src)), func(text []byte) ([]byte, error) {
		changed := strings.TrimRight(string(text), " \t\r\n")
		if changed != "" {
			changed += behind
		}
		whole := plan.Splice(p.Source, s.At.Item.With(changed))
		_, err := plan.Parse(whole)
		if wrong, ok := errors.AsType[*plan.ParseError](err); ok { // the person sees the excerpt's lines
			for i := range wrong.Problems {
				wrong.Problems[i].Line -= s.Line - 1
			}
		}
		return whole, err
	}, nil
}

// mergeEdit merges a person's text with the changes made meanwhile, whose boxes and states stay; ErrTypedOver if both
// changed the same part.
func mergeEdit(base, typed, current []byte) ([]byte, error) {
	noEvent := func(string) Side { return Neither }
	text, conflicts, err := MergeText(Versions{Base: base, Ours: typed, Theirs: current}, Neither, noEvent)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		var parts []string
		for _, c := range conflicts {
			parts = append(parts, c.Part)
		}
		return nil, fault.New(fault.ErrTypedOver, "%s changed in the plan while you typed, and you changed it too",
			strings.Join(parts, ", "))
	}
	if _, err := plan.Parse(text); err != nil {
		return nil, fmt.Errorf("your edit conflicts with the other changes of the plan: %w", err)
	}
	return text, nil
}

// waiting has the answers that this process is going to store once no session runs, by the commits of the questions.
var waiting sync.Map

// WaitingAnswer returns the answer to a blocked step that waits in this process; "" without one.
func WaitingAnswer(c *checkout.Checkout, step string) string {
	text, _ := waiting.Load(c.Progress.Steps[step].Last().Commit)
	answer, _ := text.(string)
	return answer
}

// AnswerLater stores an answer to a blocked step once no session is running, in the plan that open gives it, unless by
// then another event has followed the question. It returns at once, and calls failed if the answer was not stored.
func AnswerLater(ctx context.Context, c *checkout.Checkout, step, text string,
	open func(func(*checkout.Checkout) error) error, failed func(error)) {
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
