package checkout

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// ClonePlace is where the clone of a plan's sessions lies, and the folder with our
// HEAD and index for it. An empty id is that of reviews without a plan.
//
// No sandbox lets a session write above its clone: in the temporary folder or in a
// cache one could put a link in the clone's place, and our git would follow it.
// And unlike those it is still there when the machine was off. In .git it would be
// as safe, but test runners and linters pass over whatever lies below a .git.
func ClonePlace(r *git.Repo, id string) (top, gitDir string, err error) {
	gitDir = r.PlanDir(id, "clone")
	if id == "" {
		gitDir = filepath.Join(r.GitDir, "plan", "clone")
	}
	state, err := journal.StateFolder()
	if err != nil {
		return "", gitDir, err
	}
	name := filepath.Base(r.CommonDir)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(r.CommonDir))
	}
	// Always the same for a plan: build tools keep what they built by its path.
	key := fmt.Sprintf("%s-%x", cmp.Or(id, "review"), sha256.Sum256([]byte(gitDir)))
	return filepath.Join(state, "git-plan", key[:len(key)-48], strings.Trim(name, string(filepath.Separator))), gitDir, nil
}
