package workspace

import (
	"context"
	"os/exec"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/testdata/repository"
)

// git in a check reports what will be committed, whatever the session told its git, and the check's changes
// of the index are not committed.
func TestGitInChecksReportsTheCommit(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo FORBIDDEN >new.txt; echo more >>a.txt; mkdir d; echo x >d/x")
		if task.InClone() {
			task.does("git rm -q --cached a.txt; git commit -qm mine; git replace HEAD HEAD~1; echo '*.txt' >.git/info/exclude; git config core.worktree $PWD/d")
		}
		task.Task = Spec{Checks: []string{"grep"}, Session: true}
		left, reason := task.left()
		w.says(reason, "")
		paths, err := task.Try(t.Context(), left, func(context.Context) error {
			for line, want := range map[string]string{
				"git ls-files":                      "a.txt\nd/x\nnew.txt\n",
				"git grep -l FORBIDDEN":             "new.txt\n",
				"git diff --name-only HEAD -- *txt": "a.txt\nnew.txt\n",
				"git diff --name-only -- a.txt":     "a.txt\n", // staged changes would not be shown
				"git rev-parse HEAD":                w.git("rev-parse", "HEAD") + "\n",
				"git branch --show-current":         "work\n",
			} {
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir = task.Dir()
				if out, _ := cmd.CombinedOutput(); string(out) != want {
					t.Errorf("%s: %s", line, out)
				}
			}
			task.does("git rm -q --cached a.txt new.txt; echo x >of-a-check; git add of-a-check")
			return nil
		})
		fine(t, err)
		if task.InClone() {
			w.says(repository.Git(t, task.Dir(), "config", "core.worktree"), "/d\n")
		} else {
			w.says(w.git("diff", "--cached", "--name-only"), "")
		}
		tree, err := worktree.Stage(t.Context(), task.Tree(), paths)
		fine(t, err)
		w.says(w.git("diff", "--name-status", "HEAD", tree), "M\ta.txt\nA\td/x\nA\tnew.txt")
	})
}
