package worktree

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// The index is restored exactly, from a file and from memory.
func TestIndexIsRestored(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	repository.Commit(t, "one")
	repository.Write(t, "b", "2")
	repository.Ask(t, "add", "b")
	kept := filepath.Join(t.TempDir(), "index")
	if err := CopyIndex(r.IndexFile(), kept); err != nil {
		t.Fatal(err)
	}
	staged, err := StagedTree(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	repository.Ask(t, "read-tree", "--empty")
	if err := LoadIndex(r, kept); err != nil {
		t.Fatal(err)
	}
	if tree, err := StagedTree(ctx, r); tree != staged || err != nil {
		t.Errorf("the index is %s, %v, and was %s", tree, err, staged)
	}
}

// Files hidden from git since the index was opened are named, and can be made visible again. Files that the
// person had hidden before are not.
func TestLaterHiddenFilesAreNamed(t *testing.T) {
	r, ctx := opened(t), t.Context()
	for _, name := range []string{"a", "b", "mine"} {
		repository.Write(t, name, "1")
	}
	repository.Commit(t, "one")
	repository.Ask(t, "update-index", "--assume-unchanged", "mine")
	index, err := OpenIndex(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	repository.Ask(t, "update-index", "--assume-unchanged", "a")
	repository.Ask(t, "update-index", "--skip-worktree", "b")
	if hidden, err := index.Hidden(ctx); err != nil || !slices.Equal(hidden, []string{"a", "b"}) {
		t.Errorf("hidden are %q, %v", hidden, err)
	}
	if err := Unhide(ctx, r, []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if hidden, err := index.Hidden(ctx); err != nil || len(hidden) != 0 {
		t.Errorf("hidden are still %q, %v", hidden, err)
	}
}

// The index is interpreted like git does, in each of its formats.
func TestHiddenFilesInEachFormatOfTheIndex(t *testing.T) {
	for name, settings := range map[string][]string{
		"version 2": {"update-index", "--index-version=2"},
		"version 4": {"update-index", "--index-version=4"},
		"split":     {"update-index", "--split-index"},
	} {
		t.Run(name, func(t *testing.T) {
			r, ctx := opened(t), t.Context()
			for _, f := range []string{"a", "assumed", "assumed-same", "long/name/of/a/file", "skipped", "skipped-gone", "z"} {
				repository.Write(t, f, "x\n")
			}
			for _, args := range [][]string{{"add", "."}, {"commit", "-qm", "one"}, {"update-index", "--assume-unchanged", "assumed", "assumed-same"},
				{"update-index", "--skip-worktree", "skipped", "skipped-gone", "long/name/of/a/file"}, settings} {
				if err := r.Run(ctx, git.Command{Args: args}); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range []string{"a", "assumed", "long/name/of/a/file", "skipped"} {
				repository.Write(t, f, "longer\n")
			}
			if err := os.Remove(filepath.Join(r.Top, "skipped-gone")); err != nil {
				t.Fatal(err)
			}
			found, err := Hidden(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := pathsOf(found), []string{"assumed", "assumed-same", "long/name/of/a/file", "skipped"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := Tracked(ctx, r); len(got) != 7 || !slices.IsSorted(got) || got[3] != "long/name/of/a/file" {
				t.Errorf("tracked are %q", got)
			}
		})
	}
}

// Files of a folder that a sparse index leaves out are tracked like any other; links are not files.
func TestTrackedFilesOfASparseIndex(t *testing.T) {
	r := opened(t)
	repository.Write(t, "in/a", "1")
	repository.Write(t, "out/deep/b", "1")
	if err := os.Symlink("in/a", "link"); err != nil {
		t.Fatal(err)
	}
	repository.Commit(t, "two")
	repository.Ask(t, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
	if !strings.HasSuffix(repository.Ask(t, "ls-files", "--sparse"), "\nout/") {
		t.Fatal("the index is not sparse")
	}
	if got := Tracked(t.Context(), r); !slices.Equal(got, []string{"in/a", "out/deep/b"}) {
		t.Errorf("tracked are %q", got)
	}
}

// The saved index replaces one that git cannot read.
func TestCorruptIndexIsReplaced(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	repository.Commit(t, "one")
	index, err := OpenIndex(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	repository.Write(t, ".git/index", "no index")
	if err := errors.Join(os.Remove(".git/index"), os.Mkdir(".git/index", 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := index.Restore(); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadStatus(ctx, r); err != nil || !s.Clean() {
		t.Errorf("after it is put back: %+v, %v", s, err)
	}
}

// A missing index is restored, too; and git's lock is taken before the index is replaced.
func TestMissingIndexIsRestored(t *testing.T) {
	r, ctx := opened(t), t.Context()
	none, err := OpenIndex(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(t.TempDir(), "kept", "index")
	if err := CopyIndex(r.IndexFile(), kept); err != nil {
		t.Fatal(err)
	}
	if hidden, err := none.Hidden(ctx); len(hidden) != 0 || err != nil {
		t.Errorf("hidden are %q, %v", hidden, err)
	}
	repository.Write(t, "a", "1")
	repository.Ask(t, "add", "a")
	repository.Write(t, ".git/index.lock", "")
	var locked *git.Error
	if err := LoadIndex(r, kept); !errors.Is(err, git.ErrLocked) || !errors.As(err, &locked) || locked.Lock != r.IndexFile()+".lock" {
		t.Errorf("while git works there: %v", err)
	}
	if err := os.Remove(".git/index.lock"); err != nil {
		t.Fatal(err)
	}
	if err := LoadIndex(r, kept); err != nil || repository.Ask(t, "ls-files") != "" {
		t.Errorf("there is still an index: %v", err)
	}
	repository.Ask(t, "add", "a")
	var holders []int // each was told while the lock was not there
	r.OnWrite = func(pid int) {
		if _, err := os.Stat(".git/index.lock"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a lock when %d is told: %v", pid, err)
		}
		holders = append(holders, pid)
	}
	if err := none.Restore(); err != nil || repository.Ask(t, "ls-files") != "" {
		t.Errorf("there is still an index: %v", err)
	}
	if !slices.Equal(holders, []int{os.Getpid(), 0}) {
		t.Errorf("who writes the index: %v", holders)
	}
}

// In a sparse checkout the files of a missing folder are not looked up one by one; existing files are found.
func TestHiddenFilesOfMissingFoldersCostNothing(t *testing.T) {
	r, ctx := opened(t), t.Context()
	const files = 5000
	hidden := []string{"there/a", "there/b", "there/c/d"}
	for i := range files {
		hidden = append(hidden, fmt.Sprintf("gone/sub%d/file%04d", i/1000, i))
	}
	repository.Write(t, "there/a", "1")
	blob := repository.Ask(t, "hash-object", "-w", "there/a")
	var entries []Entry
	for _, name := range hidden {
		entries = append(entries, Entry{name, "100644", blob})
	}
	if err := errors.Join(updateEntries(ctx, r, nil, entries), updateIndex(ctx, r, nil, hidden, "--skip-worktree")); err != nil {
		t.Fatal(err)
	}
	var found []RawFile
	look := func() { found, _ = Hidden(ctx, r) }
	if n := testing.AllocsPerRun(1, look); n > files/20 || len(found) != 1 || found[0].Path != "there/a" {
		t.Errorf("%v are there; found by %v allocations", found, n)
	}
}

// An index in which a session marked a changed file as unchanged, in one file or split in two, is not
// believed; staged changes stay if it is one file.
func TestForgedIndexIsNotBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		then []string
		pad  byte // after the last name: git uses the length in the entry
		want string
	}{
		"whole":                       {[]string{"version"}, 0, "M a\nM  b"},
		"split: put back":             {[]string{"update-index", "--split-index"}, 0, "M a\n M b"},
		"read by git alone: put back": {[]string{"version"}, 'x', "M a\n M b"},
	} {
		t.Run(name, func(t *testing.T) {
			r := opened(t)
			repository.Write(t, "a", "1\n")
			repository.Write(t, "b", "1\n")
			repository.Commit(t, "one")
			i, err := OpenIndex(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			old, past := repository.Ask(t, "rev-parse", ":a"), time.Now().Add(-time.Hour)
			repository.Write(t, "a", "2\n")
			repository.Write(t, "b", "2\n")
			if err := os.Chtimes("a", past, past); err != nil {
				t.Fatal(err)
			}
			repository.Ask(t, "add", "a", "b")
			forged, err := os.ReadFile(r.IndexFile())
			if err != nil {
				t.Fatal(err)
			}
			is, _ := hex.DecodeString(repository.Ask(t, "rev-parse", ":a"))
			was, _ := hex.DecodeString(old)
			forged = bytes.Replace(forged[:bytes.LastIndex(forged, []byte("TREE"))], is, was, 1)
			forged[len(forged)-1] = c.pad
			sum := sha1.Sum(forged)
			if err := os.WriteFile(r.IndexFile(), append(forged, sum[:]...), 0o644); err != nil {
				t.Fatal(err)
			}
			repository.Ask(t, c.then...)
			if got := repository.Ask(t, "--no-optional-locks", "status", "--porcelain"); !strings.HasPrefix(got, "M  b") { // and not a
				t.Fatalf("not forged: %q", got)
			}
			if err := i.Distrust(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := repository.Ask(t, "status", "--porcelain"); got != c.want {
				t.Errorf("git status prints %q", got)
			}
		})
	}
}
