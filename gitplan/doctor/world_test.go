package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/texts"
)

// world is a repository with one commit on main, in a fixed environment without any agent.
type world struct {
	*testing.T
	dir string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "XDG_STATE_HOME": "", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", proc.EnvDepth: "",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
		"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "OPENROUTER_API_KEY": "", "AZURE_OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "GEMINI_API_KEY": "",
	} {
		t.Setenv(k, v)
	}
	w := &world{T: t, dir: t.TempDir()}
	w.git("init -q --template= -b main", "commit -q --allow-empty -m first")
	return w
}

// git runs git in the repository, once for each line.
func (w *world) git(lines ...string) (printed string) {
	w.Helper()
	for _, line := range lines {
		printed = w.run(strings.Fields(line)...)
	}
	return printed
}

// run runs git with arguments that may contain spaces.
func (w *world) run(args ...string) string {
	w.Helper()
	var out, said proc.Tail
	exit, err := proc.Run(w.Context(), proc.Cmd{Name: "git", Args: args, Dir: w.dir, Stdout: &out, Stderr: &said})
	if err != nil || exit.Code != 0 {
		w.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(out.String())
}

func (w *world) write(path, text string, mode os.FileMode) {
	w.Helper()
	fine(w.T, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode))
}

// open opens the checkout, as the next command does.
func (w *world) open() *checkout.Checkout {
	w.Helper()
	w.Chdir(w.dir)
	c, err := checkout.Open(w.Context())
	fine(w.T, err)
	w.Cleanup(c.Close)
	return c
}

// plan makes a branch with a plan of one step, a, and returns its id.
func (w *world) plan(branch string) string {
	w.Helper()
	w.git("switch -q -c " + branch + " main")
	c := w.open()
	doc, err := c.Store.Create(w.Context(), []byte(texts.Steps("- [ ] a {#a}\n")), branch, "main", journal.Event{Start: w.git("rev-parse HEAD"), By: journal.ByPerson})
	fine(w.T, err, c.Attach(w.Context(), doc.ID))
	return doc.ID
}

func fine(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// says fails the test unless the symptoms of a subject are these, each as "HEALTH text => fix".
func says(t *testing.T, found []Symptom, about string, want ...string) {
	t.Helper()
	var got []string
	for _, s := range found {
		if s.About == about {
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%s %s => %s", s.Found, s.Text, s.Fix), " => "))
		}
	}
	if len(got) != len(want) {
		t.Errorf("about %s: got\n%s\nwant\n%s", about, strings.Join(got, "\n"), strings.Join(want, "\n"))
		return
	}
	for i := range got {
		if got[i] != want[i] && !(strings.HasSuffix(want[i], "...") && strings.HasPrefix(got[i], strings.TrimSuffix(want[i], "..."))) {
			t.Errorf("about %s: got\n%s\nwant\n%s", about, got[i], want[i])
		}
	}
}
