package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// What was out of the way of the checks when git plan was killed is put back.
func TestWhatWasOutOfTheWayComesBack(t *testing.T) {
	w := newWorld(t)
	write(t, w.dir, ".git/info/exclude", "ignored.txt\n")
	task := w.begin().does("echo x >ignored.txt")
	task.state.Excluded = []string{"ignored.txt"}
	fine(t, task.record(t.Context()))
	root, err := os.OpenRoot(".")
	fine(t, err)
	defer root.Close()
	fine(t, errors.Join(os.MkdirAll(hiding(root), 0o700), os.Rename("ignored.txt", hiddenPath(root, "ignored.txt"))))
	w.recalls().LoadState(t.Context())
	w.has("ignored.txt", "x\n")
}

// What a session did in a folder that git ignored before is seen by when it was written.
func TestWorkInAnIgnoredFolder(t *testing.T) {
	w := newWorld(t)
	write(t, w.dir, ".git/info/exclude", "notes/\n")
	task := w.with("notes/old.txt", "old\n").begin().does("echo x >notes/new.txt")
	left, reason := task.left()
	w.says(reason, "")
	task.Task.Session = true
	_, err := task.Committable(left)
	w.says(reasonOf(t, err), "what it did is in notes/new.txt, which git ignores")
	ref, err := task.Keep(t.Context(), "in vain")
	fine(t, err)
	w.says(ref, "") // it stays where it is: the folder is the person's
	w.has("notes/new.txt", "x\n")
}

// A check that goes by a file which only this work tree has is named.
func TestAChecksOwnFile(t *testing.T) {
	w := newWorld(t)
	write(t, w.dir, ".git/info/exclude", "state.json\ngen/\n")
	task := w.begin().does("echo x >x.txt; echo '{}' >state.json")
	left, _ := task.left()
	task.Task = Spec{Session: true, Checks: []string{"test -s state.json"}}
	reported, err := task.Committable(left)
	fine(t, err)
	w.says(reported, "a check goes by state.json, which git ignores and the session wrote: no other clone has it")

	task.does("mkdir gen; echo exit 0 >gen/check.sh; echo test: >gen/Makefile")
	for check, names := range map[string]string{"cd gen && sh check.sh": "gen/check.sh", "make -C gen test": "gen/Makefile"} {
		left, _ := task.left()
		task.Task.Checks = []string{check}
		reported, err := task.Committable(left)
		fine(t, err)
		w.says(reported, "a check goes by "+names)
	}
}

// After a step is done the note says no more than what a person has to look at.
func TestApprovalIsTakenAfterATask(t *testing.T) {
	w := newWorld(t)
	task := w.with("mine.txt", "x\n").begin()
	fine(t, task.TakeApprovalAfter(t.Context(), "a", []string{".git/hooks/pre-push"}))
	note := w.site.Checkout.TaskState()
	if note.Name != "a" || note.Session != "a-1" || strings.Join(note.Changed, "") != ".git/hooks/pre-push" || note.Untracked != nil || task.state.Session != "a-1" {
		t.Errorf("%+v", note)
	}
}

// What a session made read-only, or linked elsewhere, is put back all the same.
func TestATreeThatIsHardToPutBack(t *testing.T) {
	w := newWorld(t)
	task := w.begin().does("mkdir -p deep/er; echo x >deep/er/x.txt; chmod 500 deep/er deep; rm a.txt; ln -s /nowhere a.txt; chmod 400 .gitignore 2>/dev/null || true")
	_, err := task.Keep(t.Context(), "in vain")
	repository.Git(t, w.dir, "status")
	fine(t, err)
	w.has("a.txt", "one\ntwo\nthree\n")
	if _, err := os.Lstat("deep"); err == nil {
		t.Error("deep is there still")
	}
}
