package checkout

import (
	"context"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// StashName is the name under which --autostash keeps the user's changes, as if it were a step's.
const StashName = "_autostash"

// RefsName is the name under which is kept what refs were at, if a session moved them, and files outside of a task.
const RefsName = "_refs"

// StashRef is the ref of git stash, whose log is its list.
const StashRef = "refs/stash"

// Stashes returns the list of git stash, newest first.
func Stashes(ctx context.Context, r *git.Repo) []git.Commit {
	if _, err := r.Resolve(ctx, StashRef); err != nil {
		return nil
	}
	list, _ := r.Log(ctx, "--walk-reflogs", StashRef)
	return list
}

// Stash is what --autostash took out of a work tree, off the list of git stash, where a session could pop it.
type Stash struct {
	Commit string // as git stash create makes it
	Kept   string // the ref, whose commit has Commit as its second parent
}

// StashNote returns the note of this work tree's stash for a plan, until it is restored.
func StashNote(c *Checkout, plan string) journal.Note {
	return journal.NotesWithin(c.Repo, "set-aside").Note(plan + "-" + integrity.RecordName(c.Repo, ""))
}

// Stashed returns the stash made for a plan; the zero value without one.
func Stashed(c *Checkout, plan string) (s Stash) {
	if StashNote(c, plan).Load(&s) != nil {
		return Stash{}
	}
	return s
}

// AllStashed returns this work tree's stashes by their plans.
func AllStashed(c *Checkout) map[string]Stash {
	entries, _ := os.ReadDir(journal.NotesWithin(c.Repo, "set-aside").Dir)
	all := map[string]Stash{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), "-"+integrity.RecordName(c.Repo, "")); ok {
			all[id] = Stashed(c, id)
		}
	}
	return all
}

// KeepStash records a stash, made at head, under a ref before the changes are taken out of the tree.
func KeepStash(ctx context.Context, c *Checkout, commit, head string) (s Stash, err error) {
	s.Commit = commit
	tree, err := c.Repo.Resolve(ctx, commit+"^{tree}")
	if err != nil {
		return s, err
	}
	if s.Kept, err = KeepAttempt(ctx, c, tree, []string{head, commit}, StashName, "what --autostash set aside"); err != nil {
		return s, err
	}
	return s, StashNote(c, c.Doc.ID).Save(s)
}

// ForgetStash forgets a stash. Once all of it is in the tree again, its ref is removed, too.
func ForgetStash(ctx context.Context, c *Checkout, s Stash, restored bool) {
	StashNote(c, c.Doc.ID).Remove()
	if oid, err := c.Repo.Resolve(ctx, s.Kept); restored && s.Kept != "" && err == nil {
		_ = c.Repo.DeleteRef(ctx, s.Kept, oid, "plan: restored")
	}
}
