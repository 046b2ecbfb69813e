package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// With the hooks a step stays done even if the commit message with its trailer is gone: retyped, or of
// another commit that this one was squashed into.
func TestDoneStepsSurviveRewrittenMessages(t *testing.T) {
	race.Skip(t)
	const all = "done done done"
	rebase := func(edit, how string) string {
		return "echo '" + edit + "' >.git/todo.sed; GIT_SEQUENCE_EDITOR='sed -i -f .git/todo.sed' git rebase -q -i " + how + " main"
	}
	const again = "export GIT_EDITOR='sed -i -n 1s/.*/typed/p'; "
	model := threeSteps(t)
	runGit(t, model, "plan", "hooks", "install")
	for _, c := range []struct {
		name, script, want string
		events             int // of rewriting
	}{
		{"amend", "git commit -q --amend -m typed", all, 1},
		{"amend, message kept", "git commit -q --amend --no-edit --date=now", all, 0},
		{"amend twice", "git commit -q --amend -m typed; git commit -q --amend -m 'typed again'", all, 2},
		{"amend, and git forgets", "git commit -q --amend -m typed; git reflog expire --expire=now --all; git gc -q --prune=now", all, 1},
		{"amend, then reset away", "git commit -q --amend -m typed; git reset -q --hard HEAD~1", "done done reopened", 1},
		{"amend, then reverted", "git commit -q --amend -m typed; git revert --no-edit HEAD", "done done reopened", 1},
		{"amend, then dropped by a rebase", "git commit -q --amend -m typed; " + rebase("3d", ""), "done done reopened", 1},
		{"amend of a revert", "git revert --no-edit HEAD~1; git commit -q --amend -m 'no s2'", "done reopened done", 1},
		{"fixup of a step into another", rebase("3s/^pick/fixup/", ""), all, 1},
		{"fixup of all", rebase("2,3s/^pick/fixup/", ""), all, 1},
		{"fixup, aborted", rebase("2a break", "") + "; git commit -q --amend -m typed; git rebase --abort", all, 0},
		{"fixup of a revert", "git revert --no-edit HEAD~1; " + rebase("4s/^pick/fixup/", ""), "done reopened done", 1},
		{"autosquash", "echo more >>s1.txt; git add s1.txt; git commit -q --fixup HEAD~2; " + rebase("", "--autosquash"), all, 0},
		{"squash, message typed", again + rebase("2,3s/^pick/squash/", ""), all, 1},
		{"reword, message typed", again + rebase("1,3s/^pick/reword/", ""), all, 1},
		{"amend at an edit", rebase("2s/^pick/edit/", "") + "; git commit -q --amend -m typed; git rebase --continue", all, 1},
		{"rebased after that", "git commit -q --amend -m typed; git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q main", all, 2},
		{"rebased by git am", "git commit -q --amend -m typed; git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q --apply main", all, 2},
		{"message kept, rebased by git am", "git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q --apply main", all, 0},
		{"rebased from another branch", "b=$(git branch --show-current); git commit -q --amend -m typed; git branch top; git switch -q top; git commit -q --allow-empty -m top; " +
			"git commit -q --allow-empty -m new; git rebase -q --update-refs --force-rebase main; git switch -q $b", all, 2},
		{"in a linked worktree", "b=$(git branch --show-current); git switch -q main; git worktree add -q ../linked $b; cd ../linked; git commit -q --amend -m typed; cd ../repo; git worktree remove ../linked; git switch -q $b", all, 1},
		{"local state deleted", "git commit -q --amend -m typed; rm -rf .git/plan", all, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo := filepath.Join(t.TempDir(), "repo")
			if err := os.CopyFS(repo, os.DirFS(model)); err != nil {
				t.Fatal(err)
			}
			sh(t, repo, c.script)
			if got := states(t, repo); got != c.want {
				t.Errorf("the steps are %s, want %s\n%s%s", got, c.want, runGit(t, repo, "log", "--format=%h %s%n%b", "main.."), runGit(t, repo, "plan", "log"))
			}
			for i, state := range strings.Fields(c.want) {
				_, err := os.Stat(filepath.Join(repo, []string{"s1.txt", "s2.txt", "s3.txt"}[i]))
				if (state == "done") != (err == nil) {
					t.Errorf("step %d is %s, and its file in the tree: %v", i+1, state, err)
				}
			}
			if got := strings.Count(runGit(t, repo, "log", "--format=%B", "--glob=refs/plans/*"), "Plan-Event: rewritten"); got != c.events {
				t.Errorf("%d events of rewriting, want %d", got, c.events)
			}
		})
	}
}
