// Package world provides a repository with an approved plan and agents that are shell scripts, for tests of
// sessions.
package world

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/git-plan/git-plan/testdata/texts"
)

// World is a repository with one commit on main, which is the current folder.
type World struct {
	*testing.T
	Dir  string
	Saw  []journal.Notice // of every workspace, in order
	Plan string           // its id; "" before Attach
}

// New makes a world without an agent, whose commands are not confined.
func New(t *testing.T) *World {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "XDG_STATE_HOME": "", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_PLAN_DEPTH": "",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "GIT_EDITOR": "true",
	} {
		t.Setenv(k, v)
	}
	w := &World{T: t, Dir: t.TempDir()}
	t.Chdir(w.Dir)
	w.Git("init", "-q", "-b", "main")
	w.Set("plan.sandbox", "none")
	w.Commit("README", "read me\n")
	return w
}

// Git runs git and returns what it prints.
func (w *World) Git(args ...string) string {
	w.Helper()
	return repository.Ask(w, args...)
}

// Set sets keys of git's configuration: a name, its value, and so on.
func (w *World) Set(pairs ...string) {
	w.Helper()
	for i := 0; i < len(pairs); i += 2 {
		w.Git("config", pairs[i], pairs[i+1])
	}
}

// Agent makes an agent of a name run a shell script for each session; the first one serves every role.
func (w *World) Agent(name, script string) {
	w.Helper()
	w.Set("planAgent."+name+".command", script)
	if exec.Command("git", "config", "plan.agent").Run() != nil {
		w.Set("plan.agent", name)
	}
}

// Write writes a file, and the folders above it.
func (w *World) Write(name, text string) {
	w.Helper()
	repository.Write(w, name, text)
}

// Read returns the text of a file; "" if it does not exist.
func (w *World) Read(name string) string {
	text, _ := os.ReadFile(name)
	return string(text)
}

// Heard returns what the agent wrote to told1, told2, ... in the home folder; "" if nothing.
func (w *World) Heard(n int) string {
	return w.Read(filepath.Join(os.Getenv("HOME"), fmt.Sprint("told", n)))
}

// Commit commits a file with a message of its name, and further paragraphs, and returns the commit.
func (w *World) Commit(name, text string, paragraphs ...string) string {
	w.Helper()
	w.Write(name, text)
	w.Git("add", "-f", "--", name)
	args := []string{"commit", "-q", "-m", "Change " + name}
	for _, p := range paragraphs {
		args = append(args, "-m", p)
	}
	w.Git(args...)
	return w.Head()
}

// Head returns the commit of HEAD.
func (w *World) Head() string {
	w.Helper()
	return w.Git("rev-parse", "HEAD")
}

// Attach makes the branch work with an approved plan of these steps.
func (w *World) Attach(steps string) {
	w.Helper()
	w.AttachText(texts.Steps(steps))
}

// AttachText makes the branch work with an approved plan of a text.
func (w *World) AttachText(text string) {
	w.Helper()
	w.Git("switch", "-q", "-c", "work")
	c := w.open()
	p, err := plan.Parse([]byte(text))
	w.Fine(err)
	base, err := checkout.NewPlan{}.Ready(w.Context(), c)
	w.Fine(err)
	_, err = checkout.NewPlan{}.Store(w.Context(), c, p, base, journal.Event{By: journal.ByPerson})
	w.Fine(err, integrity.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source))
	w.Plan = c.Doc.ID
}

func (w *World) open() *checkout.Checkout {
	w.Helper()
	c, err := checkout.Open(w.Context())
	w.Fine(err)
	w.Cleanup(c.Close)
	return c
}

// Open opens the checkout as the next command does, with the plan of its branch if it has one.
func (w *World) Open() *runner.Runner {
	w.Helper()
	c := w.open()
	if w.Plan != "" {
		w.Fine(c.Load(w.Context()))
	}
	return &runner.Runner{Checkout: c, On: func(n journal.Notice) { w.Saw = append(w.Saw, n) }}
}

// Happens writes an event into the loaded plan.
func (w *World) Happens(s *runner.Runner, e journal.Event, edit func([]byte) ([]byte, error)) {
	w.Helper()
	w.Fine(s.Checkout.Store.Apply(w.Context(), s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e, Edit: edit}))
}

// Said returns the texts and reasons of the notices of a kind, a line each.
func (w *World) Said(kind string) string {
	var out []string
	for _, n := range w.Saw {
		if n.Kind == kind {
			out = append(out, strings.TrimSpace(strings.Join(append([]string{n.Text, n.Reason}, n.Also...), " ")))
		}
	}
	return strings.Join(out, "\n")
}

// Count returns how many notices of a kind there were.
func (w *World) Count(kind string) (n int) {
	for _, s := range w.Saw {
		if s.Kind == kind {
			n++
		}
	}
	return n
}

// Clean fails the test if anything is uncommitted.
func (w *World) Clean() {
	w.Helper()
	if left := w.Git("status", "--porcelain"); left != "" {
		w.Errorf("not committed:\n%s", left)
	}
}

// Fine ends the test if there is an error.
func (w *World) Fine(errs ...error) {
	w.Helper()
	if err := errors.Join(errs...); err != nil {
		w.Fatal(err)
	}
}

// Refused fails the test unless an error is of a kind, and contains a text.
func (w *World) Refused(err, kind error, says string) {
	w.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		w.Errorf("got the error %v, want one of the kind %q that says %q", err, kind, says)
	}
}
