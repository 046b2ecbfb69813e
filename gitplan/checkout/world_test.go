package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/texts"
)

// world is a repository with one commit on main, in a fixed environment.
type world struct {
	*testing.T
	dir string
}

const twoSteps = "- [ ] a {#a}\n  - Check: `true`\n- [ ] b {#b}\n"

func newWorld(t *testing.T) *world {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "XDG_STATE_HOME": "", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", proc.EnvDepth: "",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"GIT_EDITOR": "true",
	} {
		t.Setenv(k, v)
	}
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "anna")}
	runGit(t, ".", "init", "-q", "--template=", "-b", "main", w.dir)
	w.commit("README", "read me\n")
	return w
}

// runGit runs git in a folder and returns what it prints.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	var out, said proc.Tail
	exit, err := proc.Run(t.Context(), proc.Cmd{Name: "git", Args: args, Dir: dir, Stdout: &out, Stderr: &said})
	if err != nil || exit.Code != 0 {
		t.Fatalf("git %s: %v, exit code %d: %s", strings.Join(args, " "), err, exit.Code, said.String())
	}
	return strings.TrimSpace(out.String())
}

// git runs git in the repository, once for each line.
func (w *world) git(lines ...string) (out string) {
	w.Helper()
	for _, line := range lines {
		out = runGit(w.T, w.dir, strings.Fields(line)...)
	}
	return out
}

func (w *world) write(path, text string) {
	w.Helper()
	file := filepath.Join(w.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		w.Fatal(err)
	}
}

// commit commits a file with paragraphs as the message, and returns the commit.
func (w *world) commit(path, text string, message ...string) string {
	w.Helper()
	w.write(path, text)
	w.git("add " + path)
	args := []string{"commit", "-q", "-m", "Change " + path}
	for _, m := range message {
		args = append(args, "-m", m)
	}
	runGit(w.T, w.dir, args...)
	return w.git("rev-parse HEAD")
}

// open opens the checkout, as the next command does.
func (w *world) open() *Checkout {
	w.Helper()
	w.Chdir(w.dir)
	c, err := Open(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return c
}

// load opens the checkout with the plan of its branch.
func (w *world) load() *Checkout {
	w.Helper()
	c := w.open()
	if err := c.Load(w.Context()); err != nil {
		w.Fatal(err)
	}
	return c
}

// plan makes the branch work with a plan of two steps, and returns its id.
func (w *world) plan() string {
	w.Helper()
	w.git("switch -q -c work")
	return w.planWith(twoSteps)
}

// planWith attaches a plan with these steps to the current branch, and returns its id.
func (w *world) planWith(steps string) string {
	w.Helper()
	c := w.open()
	p, err := plan.Parse([]byte(texts.Steps(steps)))
	fine(w.T, err)
	base, err := NewPlan{}.Ready(w.Context(), c)
	fine(w.T, err)
	_, err = NewPlan{}.Store(w.Context(), c, p, base, journal.Event{By: journal.ByPerson})
	fine(w.T, err)
	return c.Doc.ID
}

// does commits a step of the plan and records it as done, as git plan step does.
func (w *world) does(step string) (commit string) {
	w.Helper()
	c := w.load()
	commit = w.commit(step+".txt", step, "Plan-Step: "+c.Doc.ID+"/"+step)
	w.happens(c, journal.Event{Kind: journal.Done, Steps: []string{step}, Head: commit, Attempt: 1, By: journal.ByAgent, Summary: "did " + step}, func(text []byte) ([]byte, error) {
		return plan.Tick(text, step, true)
	})
	return commit
}

// happens writes an event into the loaded plan.
func (w *world) happens(c *Checkout, e journal.Event, edit func([]byte) ([]byte, error)) {
	w.Helper()
	if err := c.Store.Apply(w.Context(), c.Doc, c.Branch, journal.Change{Event: e, Edit: edit}); err != nil {
		w.Fatal(err)
	}
}

// clone makes a clone of the repository that has its plans, and returns its world.
func (w *world) clone(branch string) *world {
	w.Helper()
	other := &world{T: w.T, dir: filepath.Join(w.TempDir(), "ben")}
	runGit(w.T, ".", "clone", "-q", w.dir, other.dir)
	other.git("fetch -q origin +refs/plans/*:refs/plans/*", "switch -q "+branch)
	return other
}

// states are the states of the steps, as "a done, b open".
func states(c *Checkout) string {
	var out []string
	for _, s := range c.Doc.Plan.Steps {
		out = append(out, s.ID+" "+string(c.Progress.Steps[s.ID].State))
	}
	return strings.Join(out, ", ")
}

// refused fails the test unless an error is of a kind, and contains a text.
func refused(t *testing.T, err, kind error, says string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("got the error %v, want one of the kind %q that says %q", err, kind, says)
	}
}

func fine(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
