package journal

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Mark is a folder below <common dir>/plan with a file for each plan that the
// hooks have something to do for; without one the folder is gone too. The lines
// in git's hooks look for it, so that most commits, checkouts and rebases start
// no program. A mark decides nothing: one that a crash left behind costs a look
// at the plan, and one that is missing is set again by the plan's next event.
type Mark string

// The marks.
const (
	MarkAttached Mark = "attached" // a branch has the plan, or had it and was deleted since
	MarkOpen     Mark = "open"     // a step of it is open by git plan next
)

// Set marks a plan. A failure is no error: only hooks miss the mark.
func (m Mark) Set(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	if _, err := os.Lstat(path); err != nil {
		_ = WriteFile(path, nil)
	}
}

// Clear takes a plan's mark away.
func (m Mark) Clear(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	_ = os.Remove(path)
	_ = os.Remove(filepath.Dir(path)) // which fails while another plan has its mark there
}

// Plans returns the ids of the plans that have the mark.
func (m Mark) Plans(r *git.Repo) []string {
	entries, _ := os.ReadDir(r.PlanDir(string(m)))
	var ids []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // one that is just being written
			ids = append(ids, e.Name())
		}
	}
	return ids
}
