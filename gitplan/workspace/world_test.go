package workspace

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/git-plan/git-plan/testdata/texts"
)

// world is a repository with one commit and a plan on branch work, and what was reported.
type world struct {
	*testing.T
	dir      string
	site     *runner.Runner
	reported []string
	free     func() // the plan's text
}

func newWorld(t *testing.T, config ...string) *world {
	t.Helper()
	w := &world{T: t, dir: repository.New(t, "-b", "main")}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	t.Setenv("GIT_EDITOR", "true")
	t.Chdir(w.dir)
	repository.Write(t, "a.txt", "one\ntwo\nthree\n")
	repository.Commit(t, "first")
	w.git("switch", "-q", "-c", "work")
	for i := 0; i+1 < len(config); i += 2 {
		w.git("config", config[i], config[i+1])
	}
	c := w.open()
	doc, err := c.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n")), "work", "main", journal.Event{Start: w.git("rev-parse", "HEAD"), By: journal.ByPerson})
	fine(t, err)
	fine(t, c.Attach(t.Context(), doc.ID))
	w.again()
	return w
}

// everywhere plays a story in the work tree, and in a clone.
func everywhere(t *testing.T, story func(w *world)) {
	for _, isolation := range []string{"tree", "clone"} {
		t.Run(isolation, func(t *testing.T) { story(newWorld(t, "plan.isolation", isolation)) })
	}
}

func (w *world) open() *checkout.Checkout {
	w.Helper()
	c, err := checkout.Open(w.Context())
	fine(w.T, err)
	w.Cleanup(c.Close)
	return c
}

// again is the next command: it knows what was recorded, and nothing else.
func (w *world) again() *world {
	w.Helper()
	c := w.open()
	fine(w.T, c.Load(w.Context()))
	fine(w.T, c.Derive(w.Context()))
	w.site = &runner.Runner{Checkout: c, On: func(n journal.Notice) { w.reported = append(w.reported, n.Text) }}
	if w.free != nil {
		w.free()
	}
	free, err := w.site.LockPlan(w.Context())
	fine(w.T, err)
	w.free = free
	return w
}

// task is a running task in its workspace, with a session that has begun.
type task struct {
	*Workspace
	*world
	leave func()
	ended bool
}

// begin enters a workspace for a task at step a.
func (w *world) begin() *task {
	w.Helper()
	p, err := Ready(w.Context(), w.site)
	fine(w.T, err)
	here, leave, err := p.Enter(w.Context(), agent.Executor)
	fine(w.T, err)
	fine(w.T, here.RecordUserFiles(w.Context(), "a"))
	t := &task{Workspace: here, world: w, leave: leave}
	w.Cleanup(t.gone)
	return t.session()
}

// session begins a session of the task.
func (t *task) session() *task {
	t.Helper()
	fine(t.T, t.Begin(t.Context(), "a-1"))
	t.RecordSession(t.Context(), "a-1", checkout.Working)
	return t
}

// does is the session's work: a script in its folder.
func (t *task) does(script string) *task {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = t.Dir(), append(os.Environ(), runner.InReflog("a-1"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return t
}

// gone is the end of the command, also of a killed one.
func (t *task) gone() {
	if !t.ended {
		t.ended = true
		t.leave()
	}
}

// left inspects the session's work; reason is why the attempt failed.
func (t *task) left() (left *Changes, reason string) {
	t.Helper()
	left, f := t.looks()
	if f != nil {
		return left, f.Error()
	}
	return left, ""
}

// looks is left with the whole failure.
func (t *task) looks() (left *Changes, f *Failure) {
	t.Helper()
	left, err := t.Collect(t.Context())
	if f = FailureOf(err); err != nil && f == nil {
		t.Fatal(err)
	}
	if f == nil {
		f = left.Wrong
	}
	return left, f
}

// commits commits the session's work as git plan does, and returns why that failed.
func (t *task) commits() (reason string) {
	t.Helper()
	left, reason := t.left()
	if reason != "" {
		return reason
	}
	tree, err := worktree.Stage(t.Context(), t.Tree(), left.Paths())
	fine(t.T, err)
	fine(t.T, t.NoteCommit(t.Context(), tree, "A step\n"))
	return reasonOf(t.T, t.lands(tree))
}

// NoteCommit also changes the refs, as the event that follows does.
func (t *task) NoteCommit(ctx context.Context, tree, message string) error {
	refs, err := t.Workspace.NoteCommit(ctx, tree, message)
	return errors.Join(err, t.Checkout.Repo.ChangeRefs(ctx, "noted", refs...))
}

// lands brings a tree into the work tree and commits it.
func (t *task) lands(tree string) error {
	_, err := t.Land(t.Context(), tree, func() (string, error) {
		err := t.Commit(t.Context(), "", &proc.Tail{})
		return t.Committed(t.Context()), err
	})
	return err
}

// reasonOf returns why work is not committed, from the error of judging it.
func reasonOf(t *testing.T, err error) string {
	t.Helper()
	if f := FailureOf(err); f != nil {
		return f.Error()
	}
	fine(t, err)
	return ""
}

func (w *world) git(args ...string) string {
	w.Helper()
	return strings.TrimSpace(repository.Git(w.T, w.dir, args...))
}

// has fails the test unless a file of the work tree has a text; "" means no such file.
func (w *world) has(name, want string) {
	w.Helper()
	got, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) || string(got) != want {
		w.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
}

// says fails the test unless a text contains a part.
func (w *world) says(text, want string) {
	w.Helper()
	if !strings.Contains(text, want) || want == "" && text != "" {
		w.Errorf("%q does not say %q", text, want)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	repository.Write(t, filepath.Join(dir, name), text)
}

func chmod(t *testing.T, name string) {
	t.Helper()
	fine(t, os.Chmod(name, 0o755))
}
