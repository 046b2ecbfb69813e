package worktree

import (
	"os"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Files that a session added are removed even from folders that it made read-only, and no others.
func TestAddedFilesInReadOnlyFoldersAreRemoved(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "kept/tracked", "1")
	head := repository.Commit(t, "one")
	for _, path := range []string{"mod/cache/a", "mod/cache/b", "mod/c", "kept/new"} {
		repository.Write(t, path, "a session's")
	}
	for _, dir := range []string{"mod/cache", "mod", "kept"} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	repository.AsUser(t)
	if err := Restore(ctx, r, head, []string{"mod/cache/a", "mod/cache/b", "mod/c", "kept/new"}); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"kept/tracked": "1", "kept/new": "", "mod/c": ""})
	if _, err := os.Lstat("mod"); err == nil {
		t.Error("the folder is left")
	}
}
