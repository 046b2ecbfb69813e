package workspace

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A person's changes since next are theirs to commit; files that were untracked before are not.
func TestWorkByHand(t *testing.T) {
	w := newWorld(t).with("before.txt", "x\n")
	s, err := worktree.ReadStatusIgnored(t.Context(), w.site.Checkout.Repo)
	fine(t, err)
	fine(t, At(w.site, s).RecordUserFiles(t.Context(), "a"))
	w.again().with("after.txt", "x\n").with(".gitignore", "hidden.txt\n").with("hidden.txt", "x\n")
	s, err = worktree.ReadStatus(t.Context(), w.site.Checkout.Repo)
	fine(t, err)
	p := At(w.site, s)
	p.LoadState(t.Context())
	if left := p.Changes(); strings.Join(left.Paths(), " ") != ".gitignore after.txt" {
		t.Errorf("left: %v", left.Paths())
	}
}

// A kept attempt can be restored to the tree, unless something is in its way.
func TestAttemptIsRestored(t *testing.T) {
	w := newWorld(t)
	_, err := w.begin().does("echo new >new.txt; echo four >>a.txt").Keep(t.Context(), checkout.Ending{Reason: "it failed"})
	fine(t, err)
	k, err := w.again().site.Checkout.Attempts().Find(t.Context(), "a/1")
	fine(t, err)
	w.with("new.txt", "mine\n")
	if err := RestoreAttempt(t.Context(), w.site, k); err == nil || !strings.Contains(err.Error(), "new.txt is not tracked, and what the attempt had made would overwrite it") {
		t.Errorf("%v", err)
	}
	repository.Git(t, w.dir, "clean", "-fdq")
	fine(t, RestoreAttempt(t.Context(), w.site, k))
	w.has("new.txt", "new\n")
	if err := RestoreAttempt(t.Context(), w.site, k); err == nil || !strings.Contains(err.Error(), "not committed: ") {
		t.Errorf("%v", err)
	}
	repository.Git(t, w.dir, "reset", "-q", "--hard")
	w.with("a.txt", "something else\n").git("commit", "-qam", "else")
	repository.Git(t, w.dir, "clean", "-fdq")
	if err := RestoreAttempt(t.Context(), w.site, k); err == nil || !strings.Contains(err.Error(), "attempt a/1 conflicts with what the branch has now") {
		t.Errorf("%v", err)
	}
}

// Of an attempt only the requested files are restored: written, removed, or in place of a folder.
func TestPartOfAnAttemptIsRestored(t *testing.T) {
	w := newWorld(t).with("dir/b.txt", "b\n")
	w.git("add", ".")
	w.git("commit", "-qm", "dir")
	_, err := w.again().begin().does("echo new >new.txt; echo four >>a.txt; rm -r dir; echo file >dir").Keep(t.Context(), checkout.Ending{Reason: "it failed"})
	fine(t, err)
	k, err := w.again().site.Checkout.Attempts().Find(t.Context(), "a/1")
	fine(t, err)
	fine(t, RestoreAttempt(t.Context(), w.site, k, "dir"))
	w.has("dir", "file\n")
	w.has("a.txt", "one\ntwo\nthree\n")
	w.git("add", ".")
	w.git("commit", "-qm", "a file")
	fine(t, RestoreAttempt(t.Context(), w.site, k, "new.txt"))
	if s := w.git("status", "--porcelain"); s != "?? new.txt" {
		t.Errorf("%q", s)
	}
	if err := RestoreAttempt(t.Context(), w.site, k, "a.txt", "a"); err == nil || !strings.Contains(err.Error(), "attempt a/1 did not change a") {
		t.Errorf("%v", err)
	}
}

// The person's hooks run before the commit: one may format, one may refuse.
func TestHooksRunBeforeTheCommit(t *testing.T) {
	// Landlock lets a hook write to .git, which includes git's configuration: its changes there are detected.
	// In bwrap it cannot write there.
	configured := ""
	if proc.Works(t.Context(), proc.Bwrap) != nil {
		configured = "tampering: changed during the session: the configuration (core.editor)"
	}
	for hook, says := range map[string]string{
		"exit 0":                                "",
		"echo no >&2; exit 1":                   "git commit: pre-commit",
		"echo four >>x.txt":                     "a commit hook changed the files to commit",
		"echo four >>a.txt":                     "", // as in git, unstaged changes are not committed
		"echo four >>a.txt; git add a.txt":      "a commit hook changed the files to commit",
		"git config core.editor true; exit 0":   configured,
		"echo made >made.txt; git add made.txt": "a commit hook changed the files to commit",
	} {
		w := newWorld(t)
		write(t, w.dir, ".git/hooks/pre-commit", "#!/bin/sh\n"+hook+"\n")
		repository.Git(t, w.dir, "config", "core.hooksPath", w.dir+"/.git/hooks")
		chmod(t, w.dir+"/.git/hooks/pre-commit")
		w.again()
		task := w.begin().does("echo x >x.txt")
		left, _ := task.left()
		tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
		fine(t, err)
		fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
		err = task.Commit(t.Context(), "", &proc.Tail{})
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", hook, err)
		}
		if made := task.Committed(t.Context()); (made != "") != (err == nil) {
			t.Errorf("%s: committed %q", hook, made)
		}
	}
}

// A session in a clone may write to all of it, and to nothing in the work tree.
func TestWritablePathsOfASession(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin()
		c, err := task.ConfineSession(w.Context(), &builtin.Agent{}, agent.Session{Role: agent.Executor, Dir: task.Dir()})
		fine(w.T, err)
		if c == nil {
			w.Skip("nothing confines programs on this machine")
		}
		readOnly := strings.Join(c.ReadOnly, "\n") + "\n"
		if inClone := task.InClone(); strings.Contains(readOnly, w.dir+"\n") != inClone || inClone && strings.Contains(readOnly, task.Dir()+"/.git\n") {
			w.Errorf("read only:\n%s", readOnly)
		}
	})
}
