package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Commit describes what is to be committed: it is staged, and in the work tree.
type Commit struct {
	Tree, Message string
	Formatted     string // a tree that hooks made and need not look at again; or ""
	ByHand        bool   // it is a person's own work, for which git runs the hooks as always
	// Look looks at the work tree after a hook; unread says why git cannot read all of it.
	Look func(context.Context) (s *worktree.Status, unread string, err error)
	// Own reports whether a file was there before and is the person's.
	Own func(path string) bool
}

// ErrFormatted says that a commit hook changed the files that were to be committed.
var ErrFormatted = errors.New("a commit hook changed what was to be committed")

// Commit commits by git commit. The hooks of a session's work run in the sandbox, if
// plan.hooksSandbox says so; what they and git print goes to said.
func (s *Runner) Commit(ctx context.Context, c Commit, said *proc.Tail) error {
	mark := proc.Mark("commit-" + integrity.Random(4))
	sandboxed, err := s.Checkout.Config.Word("plan.hooksSandbox")
	if err != nil {
		return err
	}
	if sandboxed == "off" || c.ByHand {
		return worktree.CommitIndex(ctx, s.Checkout.Repo, c.Message, mark, true, said)
	}
	h, err := s.commitHooks(ctx, mark, said)
	if err != nil {
		return err
	}
	if h == nil {
		return worktree.CommitIndex(ctx, s.Checkout.Repo, c.Message, mark, false, said)
	}
	defer func() { _ = disk.RemoveTree(h.dir) }()
	if c.Tree != c.Formatted {
		if err := h.preCommit(ctx, c); err != nil {
			return err
		}
	}
	message, err := h.message(ctx, c.Message)
	if err != nil {
		return err
	}
	if err := h.staged(ctx, c.Tree); err != nil {
		return err
	}
	if err := worktree.CommitIndex(ctx, s.Checkout.Repo, message, mark, false, said); err != nil {
		return err
	}
	return h.postCommit(ctx)
}

// From git 2.54 a hook can be a command of the configuration: hook.NAME.command, with the
// events on which it is run in hook.NAME.event. None of git plan's own gits runs one (package
// git, door.go); those of commits run in the sandbox, before the hook in the folder, as with git.

// configuredHooks returns the commands that the configuration has for an event, by their names.
func configuredHooks(c *checkout.Checkout, event string) (out []string) {
	git := c.Config.Git
	if !git.Bool("hook."+event+".enabled", true) {
		return nil
	}
	names := git.Subsections("hook", "event")
	slices.Sort(names)
	for _, name := range names {
		on := git.All("hook." + name + ".event")
		on = on[slices.Index(on, "")+1:] // an empty one cancels those before it
		command, ok := git.Get("hook." + name + ".command")
		if ok && slices.Contains(on, event) && git.Bool("hook."+name+".enabled", true) {
			out = append(out, command)
		}
	}
	return out
}

// hookLines returns the programs, with their first arguments, that run as a hook.
func hookLines(c *checkout.Checkout, event string) (out [][]string) {
	for _, command := range configuredHooks(c, event) {
		name, args := proc.Shell(command + ` "$@"`)
		out = append(out, slices.Concat([]string{name}, args, []string{command}))
	}
	if hasHookFile(c, event) {
		name, args := proc.Shell(`"$0" "$@"`)
		out = append(out, slices.Concat([]string{name}, args, []string{filepath.Join(c.Repo.HooksDir, event)}))
	}
	return out
}
