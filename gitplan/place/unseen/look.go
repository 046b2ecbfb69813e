package unseen

import (
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Look is what must be known to tell what a session wrote from what was there.
type Look struct {
	Tree    *git.Repo            // with the files of the session
	Repo    *git.Repo            // with the objects of the person's
	Before  *checkout.InProgress // what was there, and is the person's
	*Ledger                      // what has been written since
}
