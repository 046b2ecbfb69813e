package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A commit hook runs what lies in the tree: the scripts of husky, the configuration of
// lefthook and pre-commit, make lint. In the commit of a session's work all of that may be
// the session's. So these hooks are run like checks, in their sandbox and environment, and
// then the commit is made with none: signing and identity stay the person's.
//
// In bwrap a hook finds, in place of .git, a repository that it may write to
// (worktree.Scratch): only the work tree shows what it made of the files. The other kinds
// cannot do that; there it has the repository itself, and the set-up is compared
// before any git runs again.

// maxMessage is how long a message may be, in bytes, that hooks made.
const maxMessage = 1 << 20

// hooks runs the person's hooks: those of commits, or the one of a push.
type hooks struct {
	site    *Runner
	git     string            // the command of git whose hooks they are
	stdin   []byte            // what git says to them
	env     []string          // added to what checks inherit
	dir     string            // of what only they need
	scratch *worktree.Scratch // nil: a hook has the repository itself
	confine *proc.Bounds
	before  *Watch
	head    string // the commit below, or empty
	mark    string
	said    *proc.Tail
}

// OfCommits are the hooks that git commit runs.
var OfCommits = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}

// commitHooks returns the hooks of a commit; nil if there are none, as in most repositories.
func (s *Runner) commitHooks(ctx context.Context, mark string, said *proc.Tail) (*hooks, error) {
	if !slices.ContainsFunc(OfCommits, func(name string) bool { return HasHook(s.Checkout, name) }) {
		return nil, nil
	}
	h, err := s.hooksIn(ctx, s.Checkout.Repo.PlanDir(checkout.AttemptOwner(s.Checkout), "hook"), mark, said)
	if err != nil || h.confine == nil {
		return h, err
	}
	if h.confine.By != proc.Bwrap {
		h.confine = h.confine.Allow(s.Checkout.Repo.GitDir, s.Checkout.Repo.CommonDir)
		h.confine.ReadOnly = slices.DeleteFunc(h.confine.ReadOnly, func(path string) bool { // what Seatbelt keeps from a session, the git of a hook must write
			return disk.Within(path, s.Checkout.Repo.GitDir) || disk.Within(s.Checkout.Repo.CommonDir, path) || filepath.Base(path) == ".git"
		})
	} else if HasHook(s.Checkout, "pre-commit") { // the others write nothing but the message
		if h.scratch, err = worktree.NewScratch(ctx, s.Checkout.Repo, filepath.Join(h.dir, "git")); err == nil {
			h.confine.Mounts = h.scratch.Mounts
		}
	}
	h.confine.Mounts = append(h.confine.Mounts, proc.Mount{From: h.dir, To: h.dir, Writable: true})
	return h, err
}

// hooksIn returns hooks with a folder of their own, and with what they must leave as it is.
func (s *Runner) hooksIn(ctx context.Context, dir, mark string, said *proc.Tail) (*hooks, error) {
	h := &hooks{site: s, git: "commit", dir: dir, before: s.Watch(s.Scene()), mark: mark, said: said}
	err := errors.Join(disk.RemoveTree(h.dir), os.MkdirAll(h.dir, 0o700))
	if err != nil {
		return nil, err
	}
	if s.Checkout.Doc != nil && s.Checkout.Slot == "" { // after a crash nothing of that was noted yet
		tip, err := s.Checkout.Repo.Resolve(ctx, journal.RefPrefix+s.Checkout.Doc.ID)
		if err != nil {
			return nil, err
		}
		s.Checkout.Store.ExpectTip(s.Checkout.Doc.ID, tip)
	}
	if h.head, err = s.Checkout.Repo.Resolve(ctx, "HEAD"); err != nil && !errors.Is(err, git.ErrMissing) {
		return nil, err
	}
	h.confine, err = s.Confine(ctx, s.Checkout.Repo.Top)
	return h, err
}

// HasHook reports whether git would run a hook of this name.
func HasHook(c *checkout.Checkout, name string) bool {
	return hasHookFile(c, name) || len(configuredHooks(c, name)) > 0
}

func hasHookFile(c *checkout.Checkout, name string) bool {
	info, err := os.Stat(filepath.Join(c.Repo.HooksDir, name))
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// preCommit has the hook look at what is staged. What it changed in tracked files, and the files
// it added, are staged then: ErrFormatted.
func (h *hooks) preCommit(ctx context.Context, c Commit) error {
	if !HasHook(h.site.Checkout, "pre-commit") {
		return nil
	}
	if err := h.run(ctx, "pre-commit"); err != nil {
		return err
	}
	s, unread, err := c.Look(ctx)
	if err != nil {
		return err
	}
	if unread != "" {
		return h.refused("pre-commit", unread)
	}
	paths := s.Unstaged()
	if h.scratch != nil {
		added, err := worktree.AddedInScratch(ctx, h.site.Checkout.Repo, h.scratch, c.Tree)
		if err != nil {
			return err
		}
		for _, p := range added {
			if slices.Contains(s.Untracked, p) && !c.Own(p) {
				paths = append(paths, p)
			}
		}
	}
	if now, err := worktree.Stage(ctx, h.site.Checkout.Repo, paths); err != nil || now == c.Tree {
		return err
	}
	return ErrFormatted
}

// message has the hooks look at a message, which they may change. Only the program writes the
// trailer.
func (h *hooks) message(ctx context.Context, message string) (string, error) {
	w := h.site
	if !HasHook(w.Checkout, "prepare-commit-msg") && !HasHook(w.Checkout, "commit-msg") {
		return message, nil
	}
	file := filepath.Join(h.dir, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(message), 0o644); err != nil {
		return "", err
	}
	for _, hook := range [][]string{{"prepare-commit-msg", file, "message"}, {"commit-msg", file}} {
		if HasHook(w.Checkout, hook[0]) {
			if err := h.run(ctx, hook[0], hook[1:]...); err != nil {
				return "", err
			}
		}
	}
	text, err := messageIn(file)
	return journal.OwnTrailers(text, message), err
}

// messageIn returns what hooks made of a message, from a file, whatever lies there now.
func messageIn(file string) (string, error) {
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	defer root.Close()
	name := filepath.Base(file)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxMessage {
		return "", &git.Error{Args: []string{"commit"}, Code: 1, Stderr: "the hooks left no message that can be read"}
	}
	text, err := root.ReadFile(name)
	return string(text), err
}

// postCommit runs the hook for what it does elsewhere, as git does. If it fails, nothing follows;
// the set-up is compared once more at the end of the attempt.
func (h *hooks) postCommit(ctx context.Context) (err error) {
	if !HasHook(h.site.Checkout, "post-commit") {
		return nil
	}
	if h.head, err = h.site.Checkout.Repo.Resolve(ctx, "HEAD"); err == nil {
		_ = h.run(ctx, "post-commit")
	}
	return err
}

// staged restores the index to what was checked, if hooks had the repository itself: a message
// hook may have staged something that nobody has looked at.
func (h *hooks) staged(ctx context.Context, tree string) error {
	if h.confine != nil && h.confine.By == proc.Bwrap {
		return nil
	}
	switch now, err := worktree.StagedTree(ctx, h.site.Checkout.Repo); {
	case err != nil:
		return err
	case now != tree:
		return worktree.ReadTree(ctx, h.site.Checkout.Repo, tree)
	}
	return nil
}

// leftAlone returns an error if a hook changed what a session must leave alone. Hooks that have
// the repository itself may have moved the plan or the branch, which are put back; the reflog
// still has where they moved the branch.
func (h *hooks) leftAlone(ctx context.Context) error {
	w := h.site
	if err := h.before.Unchanged(ctx); err != nil {
		h.before.Setup.RemovePlanted(w.Checkout.Repo)
		return err
	}
	if h.confine != nil && h.confine.By == proc.Bwrap {
		return nil
	}
	moved, err := w.PlanBack(ctx)
	strayed, berr := h.branchBack(ctx)
	err = errors.Join(err, berr)
	if moved = append(moved, strayed...); err == nil && len(moved) > 0 {
		err = errors.New(integrity.Tampered(moved...))
	}
	return err
}

// branchBack puts HEAD and the branch back to where they were before a hook, and says so.
func (h *hooks) branchBack(ctx context.Context) (moved []string, err error) {
	w, ref := h.site, "refs/heads/"+h.site.Checkout.Branch
	if w.Checkout.Branch == "" {
		return nil, nil
	}
	if on, err := w.Checkout.Repo.Branch(ctx); err != nil || on != w.Checkout.Branch {
		moved = append(moved, "it left branch "+visible.OneLine(w.Checkout.Branch, 200))
	}
	now, err := w.Checkout.Repo.Resolve(ctx, ref)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return nil, err
	}
	if now != h.head {
		moved = append(moved, fmt.Sprintf("it moved branch %s to %.10s", visible.OneLine(w.Checkout.Branch, 200), journal.OrNone(now)))
	}
	return moved, w.BranchBack(ctx, h.head, now, "plan: put back after a hook")
}

// run runs the hooks of one name as git does: in the top folder, by their interpreter or the
// shell. If a hook refuses, git commit does.
func (h *hooks) run(ctx context.Context, name string, args ...string) error {
	for _, line := range hookLines(h.site.Checkout, name) {
		if err := h.runLine(ctx, name, append(line, args...)); err != nil {
			return err
		}
	}
	return nil
}

func (h *hooks) runLine(ctx context.Context, name string, line []string) error {
	w := h.site
	limit, err := w.Checkout.Config.Duration("plan.checkTimeout")
	if err != nil {
		return err
	}
	index := filepath.Join(w.Checkout.Repo.GitDir, "index")
	if h.scratch != nil {
		index = filepath.Join(h.scratch.Inside, "index")
	}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: line[0], Args: line[1:], Dir: w.Checkout.Repo.Top,
		Env:   append(append(w.Checkout.Config.Environment(nil), h.mark, "GIT_INDEX_FILE="+index, "GIT_EDITOR=:"), h.env...),
		Stdin: bytes.NewReader(h.stdin), Group: true, Confine: h.confine, Stdout: h.said, Stderr: h.said, Timeout: limit,
	})
	if err != nil {
		return err
	}
	if err := h.leftAlone(context.WithoutCancel(ctx)); err != nil {
		return h.refused(name, err.Error())
	}
	switch {
	case exit.TimedOut:
		fmt.Fprintf(h.said, "the %s hook %s\n", name, outOfTime(limit))
	case exit.Code == 0:
		return nil
	}
	if h.confine != nil && refusedBySandbox(h.said.String()) {
		fmt.Fprintf(h.said, "(it ran in the sandbox, as plan.hooksSandbox says)\n")
	}
	code := 1
	if exit.Code == 126 || exit.Code == 127 { // the hook, or the program of its first line, cannot be run: then git dies, too
		code = git.Fatal
	}
	return &git.Error{Args: []string{h.git}, Code: code, Stderr: name}
}

// refused returns git's refusal for what a hook did.
func (h *hooks) refused(name, why string) error {
	fmt.Fprintf(h.said, "%s: %s\n", name, why)
	return &git.Error{Args: []string{h.git}, Code: 1, Stderr: name + ": " + why}
}

// refusedBySandbox reports whether a hook may have failed because of the sandbox, by the system's
// words for that. It only adds a word to what the person reads.
func refusedBySandbox(said string) bool {
	for _, words := range []string{"Read-only file system", "Permission denied", "Operation not permitted"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}
