package git

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// What commits say of each other is git's answer, and a missing one is told from none.
func TestHistory(t *testing.T) {
	r := repository(t)
	write(t, "a.txt", "one\ntwo\nthree\nfour\n")
	one := commit(t, "First\n\nbody")
	run(t, "", "switch", "-qc", "side")
	write(t, "side", "s")
	side := commit(t, "Side")
	run(t, "", "switch", "-q", "main")
	if err := os.Rename("a.txt", "b.txt"); err != nil {
		t.Fatal(err)
	}
	two := commit(t, "Second")
	run(t, "", "merge", "-q", "--no-ff", "-m", "Merge", "side")
	merge := run(t, "", "rev-parse", "HEAD")
	if base, err := r.MergeBase(t.Context(), side, two); base != one || err != nil {
		t.Errorf("the merge base is %s, %v", base, err)
	}
	if _, err := r.MergeBase(t.Context(), one, run(t, "", "commit-tree", "-m", "x", one+"^{tree}")); !errors.Is(err, ErrMissing) {
		t.Errorf("of two without one: %v", err)
	}
	for pair, want := range map[[2]string]bool{{one, merge}: true, {merge, one}: false, {side, two}: false} {
		if is, err := r.IsAncestor(t.Context(), pair[0], pair[1]); is != want || err != nil {
			t.Errorf("%v: %t, %v", pair, is, err)
		}
	}
	commits, err := r.Commits(t.Context(), []string{two, one})
	if err != nil || len(commits) != 2 || commits[0].OID != two || commits[1].Subject() != "First" {
		t.Errorf("the commits are %v, %v", commits, err)
	}
	logs, err := r.LogByRef(t.Context(), "refs/heads/")
	if err != nil || len(logs["refs/heads/side"]) != 2 {
		t.Errorf("the branch side has %v, %v", logs["refs/heads/side"], err)
	}
	if names, err := r.Renames(t.Context(), one, two); err != nil || names["a.txt"] != "b.txt" {
		t.Errorf("the renames are %v, %v", names, err)
	}
	if files, err := r.Written(t.Context(), one, merge); err != nil || !slices.Equal(slices.Sorted(slices.Values(files)), []string{"b.txt", "side"}) {
		t.Errorf("%q were written, %v", files, err)
	}
	var patch bytes.Buffer
	if err := r.Patch(t.Context(), &patch, one, merge); err != nil || !strings.Contains(patch.String(), "+s") {
		t.Errorf("the patch is %q, %v", patch.String(), err)
	}
	whole, err := r.Commits(t.Context(), []string{merge})
	if err != nil {
		t.Fatal(err)
	}
	if diffs, err := r.OfMerges(t.Context(), whole); err != nil || len(diffs) != 1 {
		t.Errorf("of the merge: %v, %v", diffs, err)
	}
	refs, err := r.Refs(t.Context(), "refs/heads/")
	if err != nil || len(refs) != 2 {
		t.Errorf("the refs are %v, %v", refs, err)
	}
	blob := run(t, "", "rev-parse", merge+":side")
	if err := r.Stream(t.Context(), blob, func(in io.Reader) error { patch.Reset(); _, err := patch.ReadFrom(in); return err }); err != nil || patch.String() != "s" {
		t.Errorf("the blob is %q, %v", patch.String(), err)
	}
	if text, err := r.Contents(t.Context())(blob); err != nil || string(text) != "s" {
		t.Errorf("the blob is %q, %v", text, err)
	}
}

// The index comes back as it was, and what git was told not to look at is named.
func TestIndexComesBack(t *testing.T) {
	r := repository(t)
	write(t, "a", "1")
	commit(t, "one")
	write(t, "b", "2")
	run(t, "", "add", "b")
	kept := filepath.Join(t.TempDir(), "index")
	if err := r.SaveIndex(kept); err != nil {
		t.Fatal(err)
	}
	index, err := r.OpenIndex()
	if err != nil {
		t.Fatal(err)
	}
	staged, err := r.StagedTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, "", "update-index", "--assume-unchanged", "a")
	if hidden, err := index.Hidden(t.Context()); err != nil || !slices.Equal(hidden, []string{"a"}) {
		t.Errorf("hidden are %q, %v", hidden, err)
	}
	if err := r.Unhide(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if hidden, err := index.Hidden(t.Context()); err != nil || len(hidden) != 0 {
		t.Errorf("hidden are still %q, %v", hidden, err)
	}
	write(t, ".git/index", "no index")
	if _, err := r.StagedTree(t.Context()); err == nil {
		t.Error("an index of nonsense has a tree")
	}
	if err := index.Restore(); err != nil {
		t.Fatal(err)
	}
	run(t, "", "read-tree", "--empty")
	if err := r.LoadIndex(kept); err != nil {
		t.Fatal(err)
	}
	if tree, err := r.StagedTree(t.Context()); tree != staged || err != nil {
		t.Errorf("the index is %s, %v, and was %s", tree, err, staged)
	}
	write(t, "a", "changed")
	if err := r.RestorePaths(t.Context(), "HEAD", []string{"a"}); err != nil || string(read(t, "a")) != "1" {
		t.Errorf("a is %q, %v", read(t, "a"), err)
	}
}

// A session's clone has the branch and none of this repository's hooks; what it commits is read
// as a stranger's word, and changes nothing here.
func TestPrivateClone(t *testing.T) {
	r := repository(t)
	write(t, "a", "1")
	one := commit(t, "one")
	top, gitDir := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	clone, err := r.PrivateClone(t.Context(), top, gitDir, "main", one, "user.name", "S")
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	if string(read(t, filepath.Join(top, "a"))) != "1" || run(t, top, "config", "user.name") != "S" || run(t, top, "symbolic-ref", "--short", "HEAD") != "main" {
		t.Error("the clone is not one of the branch")
	}
	write(t, filepath.Join(top, "b"), "2")
	if s, err := clone.Status(t.Context()); err != nil || !slices.Contains(s.Untracked, "b") {
		t.Errorf("new in it are %q, %v", s.Untracked, err)
	}
	run(t, top, "add", "-A")
	run(t, top, "commit", "-qm", "In the clone")
	if made := clone.CommitsOfClone(t.Context(), one); len(made) != 1 || made[0].Subject() != "In the clone" {
		t.Errorf("made in it were %v", made)
	}
	if run(t, "", "rev-parse", "HEAD") != one {
		t.Error("the repository has moved")
	}
	scratch, err := r.Scratch(t.Context(), filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	if added, err := r.AddedIn(t.Context(), scratch, "HEAD"); err != nil || len(added) != 0 {
		t.Errorf("added in a fresh one were %q, %v", added, err)
	}
}

// A link or a pipe that came into a folder where git writes is found, however old it looks.
func TestPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right here")
	}
	r := repository(t)
	commit(t, "one")
	began, folders := time.Now(), r.Folders()
	if found := r.Planted(began, folders); len(found) != 0 {
		t.Fatalf("nothing was planted, and yet %q", found)
	}
	time.Sleep(20 * time.Millisecond)
	at := filepath.Join(r.GitDir, "refs", "heads", "planted")
	if err := os.Symlink("/etc/passwd", at); err != nil {
		t.Fatal(err)
	}
	if found := r.Planted(began, folders); len(found) != 1 || filepath.Base(found[0]) != "planted" {
		t.Errorf("planted are %q", found)
	}
	files, dirs := r.Neighbours()
	run(t, "", "worktree", "add", "-q", "../linked")
	more, _ := r.Neighbours()
	if len(more) <= len(files) || len(dirs) == 0 && len(files) > 0 && r.Deserted(more[len(more)-1]) {
		t.Errorf("neighbours are %q, and then %q", files, more)
	}
	if trees := r.WorkTrees(); len(trees) != 1 || filepath.Base(trees[0]) != "linked" {
		t.Errorf("the other work trees are %q", trees)
	}
}

// What a checkout would write otherwise than it lies there is known before it is committed.
func TestCheckedOut(t *testing.T) {
	r := repository(t)
	write(t, ".gitattributes", "*.txt text eol=lf\n")
	write(t, "a.txt", "one\r\ntwo\r\n")
	write(t, "b.bin", "one\r\n")
	config, err := r.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := r.CheckedOut(t.Context(), config, []string{"a.txt", "b.bin"})
	if err != nil || len(other) != 1 || string(other["a.txt"]) != "one\ntwo\n" {
		t.Errorf("other bytes have %q, %v", other, err)
	}
	began := time.Now().Add(-time.Minute)
	commit(t, "one")
	if runtime.GOOS != "windows" {
		if err := os.Chmod("b.bin", 0o755); err != nil {
			t.Fatal(err)
		}
		if modes := r.ModesSince(began, nil); len(modes) != 1 || modes["b.bin"] {
			t.Errorf("other modes have %v", modes)
		}
	}
	r.Distrust()
	if _, err := r.Resolve(t.Context(), "HEAD"); err != nil {
		t.Error(err)
	}
}

// A folder that a session closed is opened again, and a pipe at which git would wait is removed.
func TestUnbar(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("nothing can be closed here")
	}
	r := repository(t)
	write(t, "closed/a", "1")
	commit(t, "one")
	if err := os.Chmod("closed", 0); err != nil {
		t.Fatal(err)
	}
	found := r.Unbar(t.Context(), nil)
	if _, err := os.ReadFile("closed/a"); err != nil {
		t.Errorf("it is still closed, and found were %q", found)
	}
	if err := os.Chmod("closed", 0o755); err != nil {
		t.Fatal(err)
	}
	r.OpenTop()
}
