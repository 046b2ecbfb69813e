package workspace

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Work that passed in a clone is applied to the work tree only if that is unchanged; else it waits.
func TestObstaclesToLanding(t *testing.T) {
	for name, story := range map[string]struct {
		person       func(w *world)
		waits, fails string
	}{
		"another branch":       {func(w *world) { w.git("switch", "-q", "main") }, "work was left while a session worked for it; its work waits on work for the next step", ""},
		"another commit":       {func(w *world) { w.git("commit", "-q", "--allow-empty", "-m", "mine") }, "someone committed to work while a session was working on it; its work waits for the next step", ""},
		"an edited file":       {func(w *world) { w.with("a.txt", "mine\n") }, "the session's work waits for the next step", ""},
		"a merge is under way": {func(w *world) { w.with(".git/MERGE_HEAD", w.git("rev-parse", "main")+"\n") }, "a merge is under way", ""},
		"a file is in the way": {func(w *world) { w.with("x.txt", "mine\n") }, "", "it created files that already exist, untracked, in the person's work tree: x.txt"},
		"no change":            {func(*world) {}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "plan.isolation", "clone")
			task := w.begin().does("echo x >x.txt; echo four >>a.txt")
			left, _ := task.left()
			tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
			fine(t, err)
			fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
			story.person(w)
			landed := false
			_, err = task.Land(t.Context(), tree, func() (string, error) { landed = true; return "", nil })
			f := FailureOf(err)
			if f != nil {
				err = nil
			} else {
				f = &Failure{}
			}
			if story.waits != "" && (err == nil || !strings.Contains(err.Error(), story.waits)) || story.waits == "" && err != nil {
				t.Errorf("%v", err)
			}
			w.says(f.Reason, story.fails)
			if landed != (story.waits == "" && story.fails == "") {
				t.Errorf("landed: %v", landed)
			}
			if note := w.site.Checkout.Task().State(); story.waits != "" && !note.AwaitsCommit() {
				t.Errorf("it does not wait: %+v", note)
			}
		})
	}
}

// If nothing is committed in the end the work tree is unchanged, and the clone has the hooks' changes.
func TestRefusedCommitReturnsToItsClone(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt; echo four >>a.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
	fine(t, err)
	fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
	_, err = task.Land(t.Context(), tree, func() (string, error) { // like a formatting hook
		w.with("x.txt", "X\n")
		return "", Failf("refused")
	})
	w.says(reasonOf(t, err), "refused")
	w.has("x.txt", "")
	w.has("a.txt", "one\ntwo\nthree\n")
	got, err := os.ReadFile(task.Dir() + "/x.txt")
	if err != nil || string(got) != "X\n" {
		t.Errorf("in the clone: %q %v", got, err)
	}
}

// The set-up of a clone may create files, but changes no tracked ones.
func TestSetUpOfAClone(t *testing.T) {
	for setup, says := range map[string]string{
		"echo x >made.txt":  "",
		"exit 4":            "plan.worktreeSetup failed, so no session ran: `exit 4` exited with 4",
		"echo four >>a.txt": "plan.worktreeSetup must leave alone what git tracks, and it changed a.txt",
	} {
		w := newWorld(t, "plan.isolation", "clone", "plan.worktreeSetup", setup)
		p, err := Ready(t.Context(), w.site)
		fine(t, err)
		here, leave, err := p.Enter(t.Context(), agent.Executor)
		if says != "" {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", setup, err)
			}
			continue
		}
		fine(t, err)
		defer leave()
		fine(t, here.RecordUserFiles(t.Context(), "a"))
		task := (&task{Workspace: here, world: w}).session().does("echo x >x.txt")
		left, reason := task.left()
		w.says(reason, "")
		if strings.Join(left.Paths(), " ") != "x.txt" {
			t.Errorf("%v", left.Paths())
		}
	}
}
