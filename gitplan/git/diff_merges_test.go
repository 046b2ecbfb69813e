package git

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The changed names, and those that a merge changed against all its parents, are the same as git's.
func TestNamesOfWhatChanged(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a.txt", "one\ntwo\nthree\nfour\n")
	one := repository.Commit(t, "First")
	repository.Ask(t, "switch", "-qc", "side")
	repository.Write(t, "side", "s")
	repository.Commit(t, "Side")
	repository.Ask(t, "switch", "-q", "main")
	if err := os.Rename("a.txt", "b.txt"); err != nil {
		t.Fatal(err)
	}
	repository.Commit(t, "Second")
	repository.Ask(t, "merge", "-q", "--no-ff", "-m", "Merge", "side")
	merge := repository.Ask(t, "rev-parse", "HEAD")
	if files, err := WrittenPaths(t.Context(), r, one, merge); err != nil || !slices.Equal(slices.Sorted(slices.Values(files)), []string{"b.txt", "side"}) {
		t.Errorf("%q were written, %v", files, err)
	}
	var patch bytes.Buffer
	if err := WritePatch(t.Context(), r, &patch, one, merge); err != nil || !strings.Contains(patch.String(), "+s") {
		t.Errorf("the patch is %q, %v", patch.String(), err)
	}
	whole, err := r.Commits(t.Context(), []string{merge})
	if err != nil {
		t.Fatal(err)
	}
	if diffs, err := MergeDiffs(t.Context(), r, whole); err != nil || len(diffs) != 1 {
		t.Errorf("of the merge: %v, %v", diffs, err)
	}
}
