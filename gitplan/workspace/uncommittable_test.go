package workspace

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A session's work that no commit would contain is not done, and the reason names the place.
func TestUncommittableWork(t *testing.T) {
	for name, story := range map[string]struct {
		script   string
		asked    Spec
		says     string
		hopeless bool
	}{
		"in a file that git ignores and the step names": {"mkdir -p out; echo x >ignored.txt; echo y >y.txt", Spec{Files: []string{"ignored.txt"}}, "what it did is in ignored.txt, which git ignores", true},
		"only in an ignored file":                       {"echo x >ignored.txt", Spec{}, "what it did is in ignored.txt, which git ignores", false},
		"only in an ignored file that a check names":    {"echo x >ignored.txt", Spec{Checks: []string{"test -s ignored.txt"}}, "what it did is in ignored.txt, which git ignores", true},
		"in a file of the person's":                     {"echo x >mine.txt", Spec{}, "what it did is in mine.txt, which is yours and in no commit", true},
		"in a nested repository":                        {"git init -q lib; echo x >lib/x.txt", Spec{}, "lib is a repository of its own: its files are not committed here", false},
		"in a folder on PATH":                           {"mkdir -p bin; echo x >x.txt; printf '#!/bin/sh\\n' >bin/make; chmod +x bin/make", Spec{}, "bin/make would be run in place of the system's own, and git ignores it: remove it", false},
		"in a tool's file":                              {"mkdir -p node_modules; echo x >node_modules/x.js", Spec{}, "", false},
		"in the right place":                            {"echo x >x.txt", Spec{Files: []string{"x.txt"}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			t.Setenv("PATH", w.dir+"/bin:"+os.Getenv("PATH"))
			repository.Write(t, w.dir+"/.git/info/exclude", "ignored.txt\nbin\nnode_modules\n")
			task := w.with("mine.txt", "mine\n").begin().does(story.script)
			left, reason := task.left()
			w.says(reason, "")
			left.Touched, _ = task.Files.Touched(t.Context())
			task.Task, task.Task.Session = story.asked, true
			err := task.Committable(left)
			w.says(reasonOf(t, err), story.says)
			if f := FailureOf(err); f != nil && f.Hopeless != story.hopeless {
				t.Errorf("hopeless: %v", f.Hopeless)
			}
		})
	}
}

// Changes inside a submodule stay there.
func TestInsideASubmodule(t *testing.T) {
	w := newWorld(t)
	other := t.TempDir()
	repository.Git(t, "", "init", "-q", other)
	repository.Git(t, other, "commit", "-q", "--allow-empty", "-m", "x")
	w.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "sub")
	w.git("commit", "-q", "-m", "sub")
	w.again()
	task := w.begin().does("echo x >>sub/x.txt")
	for _, says := range []string{"sub is a submodule: what was changed in it is not committed there", ""} { // it fails one attempt
		left, reason := task.left()
		w.says(reason, "")
		err := task.Committable(left)
		w.says(reasonOf(t, err), says)
		_, err = task.DiffSoFar(t.Context())
		fine(t, err)
	}
	w.says(strings.Join(w.reported, "\n"), "what was changed in the submodule sub stays there; to remove it: git submodule update --force sub")
	w.has("sub/x.txt", "x\n")
	later := w.again().begin().does("echo x >>sub/x.txt")
	left, _ := later.left() // files from before are the person's
	err := later.Committable(left)
	w.says(reasonOf(t, err), "")
	_, err = later.Keep(t.Context(), checkout.Ending{Reason: "it failed"})
	fine(t, err)
	w.has("sub/x.txt", "x\nx\n")
}

// A gitlink that a session adds without .gitmodules is a repository that nobody could clone.
func TestGitlinkWithoutItsModule(t *testing.T) {
	w := newWorld(t)
	task := w.begin().does("git init -q lib; echo x >lib/x.txt; git -C lib add .; git -C lib commit -q -m x; git add lib 2>/dev/null")
	left, _ := task.left()
	_, err := task.LookAgain(t.Context(), left)
	fine(t, err)
	tree := w.git("write-tree")
	change, err := task.Changeset(t.Context(), tree)
	fine(t, err)
	if got := change.Gitlinks(); len(got) != 1 || got[0] != "lib" {
		t.Errorf("links: %v", got)
	}
	ref, err := task.Keep(t.Context(), checkout.Ending{Reason: "it failed"})
	fine(t, err)
	w.says(w.git("status", "--porcelain"), "")
	w.says(ref, "refs/plan-attempts/")
}

// Checks see what a commit will contain: no ignored file, and no empty folder; both are restored afterwards.
func TestChecksSeeTheCommitsFiles(t *testing.T) {
	w := newWorld(t)
	repository.Write(t, w.dir+"/.git/info/exclude", "ignored.txt\n")
	task := w.begin().does("echo x >ignored.txt; mkdir empty")
	left, reason := task.left()
	w.says(reason, "")
	task.Task = Spec{Session: true, Checks: []string{"test -f ignored.txt", "test -d empty"}}
	run := func(commands ...string) func(context.Context) error {
		return func(ctx context.Context) error {
			return task.Check(ctx, "a", journal.Notice{}, commands, func(runner.Ended) {})
		}
	}
	for command, says := range map[string]string{
		"test -f ignored.txt": "(no commit has ignored.txt, empty/: git ignores it, hides it or does not track it, or it is an empty folder; so it was as before the session)",
		"test -d empty":       "(no commit has ",
	} {
		_, failure := task.Try(t.Context(), left, run(command))
		var failed *runner.CheckFailure
		if !errors.As(failure, &failed) {
			t.Fatalf("%s: %v", command, failure)
		}
		w.says(failed.Error(), says)
		w.has("ignored.txt", "")
		if _, err := os.Stat("empty"); err != nil {
			t.Error(err)
		}
	}
	paths, err := task.Try(t.Context(), left, run("echo out >made.txt", "echo four >>a.txt"))
	fine(t, err)
	if got := strings.Join(paths, " "); got != "a.txt" {
		t.Errorf("to commit: %s", got) // a file that a check created is not the session's work; one that it formatted is
	}
}

// A tree that passed while the session was still running is recognised by its id.
func TestCheckedInside(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo x >x.txt")
		task.Task.Session = true
		passed, err := task.TryInside(w.Context(), func(context.Context) error { return nil })
		fine(w.T, err)
		w.says(w.git("ls-tree", "--name-only", passed), "x.txt")
		fails := errors.New("no")
		if passed, err := task.TryInside(w.Context(), func(context.Context) error { return fails }); passed != "" || !errors.Is(err, fails) {
			w.Errorf("%s %v", passed, err)
		}
		write(w.T, w.dir, ".git/hooks/post-commit", "#!/bin/sh\n")
		if passed, err := task.TryInside(w.Context(), func(context.Context) error { return fails }); passed != "" || err != nil {
			w.Errorf("checked although the set-up changed: %s %v", passed, err)
		}
	})
}
