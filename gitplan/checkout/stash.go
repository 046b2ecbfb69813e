package checkout

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// StashName is the name under which --autostash keeps the user's changes, as if it were a step's.
const StashName = "_autostash"

// Stash is what --autostash took out of a work tree. It is not on the list of git stash, where a session
// could pop it.
type Stash struct {
	Commit string // as git stash create makes it
	Kept   string // the ref, whose commit has Commit as its second parent
}

// StashNote returns the note of what is stashed of this work tree for a plan, until it is restored.
func StashNote(c *Checkout, plan string) journal.Note {
	return journal.NotesOf(c.Repo, "set-aside").Note(plan + "-" + integrity.RecordName(c.Repo, ""))
}

// Stashed returns what is stashed for a plan; the zero value if nothing is.
func Stashed(c *Checkout, plan string) (s Stash) {
	if data, err := StashNote(c, plan).Read(); err != nil || journal.DecodeNote(data, &s) != nil {
		return Stash{}
	}
	return s
}

// KeepStash keeps a stash, made at head, under a ref before the changes are taken out of the tree, and notes that.
func KeepStash(ctx context.Context, c *Checkout, commit, head string) (s Stash, err error) {
	s.Commit = commit
	tree, err := c.Repo.Resolve(ctx, commit+"^{tree}")
	if err != nil {
		return s, err
	}
	if s.Kept, err = KeepAttempt(ctx, c, tree, []string{head, commit}, StashName, "what --autostash set aside"); err != nil {
		return s, err
	}
	data, err := journal.EncodeNote(s)
	if err != nil {
		return s, err
	}
	return s, StashNote(c, c.Doc.ID).Write(data)
}

// ForgetStash forgets what was stashed. If all of it is in the tree again, the ref goes, too.
func ForgetStash(ctx context.Context, c *Checkout, s Stash, restored bool) {
	StashNote(c, c.Doc.ID).Remove()
	if oid, err := c.Repo.Resolve(ctx, s.Kept); restored && s.Kept != "" && err == nil {
		_ = c.Repo.DeleteRef(ctx, s.Kept, oid, "plan: restored")
	}
}
