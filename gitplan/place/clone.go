package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// With plan.isolation=clone sessions and checks work in a clone of their own. What
// they leave there is read as files only, by a git whose HEAD, index and
// configuration are out of their reach (git.Elsewhere), so it lands in this
// repository's objects without a word of the clone being believed. What passed is
// put into the work tree, and committed there as always (ThroughWorkTree).

func (p *Place) clonePlace() (top, gitDir string, err error) {
	id := ""
	if p.Doc != nil {
		id = p.Doc.ID
	}
	return checkout.ClonePlace(p.Repo, id)
}

// Enter makes the clone that sessions and checks are to work in, where
// plan.isolation wants one. After leave they work in the work tree again; what is
// in the clone goes with the note of the task, see ForgetProgress.
func (p *Place) Enter(ctx context.Context) (leave func(), err error) {
	isolation, err := p.Config.Word("plan.isolation")
	if err != nil || isolation == "tree" {
		return func() {}, err
	}
	if err := p.CloneIsFree(); err != nil {
		return nil, err
	}
	p.DiscardClone() // half made by whoever was killed then
	top, gitDir, err := p.clonePlace()
	for _, dir := range []string{gitDir, filepath.Dir(top)} { // the first for doctor to find the second
		err = cmp.Or(err, os.MkdirAll(dir, 0o700))
	}
	if err == nil {
		p.Clone, err = worktree.PrivateClone(ctx, p.Repo, top, gitDir, p.Branch, p.Before.Head, p.cloneSettings()...)
	}
	switch {
	case ctx.Err() != nil:
		err = fault.New(fault.ErrInterrupted, "interrupted while the clone for the session was made")
	case err != nil:
		err = fault.New(fault.ErrClone, "the clone for the session cannot be made: %s", visible.OneLine(err.Error(), 400))
	default:
		err = p.setUpClone(ctx)
	}
	leave = func() {
		p.Clone.Close()
		p.Clone = nil
	}
	if err != nil {
		if p.Clone != nil {
			leave()
		}
		p.DiscardClone()
	}
	return leave, err
}

// CloneIsFree refuses where the clone holds what a session did that is neither
// kept nor committed.
func (p *Place) CloneIsFree() error {
	if note := p.Noted(); note.Clone {
		return &fault.Fault{Kind: fault.ErrUnfinished, Step: note.Name, Text: fmt.Sprintf("what a session did at step %s is in its clone, neither kept nor committed", visible.OneLine(note.Name, 80))}
	}
	return nil
}

// cloneSettings are those of the repository without which git would take files in
// the clone for other ones, or not know whose a commit there is.
func (p *Place) cloneSettings() []string {
	var out []string
	keys := append(p.Config.Git.Keys("filter"), "user.name", "user.email", "core.autocrlf", "core.eol")
	for _, key := range keys {
		if v, ok := p.Config.Git.Get(key); ok && !strings.Contains(key, "=") {
			out = append(out, key, v)
		}
	}
	return out
}

// setUpClone runs plan.worktreeSetup. What it made that git does not track is there
// before any session, and so no work of one.
func (p *Place) setUpClone(ctx context.Context) error {
	if command := p.Config.String("plan.worktreeSetup"); command != "" {
		c, err := p.confined(ctx, "setup", journal.Notice{})
		if err != nil {
			return err
		}
		c.Setup = true
		err = c.Run(ctx, []string{command})
		var failed *CheckFailure
		switch {
		case ctx.Err() != nil:
			return fault.New(fault.ErrInterrupted, "interrupted in plan.worktreeSetup")
		case errors.As(err, &failed):
			return fault.New(fault.ErrClone, "plan.worktreeSetup failed, so no session was held: %s", failed.Error())
		case err != nil:
			return err
		}
	}
	s, err := worktree.ReadStatusIgnored(ctx, p.Clone)
	if err != nil {
		return err
	}
	if !s.Clean() {
		return fault.New(fault.ErrClone, "plan.worktreeSetup must leave alone what git tracks, and it changed %s", visible.OneLine(strings.Join(s.Paths(), ", "), 400))
	}
	s.Untracked, s.Ignored = nil, append(s.Untracked, s.Ignored...)
	p.Before = s
	return nil
}

// DiscardClone removes the clone, if there is one. What cannot be removed now the
// next step tries again.
func (p *Place) DiscardClone() {
	if top, gitDir, err := p.clonePlace(); err == nil {
		DiscardClone(top, gitDir)
	}
}

func DiscardClone(top, gitDir string) {
	_ = disk.RemoveTree(gitDir)
	_ = disk.RemoveTree(filepath.Dir(top))
}

// keepClone keeps what an interrupted session left in its clone, and discards it.
func (p *Place) keepClone(ctx context.Context, name string) (kept string, err error) {
	if p.Own.Landing && journal.OrNone(p.Before.Head) == p.Own.Head {
		if _, err := p.TakeBackAfterCrash(ctx, name); err != nil {
			return "", err
		}
	}
	top, gitDir, err := p.clonePlace()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil && setup.IsFolder(top) {
		if p.Clone, err = worktree.Elsewhere(p.Repo, top, gitDir, strings.TrimSuffix(p.Own.Head, journal.None)); err != nil {
			return "", err
		}
		defer func() {
			p.Clone.Close()
			p.Clone = nil
		}()
		if err := journal.FreeOfLocks(p.Clone, p.Own.Began); err != nil {
			return "", err
		}
		s, _, err := p.looked(ctx, p.Clone, p.Look)
		if err != nil {
			return "", err
		}
		p.Before = &worktree.Status{Head: s.Head}
		if kept, err = p.keepAt(ctx, s, name, p.Own.Ended()); err != nil {
			return "", err
		}
		p.tellKept(name, kept, append(s.Paths(), p.Added(s)...))
	}
	p.ForgetProgress()
	p.Before, err = worktree.ReadStatusIgnored(ctx, p.Repo)
	return kept, err
}

// ThroughWorkTree puts a tree that passed in the clone into the work tree, where
// commit commits it as a person's: with the hooks that are there and all that they
// need. Where there is no commit in the end the work tree is as it was, and what the
// hooks made of the files is in the clone.
func (p *Place) ThroughWorkTree(ctx context.Context, tree string, out *Ending, commit func() error) error {
	if err := p.land(ctx, tree, out); err != nil || out.Status != agent.Done {
		return err
	}
	err := commit()
	if out.Commit != "" {
		return err
	}
	left, back := p.takeBack(ctx)
	if back == nil && left != "" && left != tree && p.Clone != nil {
		back = worktree.PutTree(context.WithoutCancel(ctx), p.Clone, tree, left)
	}
	return errors.Join(err, back)
}

// land puts a tree into the work tree and its index. A person may have worked there
// meanwhile: then it waits in the clone for the next step, or review, to land it.
func (p *Place) land(ctx context.Context, tree string, out *Ending) error {
	if err := cmp.Or(p.UnderWay(), journal.FreeOfLocks(p.Repo, time.Time{})); err != nil {
		return err
	}
	s, err := worktree.ReadStatusIgnored(ctx, p.Repo)
	switch branch := visible.OneLine(p.Branch, 200); {
	case err != nil:
		return err
	case s.Branch != p.Branch:
		return fault.New(fault.ErrMovedBranch, "%s was left while a session worked for it; what it did waits, on %s, for the next %s", branch, branch, p.Own.Lands())
	case s.Head != p.Before.Head:
		return fault.New(fault.ErrMovedBranch, "somebody committed on %s while a session worked for it; what it did waits for the next %s", branch, p.Own.Lands())
	case !s.Clean():
		return fault.New(fault.ErrSetAside, "%s; what the session did waits for the next %s", Dirty(s), p.Own.Lands())
	}
	taken, err := Taken(ctx, p.Repo, s, p.Before.Head, tree)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		out.Fail("it made files that are in the person's work tree already and not tracked: %s", visible.OneLine(strings.Join(taken, ", "), 400))
		return nil
	}
	p.Own.Tree, p.Own.Landing = tree, true
	if err := p.NoteProgress(); err != nil {
		return err
	}
	if err = worktree.PutTree(ctx, p.Repo, p.Before.Head, tree); err == nil {
		return nil
	}
	_, back := p.takeBack(ctx)
	if errors.Is(err, worktree.ErrConflict) && ctx.Err() == nil {
		err = nil
		out.Fail("what it did does not fit into the work tree: files there changed meanwhile, or some that are not tracked are in the way")
	}
	return errors.Join(err, back)
}

// takeBack makes the work tree what it was before land, and returns what it held
// instead; nothing where HEAD has moved, since then it was committed.
func (p *Place) takeBack(ctx context.Context) (left string, err error) {
	if ctx.Err() != nil { // which ended a git of ours in the middle
		if err := journal.FreeOfLocks(p.Repo, p.Own.Began); err != nil {
			return "", err
		}
		ctx = context.WithoutCancel(ctx)
	}
	s, err := worktree.ReadStatus(ctx, p.Repo)
	if err != nil || s.Head != p.Before.Head {
		return "", err
	}
	change, err := p.Changeset(ctx, p.Own.Tree)
	if err != nil {
		return "", err
	}
	var added []string
	for _, f := range change.Diff.Files {
		if f.Status == 'A' && slices.Contains(s.Untracked, f.Path) {
			added = append(added, f.Path)
		}
	}
	if left, err = worktree.Snapshot(ctx, p.Repo, append(s.Unstaged(), added...)); err != nil {
		return "", err
	}
	if err := worktree.Restore(ctx, p.Repo, p.Before.Head, added); err != nil {
		return "", err
	}
	p.Own.Landing = false
	return left, p.NoteProgress()
}

// TakeBackAfterCrash is takeBack where somebody may have written to the work tree
// since: what is not the tree that was to land is kept.
func (p *Place) TakeBackAfterCrash(ctx context.Context, name string) (kept string, err error) {
	left, err := p.takeBack(ctx)
	if err != nil || left == "" || left == p.Own.Tree {
		return "", err
	}
	if c, err := p.Repo.ReadCommit(ctx, "HEAD"); err == nil && c.Tree == left {
		return "", nil
	}
	var parents []string
	if p.Before.Head != "" {
		parents = []string{p.Before.Head}
	}
	return p.KeepTree(ctx, left, parents, name, "the work tree, as a crash left it")
}

// ForgetProgress is called when a task is over: what a clone holds is then kept, or
// committed.
func (p *Place) ForgetProgress() {
	p.TaskNote().Remove()
	p.DiscardClone()
}
