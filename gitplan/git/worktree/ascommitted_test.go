package worktree

import (
	"os"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// While checks run, files have the bytes that a checkout will give them; afterwards they have
// their own, with mode and time, unless a check wrote them.
func TestChecksSeeACheckout(t *testing.T) {
	opened(t)
	repository.Ask(t, "config", "core.autocrlf", "input")
	r, config, err := git.OpenHere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	repository.Commit(t, "one")
	repository.Write(t, "a", "a\r\n")
	repository.Write(t, "b", "b\r\n")
	if err := os.Chmod("a", 0o400); err != nil {
		t.Fatal(err)
	}
	was, err := os.Stat("a")
	if err != nil {
		t.Fatal(err)
	}
	back, err := AsCommitted(t.Context(), r, config, nil, []string{"a", "b"}, was.ModTime())
	if err != nil {
		t.Fatal(err)
	}
	if repository.Read(t, "a") != "a\n" || repository.Read(t, "b") != "b\n" {
		t.Error("they are not as a checkout has them")
	}
	repository.Write(t, "b", "formatted\n")
	if names := back(); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("converted were %q", names)
	}
	now, err := os.Stat("a")
	if err != nil || now.Mode() != was.Mode() || !now.ModTime().Equal(was.ModTime()) {
		t.Errorf("a is %v, %v", now, err)
	}
	holds(t, map[string]string{"a": "a\r\n", "b": "formatted\n"})
}
