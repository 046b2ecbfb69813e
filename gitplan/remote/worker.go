package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
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

// Serve runs one session for the git plan at the other end of in and out. It returns soon after that is gone.
func Serve(ctx context.Context, gitPlan string, in io.Reader, out io.Writer) error {
	const leave = 1500 * time.Millisecond // once the other end is gone
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn, err := Answer(in, out)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- serve(ctx, cancel, conn, gitPlan) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(leave):
		return context.Cause(ctx)
	}
}

func serve(ctx context.Context, cancel context.CancelCauseFunc, conn *Conn, gitPlan string) error {
	if err := conn.Send(FrameHello, hello(ctx, gitPlan)); err != nil {
		return err
	}
	job, err := receive[Work](conn, FrameJob)
	if err != nil {
		return err
	}
	own := []string{"GIT_CONFIG_COUNT=" + os.Getenv("GIT_CONFIG_COUNT")} // behind which settings are added
	for _, kv := range append(job.Env, git.WithSettings(own, job.Settings...)...) {
		name, value, _ := strings.Cut(kv, "=")
		_ = os.Setenv(name, value) // names and values are those of another process
	}
	outside, read, err := git.Outside(ctx)
	if err != nil {
		return err
	}
	defer outside.Close()
	config := settings.New(read)
	space := &workspace{}
	defer space.close()
	if err := space.create(ctx, outside, config, job.Format); err != nil { // a full disk: another machine may do better
		return err
	}
	tree, err := conn.TakeTree(ctx, space.site.Checkout.Repo)
	if err != nil {
		return err
	}
	if err := space.checkOut(ctx, tree, job.Session.Branch); err != nil {
		return fmt.Errorf("the tree cannot be checked out: %w", err)
	}
	go func() {
		_, err := conn.Next()
		cancel(fmt.Errorf("the other end is gone, or no longer wants it: %w", err))
	}()
	if err := space.prepare(ctx, job.Setup); err != nil {
		return conn.Send(FrameResult, agent.Result{Status: agent.Unusable, Reason: "the worker cannot begin: " + err.Error()})
	}
	result := session(ctx, conn, space, job)
	now := context.WithoutCancel(ctx)
	left, err := space.snapshot(now)
	if err == nil {
		err = conn.SendTree(now, space.files, space.tree, left)
	}
	if err != nil {
		return err
	}
	return conn.Send(FrameResult, result)
}

// hello describes this machine.
func hello(ctx context.Context, gitPlan string) Greeting {
	repo, config, err := git.Outside(ctx)
	if err != nil {
		return Greeting{Problem: "git cannot be run: " + err.Error()}
	}
	defer repo.Close()
	in, err := sandbox.Choose(ctx, settings.New(config))
	if err != nil {
		return Greeting{Problem: err.Error()}
	}
	return Greeting{About: fmt.Sprintf("git plan %s on %s/%s, sandbox %s", gitPlan, runtime.GOOS, runtime.GOARCH, in)}
}

// session runs the session, and passes on what happens in it.
func session(ctx context.Context, conn *Conn, space *workspace, job Work) agent.Result {
	s, config := job.Session, space.site.Checkout.Config
	a, err := config.NamedAgent(job.Agent, s.Role)
	if err == nil && job.Findings != nil {
		s.Review.Findings = filepath.Join(space.folder, "findings.json")
		err = os.WriteFile(s.Review.Findings, job.Findings, 0o600)
	}
	if err == nil {
		s.Dir, s.Env = space.files.Top, append(config.Environment(a), proc.Mark(s.ID))
		s.Confine, err = space.confined(space.site.ConfineSession(ctx, a, s))
	}
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()}
	}
	s.On = func(e agent.Event) { _ = conn.Send(FrameEvent, e) }
	s.Spend = func(t agent.Tokens, c agent.Cost) error {
		return conn.Send(FrameUsage, Used{Tokens: t, Cost: c})
	}
	s.Transcript = turns{conn}
	return a.Run(ctx, s)
}

// turns passes on the lines of a transcript.
type turns struct{ c *Conn }

func (t turns) Write(line []byte) (int, error) {
	return len(line), t.c.Send(FrameTurn, json.RawMessage(bytes.TrimSpace(line)))
}

// workspace is where a session works: a repository of its own, with the objects of a store that it cannot write.
type workspace struct {
	site    *runner.Runner // the runner of the store
	folder  string         // the temporary folder of all of this
	files   *git.Repo      // the session's files, with an index that it cannot write
	tree    string         // the tree that was sent
	before  []string       // the untracked files before the session
	cleanup []func()
}

// create creates the store. config is the configuration in force for the session.
func (w *workspace) create(ctx context.Context, outside *git.Repo, config *settings.Config, format string) error {
	folder, remove, err := disk.TempFolder("worker")
	if err != nil {
		return err
	}
	w.folder, w.cleanup = folder, append(w.cleanup, remove)
	store := filepath.Join(folder, "store")
	if err := outside.Unbound(folder).Run(ctx,
		git.Command{Args: []string{"init", "--quiet", "--template=", "--object-format=" + format, store}}); err != nil {
		return err
	}
	repo, err := git.Open(ctx, store)
	if err != nil {
		return err
	}
	w.cleanup = append(w.cleanup, repo.Close)
	box := sandbox.Of(repo, config)
	w.cleanup = append(w.cleanup, box.Close)
	w.site = &runner.Runner{Checkout: &checkout.Checkout{Repo: repo, Config: config, Sandbox: box}}
	return nil
}

// checkOut creates the repository of the session, which borrows the objects of the store.
func (w *workspace) checkOut(ctx context.Context, tree, branch string) (err error) {
	repo, top := w.site.Checkout.Repo, filepath.Join(w.folder, "tree")
	w.tree = tree
	who := git.Identity(fmt.Sprintf("git-plan <git-plan@localhost> %d +0000", time.Now().Unix()))
	head, err := repo.WriteCommit(ctx, tree, nil, who, "What the session begins with\n")
	if err != nil {
		return err
	}
	// The index is below the git folder of the store, which the sandbox keeps read-only.
	records, remove, err := disk.TempFolderIn(repo.PlanDir("records"), "records")
	if err != nil {
		return err
	}
	w.cleanup = append(w.cleanup, remove)
	w.files, err = worktree.PrivateClone(ctx, repo, worktree.Private{Top: top, GitDir: records,
		Branch: cmp.Or(branch, "work"), Head: head})
	if err == nil {
		w.cleanup = append(w.cleanup, w.files.Close)
	}
	return err
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
func (w *workspace) confined(c *proc.Confinement, err error) (*proc.Confinement, error) {
	if c != nil {
		own := filepath.Join(w.files.Top, ".git")
		c.ReadOnly = slices.DeleteFunc(c.ReadOnly, func(path string) bool { return path == own })
	}
	return c, err
}

// snapshot returns the current files.
func (w *workspace) snapshot(ctx context.Context) (string, error) {
	s, err := worktree.ReadStatus(ctx, w.files)
	if err != nil {
		return "", err
	}
	added := slices.DeleteFunc(s.Untracked,
		func(path string) bool { return strings.HasSuffix(path, "/") || slices.Contains(w.before, path) })
	return worktree.Snapshot(ctx, w.files, append(s.Unstaged(), added...))
}

func (w *workspace) close() {
	for _, f := range slices.Backward(w.cleanup) {
		f()
	}
}
