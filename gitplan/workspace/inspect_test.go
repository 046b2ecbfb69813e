package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// A session must leave HEAD on its branch, and the branch where it was or further on. Otherwise the attempt
// fails, everything is restored, and commits that would be lost are kept.
func TestAllowedPositionsOfHEAD(t *testing.T) {
	for name, story := range map[string]struct{ script, says, kept string }{
		"another branch":           {"git switch -q -c other; echo x >x.txt; git add x.txt; git commit -qm X", "branch work was no longer checked out after the session", ""},
		"detached":                 {"git checkout -q --detach; echo x >x.txt; git add x.txt; git commit -qm X", "branch work was no longer checked out after the session", "(X), made or left during the session, is on no branch"},
		"rewound":                  {"git commit -q --allow-empty -m X; git reset -q --hard main; git commit -q --amend --allow-empty -m Y", "branch work was rewound during the session", "(Y), made or left"},
		"deleted":                  {"git switch -q --orphan nothing; git branch -q -D work", "branch work was no longer checked out after the session", ""},
		"an operation in progress": {"git switch -q -c side; echo x >a.txt; git commit -qam X; git switch -q work; echo y >a.txt; git commit -qam Y; git merge side || true", "a merge was left under way during the session", ""},
		"a bisect":                 {"git bisect start -q || git bisect start", "a bisect was left under way during the session", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			head := w.git("rev-parse", "work")
			task := w.begin().does(story.script)
			left, f := task.looks()
			if f == nil {
				f = &Failure{}
			}
			w.says(f.Error(), story.says)
			if (left == nil) != (story.says != "") {
				t.Errorf("left: %v", left)
			}
			w.says(strings.Join(f.Notes, "\n"), story.kept)
			if on := w.git("symbolic-ref", "--short", "HEAD"); on != "work" || w.git("rev-parse", "work") != head {
				t.Errorf("HEAD is on %s at %s", on, w.git("rev-parse", "work"))
			}
			w.has("a.txt", "one\ntwo\nthree\n")
		})
	}
}

// Changed configuration is for a person to look at: no git reads the work before.
func TestChangedConfigurationIsLookedAtFirst(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo x >x.txt")
		repo, marker := filepath.Join(w.dir, ".git", "config"), filepath.Join(w.TempDir(), "ran")
		text, err := os.ReadFile(repo)
		fine(w.T, err)
		fine(w.T, os.WriteFile(repo, append(text, "[core]\n\tfsmonitor = touch '"+marker+"'; false\n"...), 0o644))
		left, f := task.looks()
		if left != nil || len(f.Setup) == 0 {
			w.Errorf("%v %+v", left, f)
		}
		w.says(f.Error(), "tampering: changed during the session: the configuration (core.fsmonitor)")
		if _, err := os.Stat(marker); err == nil {
			w.Error("git ran what the session configured")
		}
		fine(w.T, task.TakeApproval(t.Context(), f.Setup))
		if note := w.site.Checkout.Task().State(); note.Ended().Reason != "tampering: changed during the session: the configuration (core.fsmonitor)" {
			w.Errorf("noted: %s", note.Ended().Reason)
		}
	})
}

// Files that a session hides from git are made visible again; a corrupt index is restored. In a clone the
// index is not used at all, since it is the session's.
func TestIndexIsCorrected(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo x >a.txt; git update-index --assume-unchanged a.txt")
		left, reason := task.left()
		if !task.InClone() {
			w.says(reason, "tampering: the session hid files from git: a.txt")
		}
		if left == nil || len(left.Status.Changed) != 1 {
			w.Errorf("%+v", left)
		}
		task.does("echo garbage >.git/index")
		left, reason = task.left()
		if !task.InClone() {
			w.says(reason, "tampering: git cannot read the index that the session left")
		}
		if left == nil || len(left.Status.Changed) != 1 {
			w.Errorf("%+v", left)
		}
	})
}

// A plan that a session removed from its branch is restored, and the attempt fails.
func TestRemovedPlanIsRestored(t *testing.T) {
	w := newWorld(t)
	key := w.git("config", "--name-only", "--get-regexp", "^branch[.]work[.]")
	task := w.begin().does("git config --unset " + key)
	_, reason := task.left()
	w.says(reason, "tampering: the session detached the plan from the branch")
	w.says(w.git("config", key), w.site.Checkout.Doc.ID)

	ref := "refs/plans/" + w.site.Checkout.Doc.ID
	tip := w.git("rev-parse", ref)
	task.session().does("git update-ref " + ref + " HEAD")
	_, reason = task.left()
	w.says(reason, "tampering: ")
	if now := w.git("rev-parse", ref); now != tip {
		t.Errorf("the plan is at %s, not %s", now, tip)
	}
}

// Files that git cannot read would not be committed, though a check can see them.
func TestFilesThatGitCannotRead(t *testing.T) {
	everywhere(t, func(w *world) {
		if os.Getuid() == 0 { // who can read every folder
			w.says(w.begin().closed(&worktree.Status{Unread: []string{"shut/"}}).Reason, "git cannot read shut/")
			return
		}
		task := w.begin().does("mkdir -p shut; echo x >shut/x.txt; chmod 000 shut; echo x >x.txt")
		_, reason := task.left()
		w.says(reason, "git cannot read shut/")
		task.does("chmod 700 shut || true")
	})
}

// The session's clone must be the same one that was made for it.
func TestReplacedCloneIsDetected(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin()
	dir := task.Dir()
	fine(t, os.Rename(dir, dir+".away"))
	fine(t, os.Symlink(w.dir, dir))
	_, err := task.Collect(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the session removed the clone that it worked in, or put another folder in its place") {
		t.Errorf("%v", err)
	}
}

// A commit that another person makes on the branch meanwhile stays.
func TestCommitOfAnotherPersonStays(t *testing.T) {
	w := newWorld(t)
	task := w.begin().does("echo x >x.txt")
	w.git("commit", "-q", "--allow-empty", "-m", "mine")
	_, err := task.Collect(t.Context())
	if err == nil || !strings.Contains(err.Error(), "someone committed to work while a session was working there") {
		t.Errorf("%v", err)
	}
	w.says(w.git("log", "-1", "--format=%s"), "mine")
}
