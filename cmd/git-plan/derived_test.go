package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/testdata/race"
)

// threeSteps is a repository whose plan has three steps, each done by a commit that adds a file named after
// the step.
func threeSteps(t *testing.T) string {
	t.Helper()
	repo := grown(t, 3, 1, 1)
	runGit(t, repo, "config", "planAgent.fake.command", "echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt")
	runGit(t, repo, "plan", "run", "--no-review")
	return repo
}

// sh runs a script in the repository, as a person would type it.
func sh(t *testing.T, repo, script string) string {
	t.Helper()
	plan, _ := exec.Command("git", "-C", repo, "config", "--get-regexp", `^branch\..*\.plan$`).Output()
	return shIn(t, repo, script, "PLAN="+strings.TrimSpace(string(plan)))
}

// shIn runs a script in a folder.
func shIn(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GIT_EDITOR=true"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return string(out)
}

// states are the steps' states, as "done done reopened".
func states(t *testing.T, repo string) string {
	t.Helper()
	var out []string
	for _, line := range strings.Split(runGit(t, repo, "plan", "status", "--porcelain"), "\n") {
		if f := strings.Split(line, "\t"); f[0] == "step" {
			out = append(out, f[3])
		}
	}
	return strings.Join(out, " ")
}

// whatGitDoes returns scripts that change the branch of three steps, and which steps are done after each.
func whatGitDoes() []struct{ name, script, want string } {
	const all = "done done done"
	todo := func(edit string) string {
		return "echo '" + edit + "' >.git/todo.sed; GIT_SEQUENCE_EDITOR='sed -i -f .git/todo.sed' git rebase -q -i main"
	}
	return []struct{ name, script, want string }{
		{"nothing", "true", all},
		{"reset of one", "git reset -q --hard HEAD~1", "done done reopened"},
		{"reset of all", "git reset -q --hard main", "reopened reopened reopened"},
		{"reset and back", "git reset -q --hard HEAD~2; git reset -q --hard ORIG_HEAD", all},
		{"revert of the last", "git revert --no-edit HEAD", "done done reopened"},
		{"revert of the first", "git revert --no-edit HEAD~2", "reopened done done"},
		{"revert of two", "git revert --no-edit HEAD HEAD~1", "done reopened reopened"},
		{"revert of a revert", "git revert --no-edit HEAD~1; git revert --no-edit HEAD", all},
		{"three reverts of one", "git revert --no-edit HEAD; git revert --no-edit HEAD; git revert --no-edit HEAD", "done done reopened"},
		{"revert, then rebased", "git revert --no-edit HEAD~1; git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q main", "done reopened done"},
		{"rebase, then revert", "git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q main; git revert --no-edit HEAD", "done done reopened"},
		{"revert forgotten by gc", "git revert --no-edit HEAD~1; git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q main; git reflog expire --expire=now --all; git gc -q --prune=now", "done reopened done"},
		{"reverts squashed away", "git revert --no-edit HEAD; " + todo("2,$s/^pick/squash/"), "done done reopened"},
		{"rebase", "git switch -q main; echo x >x; git add x; git commit -qm x; git switch -q -; git rebase -q main", all},
		{"rebase onto an amended base", "git switch -q main; git commit -q --amend --allow-empty -m other; git switch -q -; git rebase -q --onto main HEAD~3", all},
		{"rebase, dropping one", todo("2d"), "done reopened done"},
		{"rebase, in another order", todo("2{h;d;}\n3{p;x;}"), all},
		{"rebase, squashing all", todo("2,3s/^pick/squash/"), all},
		{"rebase, squashing two", todo("3s/^pick/squash/"), all},
		{"rebase, rewording", todo("2s/^pick/reword/"), all},
		{"rebase, aborted", todo("2s/.*/break/") + "; git rebase --abort", all},
		{"amend", "echo more >>s3.txt; git commit -qa --amend --no-edit", all},
		{"cherry-pick of another plan's step", "git switch -q -c b main; git commit -q --allow-empty -m 'x' -m 'Plan-Step: other-plan-1234/s1'; git switch -q -; git reset -q --hard HEAD~3; git cherry-pick --allow-empty b", "reopened reopened reopened"},
		{"cherry-pick of its own steps", "git tag old; git reset -q --hard main; git cherry-pick old~2 old", "done reopened done"},
		{"merge main", "git switch -q main; echo x >x; git add x; git commit -qm x; git switch -q -; git merge -q --no-edit main", all},
		{"merge into main, and continue", "git switch -q main; git merge -q --no-ff --no-edit @{-1}; git switch -q -; git merge -q --ff-only main", all},
		{"squash merge into a new branch", "id=${PLAN##* }; old=$(git branch --show-current); git switch -q -c new main; git merge -q --squash $old; git commit -q --no-edit; git branch -q -D $old; git plan attach $id", all},
		{"revert by a short name", "git revert --no-edit HEAD~1; git commit -q --amend -m Not -m \"This reverts commit $(git rev-parse --short HEAD~2) (Step 2, 2026-01-01).\"", "done reopened done"},
		{"revert by a short name, then rebased", "git revert --no-edit HEAD~1; git commit -q --amend -m Not -m \"This reverts commit $(git rev-parse --short HEAD~2) (Step 2, 2026-01-01).\"; git switch -q main; git commit -q --allow-empty -m new; git switch -q -; git rebase -q main", "done reopened done"},
		{"revert of a merge", "git branch -q side; git reset -q --hard HEAD~2; git commit -q --allow-empty -m new; git merge -q --no-edit side; git revert --no-edit -m 1 HEAD", "done reopened reopened"},
		{"revert of a merge with additions and removals", "git revert --no-edit HEAD; git branch -q side; git reset -q --hard HEAD~3; git commit -q --allow-empty -m new; git merge -q --no-edit side; git revert --no-edit -m 1 HEAD", "done reopened reopened"},
		{"revert of the revert of a merge", "git branch -q side; git reset -q --hard HEAD~2; git commit -q --allow-empty -m new; git merge -q --no-edit side; git revert --no-edit -m 1 HEAD; git revert --no-edit HEAD", all},
		{"branch renamed", "git branch -m renamed", all},
		{"commits on top", "echo y >y; git add y; git commit -qm y", all},
		{"a side branch reverted one", "git switch -q -c side HEAD~1; git switch -q -; git merge -q --no-edit side", all},
		{"local state deleted", "rm -rf .git/plan", all},
	}
}

// Progress is derived: whatever git does to the branch, a step is done if the tree has its work, and reopened
// if it does not.
func TestProgressFollowsTheTree(t *testing.T) {
	race.Skip(t)
	done := threeSteps(t)
	for _, c := range whatGitDoes() {
		t.Run(c.name, func(t *testing.T) {
			repo := filepath.Join(t.TempDir(), "repo")
			shIn(t, done, `cp -R . "$TO"`, "TO="+repo)
			sh(t, repo, c.script)
			got := states(t, repo)
			if got != c.want {
				t.Errorf("the steps are %s, want %s\n%s", got, c.want, runGit(t, repo, "log", "--format=%h %s%n%b", "main.."))
			}
			for i, state := range strings.Fields(got) {
				_, err := os.Stat(filepath.Join(repo, []string{"s1.txt", "s2.txt", "s3.txt"}[i]))
				if (state == "done") != (err == nil) {
					t.Errorf("step %d is %s, and its file in the tree: %v", i+1, state, err)
				}
			}
		})
	}
}

// A reopened step is done again by the next run, which completes the branch.
func TestReopenedStepIsDoneAgain(t *testing.T) {
	repo := threeSteps(t)
	sh(t, repo, "git revert --no-edit HEAD~1")
	if out := runGit(t, repo, "plan", "run", "--no-review"); !strings.Contains(out, "step s2 done") || strings.Contains(out, "step s1 done") {
		t.Errorf("the run did not do exactly the reopened step:\n%s", out)
	}
	if got := states(t, repo); got != "done done done" {
		t.Errorf("the steps are %s", got)
	}
}

// The help of status explains its boxes.
func TestEveryBoxIsExplained(t *testing.T) {
	for state, mark := range views.Marks {
		if word := "[" + mark + "] " + string(state); !strings.Contains(descriptionOf("status"), word) {
			t.Errorf("status -h does not say %q", word)
		}
	}
}
