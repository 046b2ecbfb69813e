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
	ref, err := checkout.KeepAttempt(w.T.Context(), w.Checkout, w.git("write-tree"), []string{head}, "a", "the check fails\nand prints \x1b[2J")
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
		ref, err := checkout.KeepAttempt(t.Context(), w.Checkout, tree, []string{w.git("rev-parse", "HEAD")}, name, reason)
		w.fine(err)
		return ref
	}
	id := w.Doc.ID
	if ref := keep("a", "the check fails"); ref != "refs/plan-attempts/"+id+"/a/1" {
		t.Error(ref)
	}
	keep("a", "again\nwith more")
	keep("b", "b, too")
	all, err := checkout.KeptAttempts(t.Context(), w.Checkout, "a")
	w.fine(err)
	if len(all) != 2 || all[0].Name != "a/1" || all[1].Name != "a/2" || all[1].Reason != "again" || time.Since(all[0].Time) > time.Hour {
		t.Errorf("%+v", all)
	}
	all, err = checkout.KeptAttempts(t.Context(), w.Checkout, "")
	w.fine(err)
	if len(all) != 3 || all[2].Name != "b/1" {
		t.Errorf("%+v", all)
	}
	gone, err := checkout.PruneAttempts(t.Context(), w.Checkout, time.Hour)
	w.fine(err)
	if len(gone) != 0 {
		t.Errorf("pruned: %+v", gone)
	}
	gone, err = checkout.PruneAttempts(t.Context(), w.Checkout, 0)
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
	ref, err := checkout.KeepCommit(t.Context(), w.Checkout, w.git("rev-parse", "HEAD"), "a")
	w.fine(err)
	for _, name := range []string{"a/1", ref} {
		k, err := checkout.FindAttempt(t.Context(), w.Checkout, name)
		w.fine(err)
		w.says(k.Reason, "undone: first")
	}
	if _, err := checkout.FindAttempt(t.Context(), w.Checkout, "a/2"); !errors.Is(err, fault.ErrUnknownAttempt) {
		t.Errorf("%v", err)
	}
	w.says(checkout.ShowCommand(w.Checkout, ref), "git plan attempts show a/1")
	w.Doc = nil
	w.says(checkout.ShowCommand(w.Checkout, "refs/plan-attempts/none/x/1"), "git diff refs/plan-attempts/none/x/1^ refs/plan-attempts/none/x/1")
}

// What a kept attempt waits for is read from its message; similar text by a session is ignored.
func TestReasonOfAWaitingAttempt(t *testing.T) {
	w := newWorld(t)
	tree, head := w.git("rev-parse", "HEAD^{tree}"), w.git("rev-parse", "HEAD")
	for _, row := range []struct {
		reason, message string
	}{
		{"the check fails", ""},
		{checkout.PassedReason + "\n\nAdd a\n\nPlan-Step: a", "Add a\n\nPlan-Step: a"},
		{checkout.FinishedReason + "\n\nAdd a", "Add a"},
		{checkout.KilledReason, ""},
		{"it says: " + checkout.PassedReason + "\n\nAdd a", ""},
		{"the check fails\n\n" + checkout.FinishedReason + "\n\nAdd a", ""},
	} {
		ref, err := checkout.KeepAttempt(t.Context(), w.Checkout, tree, []string{head}, "a", row.reason)
		w.fine(err)
		kept, err := w.Repo.ReadCommit(t.Context(), ref)
		w.fine(err)
		if message := checkout.Waiting(kept); message != row.message {
			t.Errorf("%q: %q", row.reason, message)
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
	k, err := checkout.FindAttempt(t.Context(), w.Checkout, "a/1")
	w.fine(err)
	for names, want := range map[string]string{
		"a.txt":     "D\ta.txt",
		"dir":       "A\tdir\nD\tdir/b.txt",
		"new.txt":   "A\tnew.txt",
		"c.txt":     "A\tc.txt",
		". new.txt": "D\ta.txt\nA\tc.txt\nA\tdir\nD\tdir/b.txt\nA\tnew.txt",
	} {
		part, err := checkout.NamedPart(t.Context(), w.Checkout, k, kept, strings.Fields(names))
		w.fine(err)
		if got := w.git("diff-tree", "--no-renames", "-r", "--name-status", checkout.ParentOf(kept), part.OID); got != want {
			t.Errorf("%s: %q", names, got)
		}
	}
	if _, err := checkout.NamedPart(t.Context(), w.Checkout, k, kept, []string{"new.txt", "other/"}); !errors.Is(err, fault.ErrUnknownAttempt) {
		t.Errorf("%v", err)
	}
	if part, paths, err := checkout.PartOfAttempt(t.Context(), w.Checkout, kept, func(string) bool { return false }); err != nil || part.OID != "" || paths != nil {
		t.Errorf("nothing of it: %v, %v, %v", part, paths, err)
	}
}

// A ref that a session put where attempts belong is moved out of the way, and its value is kept.
func TestForeignRefInPlaceOfAttempts(t *testing.T) {
	for _, at := range []string{"", "/a"} {
		w := newWorld(t)
		head, attempts := w.git("rev-parse", "HEAD"), "refs/plan-attempts/"+w.Doc.ID
		w.git("update-ref", attempts+at, head)
		ref, err := checkout.KeepAttempt(t.Context(), w.Checkout, w.git("rev-parse", "HEAD^{tree}"), nil, "a", "it failed")
		w.fine(err)
		if kept := w.git("rev-parse", attempts+"/_refs/1"); ref != attempts+"/a/1" || kept != head {
			t.Errorf("%s, and %s at _refs/1", ref, kept)
		}
	}
}
