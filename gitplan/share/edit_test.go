package share

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

// A step is identified by its id. A person who ticks, changes or renames one is told what that means for it,
// and nothing obvious.
func TestEffectsOfAnEditOnSteps(t *testing.T) {
	const (
		open   = "- [ ] Say hello {#a}\n"
		ticked = "- [x] Say hello {#a}\n"
		other  = "- [ ] Say hello to all {#a}\n"
		gone   = "- [ ] Something else {#b}\n"
	)
	is := func(s progress.State, commit string) progress.StepState {
		return progress.StepState{State: s, Commit: commit}
	}
	byHand := is(progress.StateDone, journal.None)
	for _, c := range []struct {
		before string
		stood  progress.StepState
		after  string
		stands progress.StepState
		want   []Effect
	}{
		{open, is(progress.StateOpen, ""), other, is(progress.StateOpen, ""), nil},
		{open, is(progress.StateDone, "12ab"), ticked, is(progress.StateDone, "12ab"), nil}, // the editor showed the tick
		{open, is(progress.StateOpen, ""), ticked, byHand, []Effect{{Step: "a", How: TickedByHand}}},
		{open, is(progress.StateOpen, ""), ticked + "  -[ ] and bye\n", is(progress.StateOpen, ""), []Effect{{Step: "a", How: TickDoubted}}},
		{gone, is(progress.StateOpen, ""), gone + ticked, byHand, []Effect{{Step: "a", How: TickedByHand}}},
		{gone, is(progress.StateOpen, ""), gone + open, is(progress.StateOpen, ""), nil},
		{ticked, is(progress.StateDone, "12ab"), other, is(progress.StateDone, "12ab"), []Effect{{Step: "a", How: DoneStill}}},
		{open, is(progress.StateBlocked, ""), other, is(progress.StateBlocked, ""), []Effect{{Step: "a", How: BlockedStill}}},
		{open, is(progress.StateBlocked, ""), open, is(progress.StateBlocked, ""), nil},
		{ticked, is(progress.StateDone, "12ab"), gone, is(progress.StateOpen, ""), []Effect{{"a", GoneThoughDone, "12ab"}}},
		{open, is(progress.StateSkipped, ""), open, is(progress.StateReopened, ""), []Effect{{Step: "a", How: OpenAgain}}},
		{ticked, is(progress.StateDone, "12ab"), open, is(progress.StateReopened, ""), []Effect{{Step: "a", How: OpenAgain}}},
		{open, is(progress.StateReopened, ""), other, is(progress.StateReopened, ""), nil},
		{ticked, byHand, gone, is(progress.StateOpen, ""), nil},
	} {
		was, err := plan.Parse([]byte(texts.Steps(c.before)))
		if err != nil {
			t.Fatal(err)
		}
		now, err := plan.Parse([]byte(texts.Steps(c.after)))
		if err != nil {
			t.Fatal(err)
		}
		at := func(s progress.StepState) *progress.Progress {
			return &progress.Progress{Steps: map[string]progress.StepState{"a": s}}
		}
		got := effectsOf(was, at(c.stood), now, at(c.stands))
		if len(got) != len(c.want) || len(got) == 1 && got[0] != c.want[0] {
			t.Errorf("%s-> %s%v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// typing loads the plan of the branch work, and returns a person's edit of its text, which replaces one text
// by another.
func (c *clones) typing(from, to string) (*checkout.Checkout, Edit) {
	co := c.loaded("anna")
	text := AsItStands(co)
	return co, Edit{Text: []byte(strings.Replace(string(text), from, to, 1)), From: text, Was: co.Doc.Plan.Source}
}

// does commits a step of the plan in a clone, and writes an event for it.
func (c *clones) does(who, step string) {
	c.t.Helper()
	c.git(c.dir(who), "commit", "-q", "--allow-empty", "-m", "Do it\n\nPlan-Step: "+c.id+"/"+step)
	c.happens(who, 10, journal.Event{Kind: journal.Done, Steps: []string{step}, Head: c.git(c.dir(who), "rev-parse", "HEAD")})
}

// A done step is ticked in the editor, even if git plan step was killed before it ticked the plan's text.
func TestAsItStands(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	c.does("anna", "a")
	co := c.loaded("anna")
	if now := string(AsItStands(co)); !strings.Contains(now, "- [x] a") || !strings.Contains(now, "- [ ] b") || strings.Contains(string(co.Doc.Plan.Source), "- [x] a") {
		t.Errorf("of\n%s\nthe editor shows\n%s", co.Doc.Plan.Source, now)
	}
}

// A person edits the text of a plan, and is told what that means.
func TestStoreTyped(t *testing.T) {
	c := newClones(t)
	co := c.working("anna")
	fine(t, integrity.Approve(co.Repo, c.id, co.Doc.Plan.Source))
	co, typed := c.typing("- [ ] b", "- [ ] better b")
	r, err := StoreEdit(t.Context(), co, typed)
	fine(t, err)
	if r.Merged || !r.Meaning || !r.Approved || len(r.Effects) != 0 || string(r.Before) != string(typed.Was) {
		t.Errorf("a new title: %+v", r)
	}
	fine(t, c.loaded("anna").RequireApproval())

	co, typed = c.typing("- [ ] better b", "- [x] better b")
	r, err = StoreEdit(t.Context(), co, typed)
	fine(t, err)
	if r.Meaning || r.Approved || len(r.Effects) != 1 || r.Effects[0] != (Effect{Step: "b", How: TickedByHand}) {
		t.Errorf("a tick: %+v", r)
	}

	co, typed = c.typing("better b {#b}", "better b {#b}\n  - Do: what somebody says")
	typed.Untrusted = true
	r, err = StoreEdit(t.Context(), co, typed)
	fine(t, err)
	if err := c.loaded("anna").RequireApproval(); r.Approved || !errors.Is(err, fault.ErrUnapproved) {
		t.Errorf("text of an unknown author is approved: %+v, %v", r, err)
	}

	// Except if the person was shown exactly that text, and approved it.
	co, typed = c.typing("what somebody says", "what a person says")
	typed.Untrusted, typed.Agreed = true, []byte(strings.Replace(string(typed.Text), "a person says", "another says", 1))
	r, err = StoreEdit(t.Context(), co, typed)
	fine(t, err)
	if err := c.loaded("anna").RequireApproval(); r.Approved || !errors.Is(err, fault.ErrUnapproved) {
		t.Errorf("what differs from what was shown is approved: %+v, %v", r, err)
	}
	co, typed = c.typing("what a person says", "what the person says")
	typed.Untrusted, typed.Agreed = true, typed.Text
	r, err = StoreEdit(t.Context(), co, typed)
	fine(t, err)
	if err := c.loaded("anna").RequireApproval(); !r.Approved || err != nil {
		t.Errorf("what was shown and approved is not: %+v, %v", r, err)
	}
}

// A session's changes during an edit are kept; a conflict is for the person.
func TestStoreTypedMeanwhile(t *testing.T) {
	c := newClones(t)
	c.working("anna")
	_, typed := c.typing("- [ ] a", "- [ ] better a")
	meanwhile := c.loaded("anna")
	err := meanwhile.SetState(t.Context(), "skipped", "not needed", "b")
	fine(t, err)
	r, err := StoreEdit(t.Context(), meanwhile, typed)
	fine(t, err)
	co := c.loaded("anna")
	if b := co.Doc.Plan.Steps[1]; !r.Merged || r.Approved || co.Doc.Plan.Steps[0].Title != "better a" || b.Status.Reason != "not needed" {
		t.Errorf("merged: %+v\n%s", r, co.Doc.Plan.Source)
	}

	_, typed = c.typing("- [ ] better a", "- [ ] the best a")
	other, of := c.typing("- [ ] better a", "- [ ] another a")
	_, err = StoreEdit(t.Context(), other, of)
	fine(t, err)
	r, err = StoreEdit(t.Context(), other, typed)
	if !errors.Is(err, fault.ErrTypedOver) || !strings.Contains(err.Error(), "step a changed in the plan while you typed, and you changed it too") || r.Merged {
		t.Errorf("both changed a title: %+v, %v", r, err)
	}

	_, typed = c.typing("another a {#a}", "another a {#a}\n  - Do: something else")
	c.does("anna", "a")
	r, err = StoreEdit(t.Context(), c.loaded("anna"), typed)
	if fine(t, err); len(r.Effects) != 1 || r.Effects[0] != (Effect{Step: "a", How: DoneStill}) {
		t.Errorf("a session did it meanwhile, by the old text: %+v", r.Effects)
	}
	typed.Text = []byte("no plan")
	if r, err := StoreEdit(t.Context(), other, typed); err == nil || r.Merged {
		t.Errorf("an invalid plan: %+v, %v", r, err)
	}
}
