package checkout_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/git-plan/git-plan/testdata/texts"
)

// world is a repository with one commit and a plan on branch work.
type world struct {
	*testing.T
	*checkout.Checkout
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t}
	repository.Here(t, "-b", "main")
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	repository.Write(t, "a.txt", "one\n")
	repository.Commit(t, "first")
	w.git("switch", "-q", "-c", "work")
	c := w.open()
	doc, err := c.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n")), "work", "main", journal.Event{Start: w.git("rev-parse", "HEAD"), By: journal.ByPerson})
	w.fine(err)
	w.fine(c.Attach(t.Context(), doc.ID))
	w.Checkout = w.open()
	w.fine(w.Load(t.Context()))
	return w
}

func (w *world) open() *checkout.Checkout {
	w.Helper()
	c, err := checkout.Open(w.T.Context())
	w.fine(err)
	w.Cleanup(c.Close)
	return c
}

func (w *world) git(args ...string) string {
	w.Helper()
	return repository.Ask(w.T, args...)
}

// says fails the test unless a text contains a part; "" means no text.
func (w *world) says(text, want string) {
	w.Helper()
	if !strings.Contains(text, want) || want == "" && text != "" {
		w.Errorf("%q does not say %q", text, want)
	}
}

func (w *world) fine(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// keeps keeps the work tree's state as an attempt at step a, and restores the tree.
func (w *world) keeps() git.Commit {
	w.Helper()
	head := w.git("rev-parse", "HEAD")
	w.git("add", "-A")
	ref, err := w.Checkout.Attempts().Keep(w.T.Context(), w.git("write-tree"), []string{head}, "a", checkout.Ending{Reason: "the check fails\nand prints \x1b[2J"})
	w.fine(err)
	w.git("reset", "-q", "--hard")
	kept, err := w.Repo.ReadCommit(w.T.Context(), ref)
	w.fine(err)
	w.says(kept.Message, `and prints \u001b[2J`) // as a terminal does not obey it
	return kept
}

// Uncommitted work is kept under the next number, and the attempt that an event names stays the same.
func TestAttemptsHaveNumbers(t *testing.T) {
	w := newWorld(t)
	tree := w.git("rev-parse", "HEAD^{tree}")
	keep := func(name, reason string) string {
		ref, err := w.Checkout.Attempts().Keep(t.Context(), tree, []string{w.git("rev-parse", "HEAD")}, name, checkout.Ending{Reason: reason})
		w.fine(err)
		return ref
	}
	id := w.Doc.ID
	if ref := keep("a", "the check fails"); ref != "refs/plan-attempts/"+id+"/a/1" {
		t.Error(ref)
	}
	keep("a", "again\nwith more")
	keep("b", "b, too")
	all, err := w.Checkout.Attempts().List(t.Context(), "a")
	w.fine(err)
	if len(all) != 2 || all[0].Name != "a/1" || all[1].Name != "a/2" || all[1].Ending.Reason != "again\nwith more" || time.Since(all[0].Time) > time.Hour {
		t.Errorf("%+v", all)
	}
	all, err = w.Checkout.Attempts().List(t.Context(), "")
	w.fine(err)
	if len(all) != 3 || all[2].Name != "b/1" {
		t.Errorf("%+v", all)
	}
	gone, err := w.Checkout.Attempts().Prune(t.Context(), time.Hour)
	w.fine(err)
	if len(gone) != 0 {
		t.Errorf("pruned: %+v", gone)
	}
	gone, err = w.Checkout.Attempts().Prune(t.Context(), 0)
	w.fine(err)
	if len(gone) != 3 {
		t.Errorf("pruned: %+v", gone)
	}
	w.fine(w.Store.Apply(t.Context(), w.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Failed, Steps: []string{"a"}, Kept: "refs/plan-attempts/" + id + "/a/2"}}))
	if ref := keep("a", "later"); !strings.HasSuffix(ref, "/a/3") {
		t.Error(ref)
	}
	for _, e := range []journal.Event{{Kind: journal.Started, Attempt: 1}, {Kind: journal.Failed, Attempt: 1}, {Kind: journal.Failed, Attempt: 2}, {Kind: journal.Reopened}, {Kind: journal.Started, Attempt: 1}} {
		e.Steps = []string{"c"}
		w.fine(w.Store.Apply(t.Context(), w.Doc, "work", journal.Change{Event: e}))
	}
	if ref := keep("c", "the first two left nothing"); !strings.HasSuffix(ref, "/c/3") {
		t.Error(ref)
	}
	w.fine(w.Store.Apply(t.Context(), w.Doc, "work", journal.Change{Event: journal.Event{Kind: journal.Started, Steps: []string{"c"}, Attempt: 2}}))
	if ref := keep("c", "the first two left nothing"); !strings.HasSuffix(ref, "/c/4") { // left the same
		t.Error(ref)
	}
}

// An attempt is found by its name or its ref, and a command shows it.
func TestAttemptIsFound(t *testing.T) {
	w := newWorld(t)
	ref, err := w.Checkout.Attempts().KeepCommit(t.Context(), w.git("rev-parse", "HEAD"), "a")
	w.fine(err)
	for _, name := range []string{"a/1", ref} {
		k, err := w.Checkout.Attempts().Find(t.Context(), name)
		w.fine(err)
		w.says(k.Ending.Reason, "undone: first")
	}
	if _, err := w.Checkout.Attempts().Find(t.Context(), "a/2"); !errors.Is(err, fault.ErrUnknownAttempt) {
		t.Errorf("%v", err)
	}
	w.says(w.Checkout.Attempts().ShowCommand(ref), "git plan attempts show a/1")
	w.Doc = nil
	w.says(w.Checkout.Attempts().ShowCommand("refs/plan-attempts/none/x/1"), "git diff refs/plan-attempts/none/x/1^ refs/plan-attempts/none/x/1")
}

// How kept work ended is read from its message, also where an older version said it in words only; similar text by a
// session is ignored.
func TestEndingsOfKeptWork(t *testing.T) {
	w := newWorld(t)
	tree, head := w.git("rev-parse", "HEAD^{tree}"), w.git("rev-parse", "HEAD")
	passed, message := checkout.Ending{Reason: checkout.PassedReason}, "Add a\n\nPlan-Step: a"
	passed.Message = message
	for _, row := range []struct{ kept, want checkout.Ending }{
		{checkout.Ending{Reason: "the check fails"}, checkout.Ending{Reason: "the check fails"}},
		{passed, passed},
		{checkout.Ending{Reason: checkout.PassedReason + "\n\n" + message}, passed},
		{checkout.Ending{Reason: checkout.FinishedReason + "\n\nAdd a"}, checkout.Ending{Reason: checkout.FinishedReason, Message: "Add a"}},
		{checkout.Ending{Interrupted: true, Reason: "the agent is limited"}, checkout.Ending{Interrupted: true, Reason: "the agent is limited"}},
		{checkout.Ending{Reason: checkout.KilledReason}, checkout.Ending{Interrupted: true, Reason: checkout.KilledReason}},
		{checkout.Ending{Reason: "it says: " + checkout.PassedReason + "\n\nAdd a"}, checkout.Ending{Reason: "it says: " + checkout.PassedReason + "\n\nAdd a"}},
		{checkout.Ending{Reason: "the check fails\n\n" + checkout.FinishedReason + "\n\nAdd a"}, checkout.Ending{Reason: "the check fails\n\n" + checkout.FinishedReason + "\n\nAdd a"}},
	} {
		ref, err := w.Attempts().Keep(t.Context(), tree, []string{head}, "a", row.kept)
		w.fine(err)
		kept, err := w.Repo.ReadCommit(t.Context(), ref)
		w.fine(err)
		if ended := checkout.EndingOf(kept); ended != row.want {
			t.Errorf("%+v is read as %+v", row.kept, ended)
		}
	}
}

// Part of an attempt consists of its changes to the named files only: written, removed, renamed, or in place
// of a folder.
func TestPartOfAnAttempt(t *testing.T) {
	w := newWorld(t)
	repository.Write(t, "dir/b.txt", "b\nb\nb\n")
	repository.Commit(t, "dir")
	w.git("mv", "dir/b.txt", "c.txt")
	w.fine(os.RemoveAll("dir"))
	repository.Write(t, "dir", "a file\n")
	repository.Write(t, "new.txt", "new\n")
	w.git("rm", "-q", "a.txt")
	kept := w.keeps()
	k, err := w.Checkout.Attempts().Find(t.Context(), "a/1")
	w.fine(err)
	for names, want := range map[string]string{
		"a.txt":     "D\ta.txt",
		"dir":       "A\tdir\nD\tdir/b.txt",
		"new.txt":   "A\tnew.txt",
		"c.txt":     "A\tc.txt",
		". new.txt": "D\ta.txt\nA\tc.txt\nA\tdir\nD\tdir/b.txt\nA\tnew.txt",
	} {
		part, err := w.Checkout.Attempts().NamedPart(t.Context(), k, kept, strings.Fields(names))
		w.fine(err)
		if got := w.git("diff-tree", "--no-renames", "-r", "--name-status", checkout.ParentOf(kept), part.OID); got != want {
			t.Errorf("%s: %q", names, got)
		}
	}
	if _, err := w.Checkout.Attempts().NamedPart(t.Context(), k, kept, []string{"new.txt", "other/"}); !errors.Is(err, fault.ErrUnknownAttempt) {
		t.Errorf("%v", err)
	}
	if part, paths, err := w.Checkout.Attempts().Part(t.Context(), kept, func(string) bool { return false }); err != nil || part.OID != "" || paths != nil {
		t.Errorf("nothing of it: %v, %v, %v", part, paths, err)
	}
}

// A ref that a session put where attempts belong is moved out of the way, and its value is kept.
func TestForeignRefInPlaceOfAttempts(t *testing.T) {
	for _, at := range []string{"", "/a"} {
		w := newWorld(t)
		head, attempts := w.git("rev-parse", "HEAD"), "refs/plan-attempts/"+w.Doc.ID
		w.git("update-ref", attempts+at, head)
		ref, err := w.Checkout.Attempts().Keep(t.Context(), w.git("rev-parse", "HEAD^{tree}"), nil, "a", checkout.Ending{Reason: "it failed"})
		w.fine(err)
		if kept := w.git("rev-parse", attempts+"/_refs/1"); ref != attempts+"/a/1" || kept != head {
			t.Errorf("%s, and %s at _refs/1", ref, kept)
		}
	}
}
