package unseen

import (
	"path"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Look is what must be known to tell what a session wrote from what was there.
type Look struct {
	Tree     *git.Repo            // with the files of the session
	Repo     *git.Repo            // with the objects of the person's
	Before   *checkout.InProgress // what was there, and is the person's
	ByChecks map[string]bool      // what checks wrote, folders with a slash
	Since    time.Time            // when the session began, or a check of it ended
}

// ByCheck reports whether a check wrote something, or a folder above it.
func (l Look) ByCheck(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if l.ByChecks[at] || l.ByChecks[at+"/"] {
			return true
		}
	}
	return false
}
