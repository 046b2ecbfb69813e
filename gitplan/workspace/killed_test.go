package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A killed session's changes of the files that the plan's commands name are reverted by the next command.
func TestChangesOfAKilledSessionAreReverted(t *testing.T) {
	w := newWorld(t, "plan.sandbox", "none").with(".git/info/exclude", "*.local\n").with("old.local", "old\n")
	w.measuring("sh old.local", "sh new.local").begin().does("echo new | tee old.local >new.local")
	p := w.recalls()
	w.measuring("sh old.local", "sh new.local")
	_, err := p.KeepInterrupted(t.Context(), w.git("rev-parse", "HEAD"))
	fine(t, err)
	w.has("old.local", "old\n")
	w.has("new.local", "")
	w.says(strings.Join(w.reported, "\n"), "new.local, old.local; what the session left comes back by: git restore")
	_, command, _ := strings.Cut(w.reported[len(w.reported)-1], " by: git ")
	w.git(strings.Fields(command)...)
	w.has("old.local", "new\n")
}

// measuring gives the plan's Done when some commands.
func (w *world) measuring(commands ...string) *world {
	for _, command := range commands {
		w.site.Checkout.Doc.Plan.Verification = append(w.site.Checkout.Doc.Plan.Verification, plan.Check{Command: command})
	}
	return w
}

// A session's work in a folder that git ignored before is recognised by its time.
func TestWorkInAnIgnoredFolder(t *testing.T) {
	w := newWorld(t)
	write(t, w.dir, ".git/info/exclude", "notes/\n")
	task := w.with("notes/old.txt", "old\n").begin().does("echo x >notes/new.txt")
	left, reason := task.left()
	w.says(reason, "")
	task.Task.Session = true
	err := task.Committable(left)
	w.says(reasonOf(t, err), "what it did is in notes/new.txt, which git ignores")
	ref, err := task.Keep(t.Context(), checkout.Ending{Reason: "in vain"})
	fine(t, err)
	w.says(ref, "") // it stays where it is: the folder is the person's
	w.has("notes/new.txt", "x\n")
}

// A path that a check or Done when names and no commit has, also in a folder that the check enters, is
// restored to its state before the session, which may have changed or created it, put a link or a folder
// there, or made it too large to keep; files that only a check writes stay.
func TestFilesOfChecksAreRestored(t *testing.T) {
	everywhere(t, func(w *world) {
		if w.site.Checkout.Config.String("plan.isolation") == "clone" {
			w.git("config", "plan.worktreeSetup", "mkdir -p gen real folder/behind; echo old | tee folder/behind/x.sh folder/behind/y.sh old.local gen/check.sh gen/real.sh same.local >/dev/null")
		}
		w.with(".gitignore", "*.local\ngen\nreal\nnode_modules\nbehind\n").with("folder/x", "x\n")
		fine(w.T, os.Symlink("folder", filepath.Join(w.dir, "link")))
		repository.Commit(w.T, "rules")
		w.again()
		for _, name := range []string{"old.local", "gen/check.sh", "gen/real.sh", "same.local", "folder/behind/x.sh", "folder/behind/y.sh"} {
			w.with(name, "old\n")
		}
		w.with("real/x.sh", "real\n").with("large.local", strings.Repeat("x", maxIgnoredFile+1)).with("folder.local", "old\n")
		task := w.measuring("cd gen && sh check.sh", "sh old.local", "sh same.local", "./made.local", "make -C build test", "make -C gen all", "sh node_modules/x", "sh folder.local", "sh link/behind/x.sh", `sh "$PWD/folder/behind/y.sh"`).begin()
		task.Task = Spec{Session: true, Checks: []string{"cat built.local large.local"}}
		at := func(name, want string) {
			t.Helper()
			if got, _ := os.ReadFile(filepath.Join(task.Dir(), name)); string(got) != want {
				w.Errorf("%s: %q, not %q", name, got, want)
			}
		}
		task.does("echo new | tee old.local made.local built.local large.local x.txt >/dev/null; mv gen away.local; ln -s real gen; mkdir -p node_modules; echo i >node_modules/x; echo old >same.local; echo new | tee folder/behind/x.sh folder/behind/y.sh; head -c 2000000 /dev/zero >large.local")
		task.does("rm -f folder.local; mkdir folder.local; echo f >folder.local/f")
		_, err := task.TryInside(w.Context(), func(context.Context) error {
			return os.WriteFile(filepath.Join(task.Dir(), "built.local"), []byte("check\n"), 0o755)
		})
		fine(w.T, err)
		left, reason := task.left()
		w.says(reason, "")
		err = task.Committable(left)
		fine(w.T, err)
		for name, want := range map[string]string{"old.local": "old\n", "gen/check.sh": "old\n", "same.local": "old\n", "folder/behind/x.sh": "old\n", "folder/behind/y.sh": "old\n", "made.local": "", "built.local": "check\n", "large.local": "", "node_modules/x": "i\n"} {
			at(name, want)
		}
		_, said := task.Files.Touched(w.Context())
		text := strings.Join(said, "\n")
		w.says(text, "large.local, made.local, old.local; what the session left is in ")
		w.says(text, "/plan/nested/")
		w.says(text, "a command of the plan goes by node_modules/x, which git ignores and the session wrote: no other clone has it")
		w.says(text, "comes back by: git restore --overlay --source=refs/plan-attempts/")
	})
}

// After a step is done the state file contains only what a person must look at.
func TestApprovalIsTakenAfterATask(t *testing.T) {
	w := newWorld(t)
	task := w.with("mine.txt", "x\n").begin()
	fine(t, task.TakeApprovalAfter(t.Context(), "a", []string{".git/hooks/pre-push"}))
	note := w.site.Checkout.Task().State()
	if note.Name != "a" || note.Session != "a-1" || strings.Join(note.Changed, "") != ".git/hooks/pre-push" || note.Untracked != nil || task.state.Session != "a-1" {
		t.Errorf("%+v", note)
	}
}

// Files that a session made read-only, or linked elsewhere, are restored all the same.
func TestTreeThatIsHardToRestore(t *testing.T) {
	w := newWorld(t)
	task := w.begin().does("mkdir -p deep/er; echo x >deep/er/x.txt; chmod 500 deep/er deep; rm a.txt; ln -s /nowhere a.txt; chmod 400 .gitignore 2>/dev/null || true")
	_, err := task.Keep(t.Context(), checkout.Ending{Reason: "in vain"})
	repository.Git(t, w.dir, "status")
	fine(t, err)
	w.has("a.txt", "one\ntwo\nthree\n")
	if _, err := os.Lstat("deep"); err == nil {
		t.Error("deep still exists")
	}
}
