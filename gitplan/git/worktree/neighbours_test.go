package worktree

import (
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// For another work tree, the files that lead its git to the repository are watched, too.
func TestLinkedWorkTreeIsANeighbour(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	files, dirs := Neighbours(r)
	repository.Ask(t, "worktree", "add", "-q", "../linked")
	more, _ := Neighbours(r)
	if len(more) <= len(files) || len(dirs) == 0 && len(files) > 0 && Deserted(more[len(more)-1]) {
		t.Errorf("neighbours are %q, and then %q", files, more)
	}
}
