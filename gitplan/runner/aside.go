package runner

import (
	"context"
	"errors"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Git's stash holds files as a commit would have them: with line ends and filters as configured,
// and the executable bit as their only mode. So Autostash keeps what it sets aside a second time,
// byte for byte, under a ref that the stash itself can be reached from, too: a session may drop
// what is in git's stash.

// AsideName is the name under which that is kept, like an attempt.
const AsideName = "_autostash"

// Aside is what is noted of what was set aside.
type Aside struct {
	Stash string
	Kept  string // the ref
	Files []worktree.RawFile
	// Staged are the files that the index has as they are.
	Staged []string
}

// AsideNote returns the note of what is set aside of this work tree for a plan, until that is
// brought back.
func AsideNote(c *checkout.Checkout, plan string) journal.Note {
	return journal.NotesOf(c.Repo, "set-aside").Note(plan + "-" + integrity.RecordName(c.Repo, ""))
}

// NotedAside returns what was noted; without a stash if nothing is set aside.
func NotedAside(c *checkout.Checkout, plan string) (a Aside) {
	noted, err := AsideNote(c, plan).Read()
	if err != nil {
		return a
	}
	stash, rest, _ := strings.Cut(string(noted), "\n")
	_ = journal.DecodeNote([]byte(rest), &a) // an older version wrote none
	a.Stash = strings.TrimSpace(stash)
	return a
}

// StashAgain puts what was set aside back on the list of git's stash; git.ErrMissing says that
// the repository no longer has it.
func (s *Runner) StashAgain(ctx context.Context, stash string) error {
	err := worktree.StashAgain(ctx, s.Checkout.Repo, stash, "On "+s.Checkout.Branch+": "+Autostash)
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return git.ErrMissing
	}
	return err
}

// Autostash is the message that git's stash shows for what is set aside.
const Autostash = "git plan --autostash"

// SetAside returns what was noted, and its name in git's stash now; "" if somebody took it off
// the list.
func SetAside(ctx context.Context, c *checkout.Checkout, plan string) (stash, entry string) {
	if stash = NotedAside(c, plan).Stash; stash == "" {
		return "", ""
	}
	entry, err := worktree.StashEntry(ctx, c.Repo, stash, Autostash)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return "", ""
	}
	return stash, entry
}
