package git

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Objects that are written here are the same as git's, also where go-git cannot write them: SHA-256, shared
// repositories. Wherever HEAD points, the answer is git's.
func TestCurrentBranchEqualsGits(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := opened(t, "--object-format="+format)
		head := filepath.Join(r.GitDir, "HEAD")
		same := func(when string) {
			t.Helper()
			want := repository.Ask(t, "branch", "--show-current")
			if got, err := r.Branch(t.Context()); err != nil || got != want {
				t.Errorf("%s: %q, %v; git says %q", when, got, err, want)
			}
		}
		same("unborn")
		repository.Ask(t, "commit", "-q", "--allow-empty", "-m", "one")
		same("born")
		repository.Ask(t, "switch", "-q", "-c", "a/b-ü")
		same("in a folder")
		repository.Ask(t, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
		repository.Ask(t, "symbolic-ref", "HEAD", "refs/heads/alias")
		same("a branch that is a name of another")
		repository.Ask(t, "switch", "-q", "--detach")
		same("detached")
		if err := os.WriteFile(head, []byte("ref:\t refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		same("with other blanks")
		if err := errors.Join(os.Remove(head), os.Symlink("refs/heads/main", head)); err != nil {
			t.Fatal(err)
		}
		same("a link")
	}
}

func TestRefsMoveOnlyFromTheValueExpected(t *testing.T) {
	r := opened(t)
	one, two := repository.Commit(t, "one"), repository.Commit(t, "two")
	ctx := t.Context()
	for _, step := range []struct {
		do   func() error
		want error
	}{
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", one, "", "make") }, nil},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, "", "make again") }, ErrMoved},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, two, "wrong") }, ErrMoved},
		{func() error { return r.UpdateRef(ctx, "refs/plans/a", two, one, "right") }, nil},
		{func() error { return r.DeleteRef(ctx, "refs/plans/a", one, "wrong") }, ErrMoved},
		{func() error { return r.DeleteRef(ctx, "refs/plans/a", two, "right") }, nil},
	} {
		if err := step.do(); err != step.want {
			t.Errorf("got %v, want %v", err, step.want)
		}
	}
}

// Names are valid for a branch if git says so.
func TestNamesOfBranches(t *testing.T) {
	r := opened(t)
	for name, want := range map[string]bool{"a/b-ü": true, "a b": false, "-a": false, "a..b": false, "": false, "HEAD": true} {
		if got := r.ValidBranch(t.Context(), name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// The value of a ref is its object, or the ref to which it points.
func TestValuesOfRefs(t *testing.T) {
	r := opened(t)
	first := repository.Commit(t, "one")
	repository.Ask(t, "update-ref", "refs/plans/a", first)
	repository.Ask(t, "update-ref", "refs/plans-of-others/x", first)
	repository.Ask(t, "symbolic-ref", "refs/plans/c", "refs/heads/main")
	want := map[string]string{"refs/plans/a": first, "refs/plans/c": "ref: refs/heads/main"}
	if got, err := r.RefValues(t.Context(), "refs/plans/", "refs/none/"); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
