package checkout

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// ClonePlace returns where the clone of a plan's sessions lies, and the folder with our HEAD
// and index for it. An empty id is that of reviews without a plan; each slot has its own.
//
// The clone lies where no sandbox lets a session write above it: in the temporary folder or
// in a cache a session could put a link in the clone's place, and our git would follow that.
// The state folder also outlives a restart of the machine. .git would be as safe, but test
// runners and linters skip whatever lies below a .git.
func ClonePlace(r *git.Repo, plan, slot string) (top, gitDir string, err error) {
	id := setup.InSlot(plan, slot)
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
