package worktree

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// A person may have told git to compare less of a file's stat data: a session's change is detected all the
// same, whatever time it reset.
func TestFileWithAResetTimeIsChanged(t *testing.T) {
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

// A status lists each kind of change by its path, whatever characters that contains.
func TestStatusHasEachKindOfChange(t *testing.T) {
	r, ctx := opened(t), t.Context()
	if s, err := ReadStatus(ctx, r); err != nil || s.Head != "" || s.Branch != "main" || !s.Clean() {
		t.Errorf("unborn: %+v, %v", s, err)
	}
	repository.Write(t, ".gitignore", "*.o\nbuild/\n")
	for _, name := range []string{"both", "changed", "gone", "staged"} {
		repository.Write(t, name, "1\n")
	}
	base := repository.Commit(t, "base")
	repository.Ask(t, "switch", "-qc", "side")
	repository.Write(t, "both", "theirs\n")
	repository.Commit(t, "theirs")
	repository.Ask(t, "switch", "-q", "--detach", base)
	repository.Write(t, "both", "ours\n")
	head := repository.Commit(t, "ours")
	_ = exec.Command("git", "merge", "-q", "side").Run() // it conflicts
	for _, name := range []string{"changed", "staged", "new \"ü\"\nfile", "a.o", "build/x"} {
		repository.Write(t, name, "2\n")
	}
	repository.Ask(t, "add", "staged")
	if err := os.Remove("gone"); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStatusIgnored(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	want := &Status{Head: head, Untracked: []string{"new \"ü\"\nfile"}, Ignored: []string{"a.o", "build/"}, Changed: []Change{
		{Path: "changed", XY: ".M"}, {Path: "gone", XY: ".D"}, {Path: "staged", XY: "M."}, {Path: "both", XY: "UU", Unmerged: true},
	}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.Unstaged(); !slices.Equal(got, []string{"changed", "gone", "both"}) || !slices.Equal(s.Unmerged(), []string{"both"}) {
		t.Errorf("not staged are %q, not merged %q", got, s.Unmerged())
	}
}
