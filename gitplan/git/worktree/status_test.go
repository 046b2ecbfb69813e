package worktree

import (
	"os"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// opened makes a repository in the current folder, and opens it.
func opened(t *testing.T, init ...string) *git.Repo {
	t.Helper()
	repository.Here(t, init...)
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// A person may have told git to trust less of what it knows of a file than the kernel says:
// what a session changed is changed, whatever time it set back.
func TestAFileWhoseTimeWasSetBackIsChanged(t *testing.T) {
	r := opened(t)
	repository.Ask(t, "config", "core.trustctime", "false")
	repository.Ask(t, "config", "core.checkStat", "minimal")
	was := time.Now().Add(-time.Hour)
	for i, text := range []string{"before", "after!"} {
		repository.Write(t, "f", text)
		if err := os.Chtimes("f", was, was); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			repository.Ask(t, "add", "f")
			repository.Ask(t, "commit", "-qm", "f")
			time.Sleep(1100 * time.Millisecond) // git compares whole seconds
		}
	}
	if s, err := ReadStatus(t.Context(), r); err != nil || s.Clean() {
		t.Errorf("nothing changed: %v", err)
	}
}
