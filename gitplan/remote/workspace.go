package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// workspace is where a session works: a repository of its own, with the objects of a store that it cannot write.
type workspace struct {
	site    *runner.Runner // of the store
	folder  string
	files   *git.Repo // what the session wrote, read by a git whose index is out of its reach
	tree    string    // that was sent
	before  []string  // untracked files that were there before the session
	cleanup []func()
}

// newWorkspace creates the store. config is the configuration in force for the session.
func newWorkspace(ctx context.Context, config *settings.Config, format string) (_ *workspace, err error) {
	w := &workspace{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	folder, remove, err := disk.TempFolder("worker")
	if err != nil {
		return nil, err
	}
	w.folder, w.cleanup = folder, append(w.cleanup, remove)
	outside, _, err := git.Outside(ctx)
	if err != nil {
		return nil, err
	}
	defer outside.Close()
	store := filepath.Join(folder, "store")
	if err := outside.Unbound(folder).Run(ctx, git.Command{Args: []string{"init", "--quiet", "--template=", "--object-format=" + format, store}}); err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, store)
	if err != nil {
		return nil, err
	}
	w.cleanup = append(w.cleanup, repo.Close)
	box := sandbox.Of(repo, config)
	w.cleanup = append(w.cleanup, box.Close)
	w.site = &runner.Runner{Checkout: &checkout.Checkout{Repo: repo, Config: config, Sandbox: box}}
	return w, nil
}

// checkOut creates the repository of the session, which borrows the objects of the store.
func (w *workspace) checkOut(ctx context.Context, tree, branch string) (err error) {
	repo, top := w.site.Checkout.Repo, filepath.Join(w.folder, "tree")
	w.tree = tree
	var out bytes.Buffer
	err = repo.Run(ctx, git.Command{Args: []string{"commit-tree", tree}, Stdin: strings.NewReader("What the session begins with\n"), Stdout: &out, Writes: true,
		Env: []string{"GIT_AUTHOR_NAME=git-plan", "GIT_AUTHOR_EMAIL=git-plan@localhost", "GIT_COMMITTER_NAME=git-plan", "GIT_COMMITTER_EMAIL=git-plan@localhost"}})
	if err != nil {
		return err
	}
	base := strings.TrimSpace(out.String())
	branch = cmp.Or(branch, "work")
	if err := repo.Unbound(w.folder).Run(ctx, git.Command{Args: []string{"init", "--quiet", "--template=", "--object-format=" + repo.Format, "--initial-branch=" + branch, top}}); err != nil {
		return err
	}
	own := filepath.Join(top, ".git")
	if err := os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(filepath.Join(repo.CommonDir, "objects")+"\n"), 0o600); err != nil {
		return err
	}
	// Without a reflog: for one git would look up the full name of this machine, which may take seconds.
	if err := repo.Unbound(top, "GIT_DIR="+own).Run(ctx, git.Command{Args: []string{"-c", "core.logAllRefUpdates=false", "update-ref", "HEAD", base}}); err != nil {
		return err
	}
	// The index is below the git folder of the store, which the sandbox keeps read-only.
	records, remove, err := disk.TempFolderIn(repo.PlanDir("records"), "records")
	if err != nil {
		return err
	}
	w.cleanup = append(w.cleanup, remove)
	if w.files, err = worktree.PrivateWorktree(repo, top, records, base); err != nil {
		return err
	}
	w.cleanup = append(w.cleanup, w.files.Close)
	if err := w.files.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "-u", base}, Writes: true}); err != nil {
		return err
	}
	return worktree.WriteCloneIndex(ctx, w.files)
}

// prepare runs plan.worktreeSetup. Its results exist before the session, so they are not the session's changes.
func (w *workspace) prepare(ctx context.Context, command string) error {
	if command == "" {
		return nil
	}
	checks := w.site.Checks("setup", journal.Notice{}, w.site.Checkout.Config.Environment(nil))
	checks.Dir = w.files.Top
	var err error
	if checks.Confine, err = w.confined(w.site.Confine(ctx, w.files.Top)); err != nil {
		return err
	}
	if err := checks.Run(ctx, []string{command}); err != nil {
		return err
	}
	s, err := worktree.ReadStatus(ctx, w.files)
	if err != nil {
		return err
	}
	if !s.Clean() {
		return errors.New("plan.worktreeSetup must leave alone what git tracks")
	}
	w.before = s.Untracked
	return nil
}

// confined lets a session write all of its own repository.
func (w *workspace) confined(c *proc.Bounds, err error) (*proc.Bounds, error) {
	if c != nil {
		own := filepath.Join(w.files.Top, ".git")
		c.ReadOnly = slices.DeleteFunc(c.ReadOnly, func(path string) bool { return path == own })
	}
	return c, err
}

// findings writes the findings of a review to a file for the session.
func (w *workspace) findings(data []byte) (path string, err error) {
	if data == nil {
		return "", nil
	}
	dir, remove, err := disk.TempFolder("findings")
	if err != nil {
		return "", err
	}
	w.cleanup = append(w.cleanup, remove)
	path = filepath.Join(dir, "findings.json")
	return path, os.WriteFile(path, data, 0o600)
}

// snapshot returns the current files.
func (w *workspace) snapshot(ctx context.Context) (string, error) {
	s, err := worktree.ReadStatus(ctx, w.files)
	if err != nil {
		return "", err
	}
	added := slices.DeleteFunc(s.Untracked, func(path string) bool { return strings.HasSuffix(path, "/") || slices.Contains(w.before, path) })
	return worktree.Snapshot(ctx, w.files, append(s.Unstaged(), added...))
}

func (w *workspace) close() {
	for _, f := range slices.Backward(w.cleanup) {
		f()
	}
}
