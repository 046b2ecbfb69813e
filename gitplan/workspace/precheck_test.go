package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/testdata/repository"
)

// proof is a workspace in which no session has begun.
func (w *world) proof() (here *Workspace) {
	w.Helper()
	w.git("config", "plan.sandbox", "none")
	p, err := Ready(w.Context(), w.again().site)
	fine(w.T, err)
	here, leave, err := p.Enter(w.Context(), agent.Executor)
	fine(w.T, err)
	w.Cleanup(leave)
	return here
}

var proving = Precheck{Name: "a", Files: []string{"b.txt"}, Of: journal.Notice{Step: "a"}, Quietly: true}

// A check that runs before any work only has a result: files that it changed, committed, or wrote where the
// work will be, are restored.
func TestCheckRunsBeforeAnyWork(t *testing.T) {
	everywhere(t, func(w *world) {
		head := w.git("rev-parse", "HEAD")
		here := w.proof()
		for command, fails := range map[string]bool{"grep -q two a.txt": false, "exit 3": true, "no-such-program": true} {
			_, err := proving.Run(t.Context(), here, command)
			if _, failed := errors.AsType[*runner.CheckFailure](err); failed != fails || !failed && err != nil {
				t.Errorf("%s: %v", command, err)
			}
		}
		command := "echo four >>a.txt; echo b >b.txt; echo c >c.txt; git commit -qam 'of a check'; echo five >>a.txt"
		if _, err := proving.Run(t.Context(), here, command); err != nil || w.git("rev-parse", "HEAD") != head {
			t.Errorf("%v, HEAD is %s", err, w.git("rev-parse", "HEAD"))
		}
		if text, _ := os.ReadFile(filepath.Join(here.Dir(), "a.txt")); string(text) != "one\ntwo\nthree\n" {
			t.Errorf("a.txt is %q", text)
		}
		if _, err := os.Stat(filepath.Join(here.Dir(), "b.txt")); err == nil {
			t.Error("the step's own file is there already")
		}
		if here.Dir() != w.dir { // a clone is simply restored
			return
		}
		if kept := w.git("for-each-ref", "--format=%(refname)", "refs/plan-attempts/"); strings.Count(kept, "\n")+1 != 1 || w.git("show", kept+":b.txt") != "b" {
			t.Errorf("kept are %q", kept)
		}
		// The rest is nobody's work, until a session changes it.
		tk := &task{Workspace: here, world: w, leave: func() {}}
		fine(t, here.RecordUserFiles(t.Context(), "a"))
		if left, reason := tk.session().left(); reason != "" || !left.Empty() {
			t.Errorf("%+v, %s", left, reason)
		}
		if left, _ := tk.does("echo more >>c.txt").left(); !slices.Equal(left.Paths(), []string{"c.txt"}) {
			t.Errorf("%v", left.Paths())
		}
	})
}

// What a check built, and git ignores, is there for the next check and in later tasks, also if what else the check did is
// taken back, or an attempt is given up that did not build.
func TestBuildBeforeAnyWorkStays(t *testing.T) {
	w := newWorld(t)
	repository.Write(t, ".git/info/exclude", "dist/\n")
	here := w.proof()
	if _, err := proving.Run(t.Context(), here, "mkdir dist; echo built >dist/a; echo four >>a.txt"); err != nil {
		t.Fatal(err)
	}
	_, err := proving.Run(t.Context(), here, "grep built dist/a && ! grep four a.txt")
	fine(t, err)
	fine(t, here.RecordUserFiles(t.Context(), "a"))
	tk := &task{Workspace: here, world: w, leave: func() {}}
	for _, story := range []struct {
		script string
		stays  bool
	}{{"echo four >>a.txt", true}, {"echo again >dist/a", false}} {
		_, err := tk.session().does(story.script).Keep(t.Context(), checkout.Ending{Reason: "it failed"})
		fine(t, err)
		if _, err := os.Stat("dist/a"); (err == nil) != story.stays {
			t.Errorf("%s: %v\n%s", story.script, err, strings.Join(w.reported, "\n"))
		}
	}
}

// A check that does what a session may not do stops everything before a session begins.
func TestTamperingCheckStops(t *testing.T) {
	for command, kind := range map[string]error{
		"git config core.hooksPath x":      fault.ErrSetupUnseen,
		"git switch -q main":               fault.ErrMovedBranch,
		"git commit -q --amend -m another": fault.ErrMovedBranch,
	} {
		t.Run(command, func(t *testing.T) {
			w := newWorld(t)
			if _, err := proving.Run(t.Context(), w.proof(), command); !errors.Is(err, kind) {
				t.Errorf("%v, want %v", err, kind)
			}
		})
	}
}

// A person's untracked file that a check removes is restored.
func TestCheckThatRemovesAPersonsFile(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile("mine.txt", []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := proving.Run(t.Context(), w.proof(), "rm mine.txt; git branch other"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile("mine.txt"); string(text) != "mine\n" {
		t.Errorf("%q", text)
	}
	said := strings.Join(w.reported, "\n")
	if !strings.Contains(said, "a check removed files that no commit has: mine.txt; they are back") || !strings.Contains(said, "refs changed while `rm mine.txt; git branch other` ran") {
		t.Errorf("%s", said)
	}
}
