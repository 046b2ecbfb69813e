package workspace

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A person's uncommitted files are never committed, and restored byte for byte if a session removes them.
func TestPersonsFilesAreRestored(t *testing.T) {
	w := newWorld(t)
	repository.Git(t, "", "init", "-q", "tools")
	repository.Git(t, "tools", "commit", "-q", "--allow-empty", "-m", "x")
	w.git("worktree", "add", "-q", ".other/tree")
	task := w.with("kept.txt", "mine\n").with("gone.txt", "mine too\n").with("edited.txt", "as it was\n").begin()
	task.does("rm gone.txt; echo theirs >edited.txt; echo x >x.txt; git add -A 2>/dev/null; git commit -qm all")
	_, reason := task.left()
	w.says(reason, "")
	touched, reported := task.Files.Touched(t.Context())
	if strings.Join(touched, " ") != "edited.txt" {
		t.Errorf("touched: %v", touched)
	}
	w.says(strings.Join(reported, "\n"), "the session changed files that no commit has: edited.txt; to bring them back as they were: git restore --overlay --source=refs/plan-attempts/")
	w.says(strings.Join(reported, "\n"), "the session removed files that no commit has: gone.txt; they are back")
	w.has("gone.txt", "mine too\n")
	w.has("kept.txt", "mine\n")
	if _, reported := task.Files.Touched(t.Context()); len(reported) != 0 {
		t.Errorf("told again: %v", reported)
	}
	w.says(task.commits(), "")
	if made := w.git("show", "--format=", "--name-only"); made != "x.txt" {
		t.Errorf("committed: %s", made)
	}
}

// A session does not decide what its commit omits: files that only its own rules make git ignore are
// untracked. Tools' files, and those with a machine's secrets, are still ignored.
func TestIgnoreRulesOfASessionHideNothing(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("printf 'work.txt\nnode_modules\n.env\n' >.gitignore; echo x >work.txt; mkdir node_modules; echo x >node_modules/m.js; echo x >.env")
		left, reason := task.left()
		w.says(reason, "")
		if strings.Join(left.Paths(), " ") != ".gitignore work.txt" || strings.Join(left.Status.Unignored, " ") != "work.txt" {
			w.Errorf("%v, unignored %v", left.Paths(), left.Status.Unignored)
		}
	})
}

// git gc removes neither the user's files while a session works, nor work that passed its checks and waits.
func TestGCRemovesNothing(t *testing.T) {
	w := newWorld(t)
	task := w.with("mine.txt", "mine\n").begin().does("rm mine.txt; git gc -q --prune=now")
	_, _ = task.left()
	_, reported := task.Files.Touched(t.Context())
	w.says(strings.Join(reported, "\n"), "removed files that no commit has: mine.txt; they are back")
	w.has("mine.txt", "mine\n")
	w.site.Checkout.Task().Forget()
	w.says(w.git("for-each-ref", "refs/plan-tasks"), "")

	w = newWorld(t, "plan.isolation", "clone")
	task = w.begin().does("echo x >x.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
	fine(t, err)
	fine(t, task.NoteCommit(t.Context(), tree, "a\n"))
	task.gone()
	w.git("gc", "-q", "--prune=now")
	fine(t, w.again().finishes())
	w.says(w.git("show", "HEAD:x.txt"), "x")
}

// File names are bytes: whatever a session does to the user's files of any name, also if it commits them and
// fails, each is restored byte for byte, or its original is kept.
func TestFilesOfAnyNameAreRestored(t *testing.T) {
	for removed, commits := range []string{"", "git add -A; git commit -qm mine; "} {
		w, mine := newWorld(t), map[string]string{}
		for b := 1; b < 256; b++ {
			c := string([]byte{byte(b)})
			for _, name := range []string{c + "x", "x" + c, "x" + c + "x", "d" + c + "/f", c + "d/f"} {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); c != "/" && err == nil && os.WriteFile(name, []byte("mine: "+name), 0o644) == nil {
					mine[name] = "mine: " + name
				}
			}
		}
		for _, name := range []string{strings.Repeat("n", 255), "x0.plan-half", "x0", "app-1.2-3-g" + w.git("rev-parse", "--short", "HEAD")} { // the longest, similar ones, and one like a commit id
			fine(t, os.WriteFile(name, []byte("mine: "+name), 0o644))
			mine[name] = "mine: " + name
		}
		task, changed := w.begin(), map[string]string{}
		if commits != "" {
			task.does(commits)
		}
		for n, name := range slices.Sorted(maps.Keys(mine)) {
			if n%2 == removed {
				fine(t, os.Remove(name))
			} else {
				changed[name] = "a session's, and longer: " + name
				fine(t, os.WriteFile(name, []byte(changed[name]), 0o644))
			}
		}
		_, reason := task.left()
		w.says(reason, "")
		touched, _ := task.Files.Touched(t.Context())
		_, err := task.Keep(t.Context(), checkout.Ending{Reason: "it failed"})
		fine(t, err)
		if got := worktree.SetOf(touched); len(got) != len(changed) {
			t.Errorf("%d are touched, want %d", len(got), len(changed))
		}
		kept := w.kept()
		for name, was := range mine {
			text, err := os.ReadFile(name)
			if there, ok := changed[name]; err != nil || string(text) != cmp.Or(there, was) || ok && kept[name] != was {
				t.Errorf("%q: in the tree %q, %v, kept %q", name, text, err, kept[name])
			}
		}
	}
}

// kept returns the files of the first kept attempt.
func (w *world) kept() map[string]string {
	w.Helper()
	out := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(w.git("ls-tree", "-r", "-z", w.git("for-each-ref", "--count=1", "--format=%(refname)", "refs/plan-attempts")), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		text, err := w.site.Checkout.Repo.Read(w.Context(), strings.Fields(about)[2])
		fine(w.T, err)
		out[name] = string(text.Data)
	}
	return out
}
