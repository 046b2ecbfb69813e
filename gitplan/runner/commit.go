package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Commit describes a commit to make: its tree is staged, and in the work tree.
type Commit struct {
	Tree, Message string
	Formatted     string                                          // a tree that hooks made and need not look at again; or ""
	ByHand        bool                                            // a person's own work, for which git runs the hooks as always
	Look          func(context.Context) (*worktree.Status, error) // reads the work tree after a hook
	Own           func(path string) bool                          // reports whether a file is the person's, from before
}

// ErrFormatted says that a commit hook changed the files that were to be committed.
var ErrFormatted = errors.New("a commit hook changed the files to commit")

// OfCommits are the hooks that git commit runs.
var OfCommits = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}

// Commit commits by git commit. The hooks of a session's work run in the sandbox, if plan.hooksSandbox
// says so, and then the commit is made with none; what they and git print goes to printed.
func (r *Runner) Commit(ctx context.Context, c Commit, printed *proc.Tail) error {
	mark := proc.Mark("commit-" + integrity.Random(4))
	sandboxed, _ := r.Checkout.Config.Word("plan.hooksSandbox") // an invalid value is on
	var options []string
	if !r.Once("git maintenance") { // it has as little to do after each step of a run
		options = []string{"-c", "maintenance.auto=false"}
	}
	gitsHooks := sandboxed == "off" || c.ByHand
	if gitsHooks || !slices.ContainsFunc(OfCommits, func(name string) bool { return HasHook(r.Checkout, name) }) {
		return worktree.CommitIndex(ctx, r.Checkout.Repo, c.Message, mark, gitsHooks, printed, options...)
	}
	h, err := r.commitHooks(ctx, mark, printed)
	if err != nil {
		return err
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
	if !h.inBwrap() { // a message hook may have staged something that was not checked
		if err := worktree.ReadTree(ctx, r.Checkout.Repo, c.Tree); err != nil {
			return err
		}
	}
	if err := worktree.CommitIndex(ctx, r.Checkout.Repo, message, mark, false, printed, options...); err != nil {
		return err
	}
	if !HasHook(r.Checkout, "post-commit") {
		return nil
	}
	if h.head, err = r.Checkout.Repo.Resolve(ctx, "HEAD"); err == nil { // if the hook fails, nothing follows, as with git
		_ = h.run(ctx, "post-commit")
	}
	return nil // the commit is there
}

func (r *Runner) commitHooks(ctx context.Context, mark string, printed *proc.Tail) (*hooks, error) {
	h, err := r.hooksIn(ctx, r.Checkout.Repo.PlanDir(r.Checkout.Attempts().Owner(), "hook"), mark, printed)
	if err != nil || h.confine == nil {
		return h, err
	}
	if !h.inBwrap() {
		h.confine = h.confine.Allow(r.Checkout.Repo.GitDir, r.Checkout.Repo.CommonDir)
		// what Seatbelt keeps from a session, the git of a hook must write
		h.confine.ReadOnly = slices.DeleteFunc(h.confine.ReadOnly, func(path string) bool {
			return disk.Within(path, r.Checkout.Repo.GitDir) || disk.Within(r.Checkout.Repo.CommonDir, path) ||
				filepath.Base(path) == ".git"
		})
	} else if HasHook(r.Checkout, "pre-commit") { // the others write only the message
		if err = h.addScratch(ctx); err != nil {
			return nil, err
		}
	}
	h.confine.Mounts = append(h.confine.Mounts, proc.Mount{From: h.dir, To: h.dir, Writable: true})
	return h, nil
}

// preCommit has the hook look at what is staged, and stages what it changed of that, or staged itself: ErrFormatted.
func (h *hooks) preCommit(ctx context.Context, c Commit) error {
	if !HasHook(h.runner.Checkout, "pre-commit") {
		return nil
	}
	if err := h.run(ctx, "pre-commit"); err != nil {
		return err
	}
	s, err := c.Look(ctx)
	if err != nil {
		return err
	}
	repo, paths, unstaged := h.runner.Checkout.Repo, s.Staged(), s.Unstaged() // what else changed may be a person's
	if h.scratch != nil {
		staged, err := worktree.StagedInScratch(ctx, repo, h.scratch, c.Tree)
		if err != nil {
			return err
		}
		for _, p := range staged {
			if slices.Contains(unstaged, p) || slices.Contains(s.Untracked, p) && !c.Own(p) {
				paths = append(paths, p)
			}
		}
	}
	if now, err := worktree.Stage(ctx, repo, paths); err != nil || now == c.Tree {
		return err
	}
	return ErrFormatted
}

// message has the hooks look at a message, which they may change. Only the program writes the trailer.
func (h *hooks) message(ctx context.Context, message string) (string, error) {
	const maxMessage = 1 << 20 // bytes
	c := h.runner.Checkout
	if !HasHook(c, "prepare-commit-msg") && !HasHook(c, "commit-msg") {
		return message, nil
	}
	file := filepath.Join(h.dir, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(message), 0o644); err != nil {
		return "", err
	}
	for _, hook := range [][]string{{"prepare-commit-msg", file, "message"}, {"commit-msg", file}} {
		if err := h.run(ctx, hook[0], hook[1:]...); err != nil {
			return "", err
		}
	}
	text, err := disk.ReadRegular(file) // whatever lies there now
	if err != nil || len(text) > maxMessage {
		return "", &git.Error{Args: []string{"commit"}, Code: 1, Stderr: "the hooks left no message that can be read"}
	}
	return journal.RestoreTrailers(string(text), message), nil
}

// MadeBySession reports whether all that moved the branch since a commit was a session's, if its log is known.
func (r *Runner) MadeBySession(ctx context.Context, since string) (own, known bool, err error) {
	log, err := r.reflog(ctx, "refs/heads/"+r.Checkout.Branch)
	if err != nil || len(log) == 0 {
		return true, false, err
	}
	for i, e := range log {
		if e.oid == since {
			return true, true, nil
		}
		moved := i+1 == len(log) || log[i+1].oid != e.oid // renaming a branch does not
		if moved && !strings.HasPrefix(e.subject, reflogMark) {
			return false, true, nil
		}
	}
	return since == "", true, nil
}

// Visited returns the commits that a ref was at since a session began, when HEAD was at from.
func (r *Runner) Visited(ctx context.Context, ref, from string, began time.Time) (oids []string) {
	log, _ := r.reflog(ctx, ref)
	for _, e := range log {
		if (e.oid == from || from == "") && e.seconds <= began.Unix() {
			break
		}
		oids = append(oids, e.oid)
	}
	return oids
}

type logged struct {
	oid, subject string
	seconds      int64
}

// reflog returns a ref's log, newest first; nothing if none is kept.
func (r *Runner) reflog(ctx context.Context, ref string) (log []logged, err error) {
	out, err := r.Checkout.Repo.Output(ctx, "reflog", "show", "--no-show-signature", "--date=unix",
		"--format=%H%x00%gd%x00%gs", "-n", "1000", ref)
	if git.Code(err) > 0 {
		return nil, nil
	}
	for _, line := range strings.Split(out, "\n") {
		fields := strings.SplitN(line, "\x00", 3)
		if len(fields) < 3 {
			continue
		}
		// HEAD@{1700000000}
		seconds, _ := strconv.ParseInt(strings.Trim(fields[1][strings.LastIndex(fields[1], "{")+1:], "}"), 10, 64)
		log = append(log, logged{oid: fields[0], subject: fields[2], seconds: seconds})
	}
	return log, err
}

// reflogMark begins the reflog entries of what sessions do to HEAD.
const reflogMark = "git plan session "

// InReflog returns the environment in which git marks its reflog entries accordingly.
func InReflog(session string) string { return "GIT_REFLOG_ACTION=" + reflogMark + session }
