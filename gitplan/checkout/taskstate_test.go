package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Files that existed before the session belong to the person, with everything in such a folder.
func TestHas(t *testing.T) {
	p := &TaskState{Untracked: []worktree.RawFile{{Path: "notes"}, {Path: "dir/mine"}}, Ignored: []string{"build/", "a/b/cache/", ".env"}}
	for path, want := range map[string]bool{
		"notes": true, "dir/mine": true, ".env": true, "build/x": true, "build/deep/x": true, "a/b/cache/x": true,
		"notes/below": true, // a former file is a folder now
		"dir":         false, "dir/other": false, "build": false, "buildx": false, "a/b": false, "other": false,
	} {
		if p.Has(path) != want {
			t.Errorf("%s was there: %v", path, !want)
		}
	}
	if got := (&TaskState{Untracked: p.Untracked[:1], Hidden: p.Untracked[1:]}).Uncommitted(); len(got) != 2 {
		t.Errorf("uncommitted: %v", got)
	}
}

// The progress of a task is known from its state file.
func TestProgressOfATask(t *testing.T) {
	for _, c := range []struct {
		name  string
		note  TaskState
		waits bool
		lands string
		ended string
	}{
		{"a running session", TaskState{Name: "a"}, false, "step", "interrupted"},
		{"passed in the work tree", TaskState{Name: "a", Phase: Checked, Tree: "t"}, false, "step", "interrupted"},
		{"passed in a clone", TaskState{Name: "a", InClone: true, Phase: Checked, Tree: "t"}, true, "step", "interrupted"},
		{"passed in a clone, of a review", TaskState{Name: journal.FixName(1), InClone: true, Phase: Checked, Tree: "t"}, true, "review", "interrupted"},
		{"being applied to the work tree", TaskState{Name: "a", InClone: true, Tree: "t", Phase: Landing}, false, "step", "interrupted"},
		{"with changed configuration", TaskState{Name: "a", Changed: []string{"hooks", "config"}}, false, "step", "tampering: changed during the session: hooks, config"},
	} {
		if c.note.AwaitsCommit() != c.waits || c.note.CommitCommand() != c.lands || c.note.Ended().Reason != c.ended {
			t.Errorf("%s: waits: %v, lands by git plan %s, ended %q", c.name, c.note.AwaitsCommit(), c.note.CommitCommand(), c.note.Ended().Reason)
		}
	}
}

// The work tree belongs to a session while its task is running there.
func TestSessionsTree(t *testing.T) {
	w := newWorld(t)
	w.plan()
	w.does("a")
	c := w.load()
	if c.Task().State().Name != "" || c.SessionsTree() {
		t.Error("a task is recorded before it began")
	}
	there := t.TempDir()
	for _, n := range []struct {
		name string
		note TaskState
		want bool
	}{
		{"running", TaskState{Name: "b", Top: c.Repo.Top}, true},
		{"killed after its commit", TaskState{Name: "a", Top: c.Repo.Top}, false},
		{"in a clone", TaskState{Name: "b", Top: c.Repo.Top, InClone: true}, false},
		{"landing from a clone", TaskState{Name: "b", Top: c.Repo.Top, InClone: true, Phase: Landing}, true},
		{"in another work tree", TaskState{Name: "b", Top: there}, false},
		{"in a removed work tree", TaskState{Name: "b", Top: filepath.Join(there, "gone")}, true},
	} {
		fine(t, c.Task().Note().Save(n.note))
		if got := c.SessionsTree(); got != n.want || c.Task().State().Name != n.note.Name {
			t.Errorf("%s: %v", n.name, got)
		}
	}
	fine(t, c.Task().Note().Write([]byte("no note")))
	if c.Task().State().Name != "" {
		t.Error("an unreadable state file has a value")
	}
}

// Each plan has its own state file. Without a plan each work tree has one.
func TestTaskNote(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c, loaded := w.open(), w.load()
	names := map[string]bool{}
	for _, note := range []journal.Note{c.Task().Note(), loaded.Task().Note(), TaskIn(c.Repo, "other-1234", "").Note()} {
		names[note.Path] = true
	}
	if loaded.Task().Note() != TaskIn(c.Repo, id, "").Note() || len(names) != 3 {
		t.Errorf("the notes are %v", names)
	}
}

// A repository that is moved after a kill keeps the session's record, and nothing of its plan runs before a
// person has looked. Another clone of the plan does not use the record.
func TestRecordOfAMovedRepository(t *testing.T) {
	w := newWorld(t)
	w.plan()
	c := w.load()
	fine(t, integrity.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source))
	left := TaskState{Name: "a", Branch: "work", Top: c.Repo.Top, Phase: Working, Session: "a-1-1"}
	fine(t, left.Record(t.Context(), c))
	f, err := KeepTranscript(c, left.Session)
	fine(t, errors.Join(err, f.Close()))
	clone, moved := w.clone("work"), &world{T: t, dir: w.dir + "-moved"}
	fine(t, os.Rename(w.dir, moved.dir))
	now := moved.open()
	fine(t, integrity.Approve(now.Repo, c.Doc.ID, c.Doc.Plan.Source)) // as before the move
	if s := clone.load().Task().State(); s.Name != "" {
		t.Errorf("another clone has %+v", s)
	}
	now = moved.load()
	if s := now.Task().State(); s.Name != "a" || len(s.Changed) != 1 {
		t.Errorf("it has %+v", s)
	}
	refused(t, now.RequireApproval(), fault.ErrSetupUnseen, "since the repository was moved, changed during the session at step a, and the plan has not been approved since")
}
