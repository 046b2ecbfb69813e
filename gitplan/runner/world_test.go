package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/git-plan/git-plan/testdata/texts"
)

// world is a repository with one commit and a plan on branch work, and what was reported.
type world struct {
	*testing.T
	dir     string
	site    *Runner
	notices []journal.Notice
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: repository.New(t, "-b", "main")}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	t.Chdir(w.dir)
	w.write("a.txt", "one\n")
	repository.Commit(t, "first")
	w.git("switch", "-q", "-c", "work")
	c := w.open()
	doc, err := c.Store.Create(t.Context(), []byte(texts.Steps("- [ ] a {#a}\n")), "work", "main", journal.Event{Start: w.git("rev-parse", "HEAD"), By: journal.ByPerson})
	fine(t, err)
	fine(t, c.Attach(t.Context(), doc.ID))
	return w.again()
}

func (w *world) open() *checkout.Checkout {
	w.Helper()
	c, err := checkout.Open(w.Context())
	fine(w.T, err)
	w.Cleanup(c.Close)
	return c
}

// again is the next command.
func (w *world) again() *world {
	w.Helper()
	c := w.open()
	fine(w.T, c.Load(w.Context()))
	w.site = &Runner{Checkout: c, On: func(n journal.Notice) { w.notices = append(w.notices, n) }}
	return w
}

func (w *world) git(args ...string) string {
	w.Helper()
	return strings.TrimSpace(repository.Git(w.T, w.dir, args...))
}

func (w *world) write(name, text string) *world {
	w.Helper()
	repository.Write(w.T, filepath.Join(w.dir, name), text)
	return w
}

// hook installs a hook of the person's.
func (w *world) hook(name, script string) *world {
	w.Helper()
	w.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	fine(w.T, os.Chmod(filepath.Join(w.dir, ".git/hooks", name), 0o755))
	return w
}

// commits stages everything in the work tree and commits it as a session's work.
func (w *world) commits(change func(*Commit)) (said string, err error) {
	w.Helper()
	w.again()
	w.git("add", "-A")
	c := Commit{Tree: w.git("write-tree"), Message: "A step\n\nPlan-Step: x/a\n", Own: func(string) bool { return false }}
	c.Look = func(ctx context.Context) (*worktree.Status, error) {
		return worktree.ReadStatus(ctx, w.site.Checkout.Repo)
	}
	if change != nil {
		change(&c)
	}
	var out proc.Tail
	err = w.site.Commit(w.Context(), c, &out)
	return out.String(), err
}

// says fails the test unless a text contains a part; "" means no text.
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
