package doctor

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// A session that no command has settled was interrupted.
func TestUnended(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	c := w.open()
	started := journal.Event{Kind: journal.Started, Steps: []string{"a"}, By: journal.ByAgent}
	checked := journal.Event{Kind: journal.Checked, Steps: []string{"a"}, Tree: "t"}
	fixer := checkout.TaskState{Name: journal.FixName(1), InClone: true, Phase: checkout.Checked, Tree: "t"}
	for _, k := range []struct {
		what   string
		note   checkout.TaskState
		events []journal.Event
		step   string
	}{
		{"a session", checkout.TaskState{Name: "a"}, []journal.Event{started}, "a"},
		{"a session in a clone", checkout.TaskState{Name: "a", InClone: true, Tree: "t"}, []journal.Event{started}, "a"},
		{"checked in a clone", checkout.TaskState{Name: "a", InClone: true, Phase: checkout.Checked, Tree: "t"}, []journal.Event{started, checked}, "a"},
		{"checked in the work tree", checkout.TaskState{Name: "a", Tree: "t"}, []journal.Event{started, checked}, "a"},
		{"a fixer whose fix passed", fixer, nil, fixer.Name},
		{"a fixer", checkout.TaskState{Name: fixer.Name, InClone: true}, nil, fixer.Name},
		{"a step that a person opened", checkout.TaskState{Name: "a"}, []journal.Event{{Kind: journal.Started, Steps: []string{"a"}, By: journal.ByPerson}}, ""},
		{"a session that changed the configuration", checkout.TaskState{Name: "a", Changed: []string{"x"}}, []journal.Event{started}, ""},
	} {
		w.note(id, k.note)
		var want []string
		if k.step != "" {
			want = []string{k.step}
		}
		if got := UnfinishedTasks(c, id, k.events); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", k.what, got, want)
		}
	}
	w.note(id, checkout.TaskState{Name: "a"})
	lock, err := journal.Acquire(c.Repo, id, "step")
	fine(t, err)
	if got := UnfinishedTasks(c, id, []journal.Event{started}); len(got) > 0 {
		t.Errorf("at work: %q", got)
	}
	lock.Release()
	if got := UnfinishedTasks(c, "other-1234", nil); len(got) > 0 {
		t.Errorf("without a note: %q", got)
	}
}

// An interrupted session is listed with its branch, where the next command continues it.
func TestInterruptedSession(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	w.note(id, checkout.TaskState{Name: "a"})
	says(t, w.examined(), "sessions", "- the one at step a of plan "+id+": interrupted => on branch work: git plan step goes on with it")
	w.note(id, checkout.TaskState{Name: journal.FixName(2), InClone: true, Phase: checkout.Checked, Tree: "t"})
	says(t, w.examined(), "sessions", "- a fixer of the review of plan "+id+": interrupted => on branch work: git plan review goes on, and keeps what it left")
}
