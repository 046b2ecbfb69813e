package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/clones"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// room is where a session works: a repository of its own with the tree that was sent as its one
// commit. It reads what it was sent from the cache, to which it cannot write.
type room struct {
	*site.Site
	files  *git.Repo // what the session wrote, read by a git whose records are out of its reach
	base   string    // the commit
	before []string  // files that were there before the session, and that no commit would have
	leave  []func()
}

// enter makes the room.
func enter(ctx context.Context, in *cached, config *settings.Config, branch, base string) (_ *room, err error) {
	r := &room{base: base}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	scratch, remove, err := disk.TempFolder("worker")
	if err != nil {
		return nil, err
	}
	r.leave = append(r.leave, remove)
	records, remove, err := disk.TempFolderIn(in.repo.PlanDir("rooms"), "room")
	if err != nil {
		return nil, err
	}
	r.leave = append(r.leave, remove)
	box := sandbox.Of(in.repo, config)
	r.leave = append(r.leave, box.Close)
	r.Site = &site.Site{Checkout: &checkout.Checkout{Repo: in.repo, Config: config, Sandbox: box}}
	top := filepath.Join(scratch, "tree")
	if err := r.begin(ctx, top, branch); err != nil {
		return nil, fmt.Errorf("the tree cannot be made: %w", err)
	}
	if r.files, err = clones.Another(in.repo, top, records, base); err != nil {
		return nil, err
	}
	r.leave = append(r.leave, r.files.Close)
	if err := r.files.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "-u", base}, Writes: true}); err != nil {
		return nil, err
	}
	return r, clones.Dress(ctx, r.files)
}

// begin makes the repository, which the session may use as it likes: it borrows the objects of the
// cache.
func (r *room) begin(ctx context.Context, top, branch string) error {
	if branch == "" {
		branch = "work"
	}
	beside := r.Repo.Unbound(filepath.Dir(top))
	if err := beside.Run(ctx, git.Command{Args: []string{"init", "--quiet", "--template=", "--object-format=" + r.Repo.Format, "--initial-branch=" + branch, top}}); err != nil {
		return err
	}
	own := filepath.Join(top, ".git")
	if err := os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(filepath.Join(r.Repo.CommonDir, "objects")+"\n"), 0o600); err != nil {
		return err
	}
	// Without a reflog: for one git would find out the full name of this machine, which may take seconds.
	return r.Repo.Unbound(top, "GIT_DIR="+own).Run(ctx, git.Command{Args: []string{"-c", "core.logAllRefUpdates=false", "update-ref", "HEAD", r.base}})
}

// prepare runs plan.worktreeSetup. What it made is there before the session, and so is not of it.
func (r *room) prepare(ctx context.Context, command string) error {
	if command == "" {
		return nil
	}
	checks := r.Checks("setup", journal.Notice{}, r.Config.Environment(nil))
	checks.Dir = r.files.Top
	var err error
	if checks.Confine, err = r.confined(r.Confine(ctx, r.files.Top)); err != nil {
		return err
	}
	if err := checks.Run(ctx, []string{command}); err != nil {
		return err
	}
	s, err := worktree.ReadStatus(ctx, r.files)
	if err != nil {
		return err
	}
	if !s.Clean() {
		return errors.New("plan.worktreeSetup must leave alone what git tracks")
	}
	r.before = s.Untracked
	return nil
}

// ConfineSession returns what the commands of a session here may do.
func (r *room) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*confine.Bounds, error) {
	return r.confined(r.Site.ConfineSession(ctx, a, s))
}

// confined lets a session write all of its own repository.
func (r *room) confined(c *confine.Bounds, err error) (*confine.Bounds, error) {
	if c != nil {
		own := filepath.Join(r.files.Top, ".git")
		c.ReadOnly = slices.DeleteFunc(c.ReadOnly, func(path string) bool { return path == own })
	}
	return c, err
}

// spoiled says what a session changed of what it was to judge: then nobody knows what it read. A
// planner's copy is thrown away, and new files are no change, since a reviewer may run the tests.
func (r *room) spoiled(ctx context.Context, role agent.Role) string {
	if role != agent.Reviewer && role != agent.Verifier {
		return ""
	}
	s, err := worktree.ReadStatus(ctx, r.files)
	switch {
	case err != nil:
		return "whether it changed its copy is unknown: " + err.Error()
	case s.Clean():
		return ""
	}
	return "it changed its copy: " + visible.Few(s.Paths()) + "; a " + string(role) + " must not write to files under review"
}

// findings puts the findings of a review into a file for the session.
func (r *room) findings(data []byte) (path string, err error) {
	if data == nil {
		return "", nil
	}
	dir, remove, err := disk.TempFolder("findings")
	if err != nil {
		return "", err
	}
	r.leave = append(r.leave, remove)
	path = filepath.Join(dir, "findings.json")
	return path, os.WriteFile(path, data, 0o600)
}

// tree returns the files as they are now.
func (r *room) tree(ctx context.Context) (string, error) {
	s, err := worktree.ReadStatus(ctx, r.files)
	if err != nil {
		return "", err
	}
	added := slices.DeleteFunc(s.Untracked, func(path string) bool { return path[len(path)-1] == '/' || slices.Contains(r.before, path) })
	return worktree.Snapshot(ctx, r.files, append(s.Unstaged(), added...))
}

func (r *room) close() {
	for _, f := range slices.Backward(r.leave) {
		f()
	}
}
