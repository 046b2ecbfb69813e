package checkout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

// A person's changes of boxes and states are recorded as events; other changes are not.
func TestByHand(t *testing.T) {
	for _, c := range []struct{ name, old, now, done, want string }{
		{"nothing", "- [ ] a {#a}\n", "- [ ] a better {#a}\n", "", ""},
		{"ticked", "- [ ] a {#a}\n- [ ] b {#b}\n", "- [x] a {#a}\n- [x] b {#b}\n", "", "done a b"},
		{"ticked, and done already", "- [ ] a {#a}\n", "- [x] a {#a}\n", "a", ""},
		{"ticked, with a possible task inside", "- [ ] a {#a}\n", "- [x] a {#a}\n\n  [ ] half\n", "", ""},
		{"unticked", "- [x] a {#a}\n", "- [ ] a {#a}\n", "a", "reopened a"},
		{"blocked", "- [ ] a {#a}\n", "- [ ] a {#a}\n  - Status: blocked - no key\n", "", "blocked a (no key)"},
		{"blocked for other reasons", "- [ ] a {#a}\n- [ ] b {#b}\n- [ ] c {#c}\n", "- [ ] a {#a}\n  - Status: blocked - x\n- [ ] b {#b}\n  - Status: blocked - y\n- [ ] c {#c}\n  - Status: blocked - x\n", "", "blocked a c (x); blocked b (y)"},
		{"no longer blocked", "- [ ] a {#a}\n  - Status: blocked - no key\n", "- [ ] a {#a}\n", "", "reopened a"},
		{"skipped instead of blocked", "- [ ] a {#a}\n  - Status: blocked - no key\n", "- [ ] a {#a}\n  - Status: skipped\n", "", "skipped a"},
		{"a new step that is ticked", "- [ ] a {#a}\n", "- [ ] a {#a}\n- [x] b {#b}\n", "", "done b"},
		{"a number is not an id", "- [ ] a {#a}\n", "- [x] x {#1}\n- [ ] a {#a}\n", "", "done 1"},
		{"several", "- [x] a {#a}\n- [ ] b {#b}\n- [ ] c {#c}\n", "- [ ] a {#a}\n- [x] b {#b}\n- [ ] c {#c}\n  - Status: skipped - late\n", "", "reopened a; done b; skipped c (late)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, err := plan.Parse([]byte(texts.Steps(c.old)))
			fine(t, err)
			now, err := plan.Parse([]byte(texts.Steps(c.now)))
			fine(t, err)
			at := &progress.Progress{Steps: map[string]progress.StepState{c.done: {State: progress.StateDone}}}
			var got []string
			for _, c := range EventsOfEdit(old, now, at) {
				e := c.Event
				text := fmt.Sprintf("%s %s", e.Kind, strings.Join(e.Steps, " "))
				if e.Reason != "" {
					text += " (" + e.Reason + ")"
				}
				if e.By != journal.ByPerson || e.Head != journal.None {
					t.Errorf("by %q at %q", e.By, e.Head)
				}
				got = append(got, text)
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "; "), c.want)
			}
		})
	}
}

// A typed text replaces the plan's, except for the parts that the program maintains.
func TestRevise(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.load()
	fine(t, c.Revise(t.Context(), []byte("---\nplan: mine\nbranch: theirs\n---\n"+texts.Steps("- [x] a {#a}\n- [ ] new one\n"))))
	c = w.load()
	if p := c.Doc.Plan; p.ID != id || p.Branch != "work" || p.Base != "main" || states(c) != "a done, new-one open" {
		t.Errorf("plan %s of %s on %s: %s", p.ID, p.Branch, p.Base, states(c))
	}
	if !strings.Contains(string(c.Doc.Plan.Source), "- [ ] new one {#new-one}") {
		t.Errorf("a new step has no id:\n%s", c.Doc.Plan.Source)
	}
	tip := c.Doc.Tip
	fine(t, c.Revise(t.Context(), c.Doc.Plan.Source))
	if c.Doc.Tip != tip {
		t.Error("the same text is an event")
	}
	if err := c.Revise(t.Context(), []byte("no plan")); err == nil || c.Doc.Tip != tip {
		t.Errorf("an invalid plan: %v", err)
	}
}

// Two people edit the same plan: the second text would revert the first one's changes.
func TestReviseRefusesStaleText(t *testing.T) {
	w := newWorld(t)
	w.plan()
	anna, ben := w.load(), w.load()
	fine(t, anna.Revise(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n- [ ] of anna {#anna}\n"))))
	err := ben.Revise(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n- [ ] of ben {#ben}\n")))
	refused(t, err, fault.ErrTypedOver, "the plan was changed just now")
	if c := w.load(); states(c) != "a open, anna open" {
		t.Errorf("the plan has %s", states(c))
	}

	w.git("branch -m work renamed") // which changes the text, too, but was not typed
	c := w.load()
	fine(t, c.Revise(t.Context(), []byte(texts.Steps("- [ ] b {#b}\n"))))
	if c = w.load(); c.Doc.Plan.Branch != "renamed" || states(c) != "b open" {
		t.Errorf("the plan of %s has %s", c.Doc.Plan.Branch, states(c))
	}
}

// A state can be set by hand, but a done step can only be reopened.
func TestSetState(t *testing.T) {
	w := newWorld(t)
	w.plan()
	w.does("a")
	c := w.load()
	err := c.SetState(t.Context(), "skipped", "", "z")
	refused(t, err, fault.ErrUnknownStep, "the plan has no step z")
	err = c.SetState(t.Context(), "skipped", "", "1")
	refused(t, err, fault.ErrDoneAlready, "step a is done, so it cannot be skipped")

	events := len(c.Doc.Events)
	err = c.SetState(t.Context(), "blocked", "", "b", "a")
	refused(t, err, fault.ErrDoneAlready, "step a is done, so it cannot be blocked")
	if c = w.load(); states(c) != "a done, b open" || len(c.Doc.Events) != events {
		t.Errorf("not all could be blocked, and one was: %s", states(c))
	}
	fine(t, c.SetState(t.Context(), "blocked", "no\nkey", "2"))
	if c = w.load(); states(c) != "a done, b blocked" || c.Doc.Plan.Steps[1].Status.Reason != "no key" {
		t.Errorf("blocked: %s, since %q", states(c), c.Doc.Plan.Steps[1].Status.Reason)
	}
	fine(t, c.SetState(t.Context(), "reopened", "again", "a", "b"))
	if again := w.load(); len(c.Store.Unverified(c.Doc))+len(again.Store.Unverified(again.Doc)) > 0 {
		t.Errorf("its own events are unknown: %v", c.Store.Unverified(c.Doc))
	}
	if c = w.load(); len(c.Doc.Events) != events+3 || states(c) != "a reopened, b reopened" && states(c) != "a reopened, b open" || c.Doc.Plan.Steps[0].Box {
		t.Errorf("reopened: %s\n%s", states(c), c.Doc.Plan.Source)
	}
}
