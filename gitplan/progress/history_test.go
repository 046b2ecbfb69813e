package progress_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// past is a repository in which real git makes a history of four steps, each the file of its name, on the
// branch work and beside it.
type past struct {
	*testing.T
	dir   string
	repo  *git.Repo
	start string
	clock int
	heads map[string][]string // step -> the commits that did it
	log   []string
}

// inShell are the words in which scripts of histories are written.
const inShell = `
step() { git config --get-all x.f$1 >f$1 || { for i in 1 2 3 4 5 6; do echo "$1 $i line of step $1, like no other $1$1$1$i"; done >f$1; }
	git add f$1; git commit -qm "Step $1" -m "Plan-Step: p/s$1"; git rev-parse HEAD | sed "s/^/did s$1 /"; }
other() { echo "$1" >"o$1"; git add "o$1"; git commit -qm "Other $1"; }
revert() { git revert --no-edit "$@" >/dev/null 2>&1 || { git revert --abort 2>/dev/null || git reset -q --hard; }; }
merge() { git merge -q --no-edit "$@" >/dev/null 2>&1 || { git merge --abort 2>/dev/null || git reset -q --hard; }; }
squash() { git merge -q --squash "$@" >/dev/null 2>&1 || { git reset -q --hard; return 0; }; git diff --cached --quiet || git commit -q --no-edit; rm -f .git/SQUASH_MSG; }
pick() { git cherry-pick "$@" >/dev/null 2>&1 || { git cherry-pick --abort 2>/dev/null || git reset -q --hard; }; }
rebase() { git rebase -q "$@" >/dev/null 2>&1 || git rebase --abort 2>/dev/null || git reset -q --hard; }
todo() { echo "$1" >.git/todo.sed; shift; GIT_SEQUENCE_EDITOR="sed -i -f .git/todo.sed" rebase -i "$@"; }
amend() { git commit -q --amend --no-edit --allow-empty; }
filtered() { FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --env-filter 'GIT_COMMITTER_NAME=B; export GIT_COMMITTER_NAME' $(git config x.start)..HEAD >/dev/null 2>&1 || :; }
`

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{T: t, dir: t.TempDir(), heads: map[string][]string{}}
	p.sh(`git init -qb main; git config gc.auto 0; git config core.fsync none; git config advice.mergeConflict false
		echo x >x; git add x; git commit -qm begin; git config x.start $(git rev-parse HEAD); git switch -qc work`)
	p.start = strings.TrimSpace(p.sh("git rev-parse HEAD"))
	repo, err := git.Open(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	p.repo = repo
	return p
}

func (p *past) sh(script string) string {
	p.Helper()
	p.clock += 60
	at := fmt.Sprint(1_700_000_000+p.clock, " +0000")
	cmd := exec.Command("sh", "-ec", inShell+script)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s\n%v\n%s", script, err, out)
	}
	for line := range strings.Lines(string(out)) {
		var step, oid string
		if n, _ := fmt.Sscanf(line, "did %s %s", &step, &oid); n == 2 {
			p.heads[step] = append(p.heads[step], oid)
		}
	}
	return string(out)
}

// derived returns the steps that count as done on a branch, and those whose file exists.
func (p *past) derived(branch string) (said, there string) {
	p.Helper()
	commits, err := p.repo.Log(p.Context(), "--topo-order", branch, "--not", p.start)
	if err != nil {
		p.Fatal(err)
	}
	pl, events := &plan.Plan{ID: "p"}, []journal.Event{}
	for n := 1; n <= 4; n++ {
		id := fmt.Sprint("s", n)
		pl.Steps = append(pl.Steps, plan.Step{ID: id})
		for _, oid := range p.heads[id] {
			events = append(events, journal.Event{Kind: journal.Done, Steps: []string{id}, Head: oid})
		}
	}
	pr := progress.Derive(p.Context(), journal.NewStore(p.repo), &journal.Document{Plan: pl, Events: events}, commits)
	files := p.sh("git ls-tree --name-only " + branch)
	for n := 1; n <= 4; n++ {
		if id := fmt.Sprint("s", n); pr.Steps[id].State == progress.StateDone {
			said += " " + id
		}
		if strings.Contains(files, fmt.Sprintf("f%d\n", n)) {
			there += fmt.Sprintf(" s%d", n)
		}
	}
	return said, there
}

// Whatever branches a step was reverted on: it is done if the branch has its work, and reopened if not.
func TestStepIsDoneIfItsWorkIsInTheTree(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"undone on the branch, its squash reverted on main", `step 1; other a; revert HEAD~1
			git switch -q main; squash work~1; revert HEAD; git switch -q work; merge main`, ""},
		{"reverted on both lines, and their merge reverted", `step 1; git branch side; revert HEAD; git switch -q side; other a; revert HEAD~1
			git switch -q work; merge side; revert -m 1 HEAD`, ""},
		{"reverted here; reverted there, and that reverted", `step 1; git branch side; revert HEAD; git switch -q side; other a; revert HEAD~1; revert HEAD
			git switch -q work; merge side`, ""},
		{"reverted there, and that reverted; reverted here", `step 1; git branch side; git switch -q side; revert HEAD; revert HEAD; git switch -q work; other a
			revert HEAD~1; git switch -q side; merge work; git switch -q work; merge side`, ""},
		{"a squash that gives and takes, reverted", `step 1; step 2; revert HEAD~1; git switch -q main; squash work; revert HEAD; git switch -q -c new; other a`, ""},
		{"a squash of lines that took and gave, reverted", `step 1; git branch side; revert HEAD; git switch -q side; revert HEAD; revert HEAD; other a; git switch -q work; merge side; step 2
			git switch -q main; squash work; git switch -qc new; revert HEAD`, ""},
		{"a squash of lines that took and gave", `step 1; git branch side; revert HEAD; git switch -q side; other a; revert HEAD~1; revert HEAD; git switch -q work; merge side; step 2
			git switch -q main; squash work; merge work`, " s2"},
		{"a branch rebased, its squash reverted on main", `step 1; git switch -q main; other a; git switch -q work; rebase main; git switch -q main; squash work; revert HEAD; git switch -q work; merge main`, " s1"},
		{"a branch amended, its squash reverted on main", `step 1; amend; git switch -q main; squash work; revert HEAD; git switch -q work; merge main`, " s1"},
		{"merged into each other, then reverted on one line", `step 1; git branch side; other a; git switch -q side; other b; git branch back; merge work; git switch -q work; merge back; revert $(git rev-list -1 --grep='^Step 1' HEAD); git switch -q side; other c; git switch -q work; merge side`, ""},
		{"lines that merged each other, each with a change", `git branch side; step 1; git switch -q side; step 2; git branch back; merge work; git switch -q work; merge back
			revert $(git rev-list -1 --grep='^Step 2' HEAD); git switch -q side; revert $(git rev-list -1 --grep='^Step 1' HEAD); git switch -q work; merge side`, ""},
		{"a merge of three", `git branch b; git branch c; step 1; git switch -q b; step 2; git switch -q c; step 3; git switch -q work; merge b c; revert -m 2 HEAD`, " s2"},
		{"a reverted merge that a rebase made flat", `git branch side; step 1; git switch -q side; step 2; git switch -q work; merge side; revert -m 1 HEAD; git switch -q main; other a; git switch -q work; rebase main`, " s1"},
		{"a reverted merge that a rebase made again", `git branch side; step 1; git switch -q side; step 2; git switch -q work; merge side; revert -m 1 HEAD; git switch -q main; other a; git switch -q work; rebase --rebase-merges main`, " s1"},
		{"a step done again, brought again with another's revert, the second reverted", `step 2; revert HEAD; step 1; todo '3s/^pick/squash/' main; revert HEAD; step 1; revert HEAD~1; revert HEAD~1`, ""},
		{"a squash of steps and its revert, squashed", `step 1; step 2; todo '2s/^pick/squash/' main; step 3; revert HEAD~1; git switch -q main; other a; squash work`, " s3"},
		{"a step reverted and done again, its history filtered", `step 1; other a; revert HEAD~1; step 1; filtered`, " s1"},
		{"a revert reverted, its history filtered", `step 1; other a; revert HEAD~1; revert HEAD; filtered`, " s1"},
		{"a side without the step, filtered and merged", `other a; git branch side; step 1; git switch -q side; other b; filtered; git switch -q work; merge side`, " s1"},
		{"a step and its revert, filtered and merged with the original", `step 1; revert HEAD; git switch -qc side; filtered; merge work`, ""},
		{"one commit reverted twice", `step 1; revert HEAD; revert HEAD; revert HEAD; step 1; revert HEAD~2`, ""},
		{"a step and its copy reverted, the first revert reverted", `step 1; revert HEAD; pick HEAD~1; revert HEAD; revert HEAD~2`, " s1"},
		{"a squash of a step that was there already, and its revert", `step 1; step 2; git switch -q main; other a; pick work~1; squash work; revert HEAD~1; todo '2,$s/^pick/squash/' HEAD~2`, " s2"},
		{"a squash of a step and its revert, picked onto both", `step 1; revert HEAD; step 2; git switch -q main; squash work; git switch -qc new work~1; pick main`, " s2"},
		{"a step done on both lines, their merge reverted", `step 1; step 2; git switch -qc side main; other a; step 1; merge work; revert -m 1 HEAD`, " s1"},
		{"a squash and its revert merged into its branch, the merge reverted", `step 1; git switch -q main; other a; squash work; revert HEAD; git switch -q work; merge main; revert -m 1 HEAD`, " s1"},
		{"a line with a step and its revert, merged, the step done again, the merge reverted", `git branch side; other a; git switch -q side; step 1; step 2; revert HEAD; git switch -q work; merge side; step 2; revert -m 1 HEAD~1`, " s2"},
		{"a step done on both lines, reverted and done again, their merge reverted", `git branch side; step 1; git switch -q side; other a; step 1; step 2; merge work; revert HEAD~2; step 1; revert -m 2 HEAD~2`, " s1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			p.sh(c.script)
			said, there := p.derived("HEAD")
			if there != c.want {
				t.Errorf("the script leaves%s, want%s", there, c.want)
			}
			if said != there {
				t.Errorf("done are%s, in the tree are%s\n%s", said, there, p.sh("git log --graph --format='%h %s%n%b' HEAD"))
			}
		})
	}
}

// If a squash contains a step and its revert, its steps are done only if the revert can be read, and no step
// runs again: doing one twice is harmless.
func TestSquashOfAStepAndItsRevert(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"a squash of a squash that was taken back in it", `step 1; revert HEAD; step 2; git switch -q main; other a; squash work; git switch -qc new main~1; squash main; git branch -D main work; rm -rf .git/logs; git gc -q --prune=now`, " s2"},
		{"steps squashed by a rebase, one of them reverted, and git forgot", `step 1; step 2; revert HEAD~1; todo '2,$s/^pick/squash/' main; rm -rf .git/logs; git gc -q --prune=now`, " s2"},
		{"the same again, and all of it squashed", `step 2; revert HEAD; step 1; todo '3s/^pick/squash/' main; revert HEAD; step 1; revert HEAD~1; revert HEAD; todo '2,$s/^pick/squash/' main`, " s1 s2"},
		{"a step done again, brought again with another's revert, that reverted", `step 2; revert HEAD; step 1; todo '3s/^pick/squash/' main; revert HEAD; step 1; revert HEAD~1; revert HEAD`, " s1 s2"},
		{"a step done again, another brought again with it, its history filtered", `step 1; step 2; todo '2s/^pick/squash/' main; revert HEAD; step 1; revert HEAD~1; revert HEAD; filtered`, " s1"},
		{"a squash of a squash and its revert, squashed, and git forgot", `step 1; other a; step 2; git switch -qc on main; other b; squash work; step 3; revert HEAD~1; git switch -q main; other c; squash on; git branch -qD on work; rm -rf .git/logs; git gc -q --prune=now`, " s3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			p.sh(c.script)
			if said, there := p.derived("HEAD"); there != c.want || !within(said, there) {
				t.Errorf("done are%s, in the tree are%s, want%s", said, there, c.want)
			}
		})
	}
}

// Random histories, made by git itself: a step is done if the tree has its file. If one commit was reverted
// twice, or a squash contains a step and a revert, a step may be reopened all the same, since a squash does
// not record their order. HISTORIES sets how many, SEED which.
func TestRandomHistoriesAreReadAsGitMadeThem(t *testing.T) {
	count, seed := 10, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("HISTORIES")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = n
	}
	for i := range uint64(count) {
		t.Run(fmt.Sprint(seed+i), func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			random := rand.New(rand.NewPCG(seed+i, 0))
			for range 6 + random.IntN(14) {
				op := p.operation(random)
				p.log = append(p.log, op)
				p.sh(op)
				said, there := p.derived("HEAD")
				if said != there && !(p.mayReopen() && within(said, there)) {
					t.Errorf("done are%s, in the tree are%s\n%s\n%s", said, there, strings.Join(p.log, "\n"), p.sh("git log --graph --format='%h %s%n%b' HEAD"))
					return
				}
			}
		})
	}
}

// mayReopen reports whether two commits of the branch revert the same one, or one both does a step and
// reverts a commit.
func (p *past) mayReopen() bool {
	return strings.TrimSpace(p.sh("git log --format=%B HEAD | grep -o 'This reverts commit [0-9a-f]*' | sort | uniq -d")) != "" ||
		strings.TrimSpace(p.sh("git log --all-match --grep='Plan-Step: ' --grep='This reverts commit ' --format=%h HEAD")) != ""
}

func within(some, all string) bool {
	for _, word := range strings.Fields(some) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

// operation returns what a person might do next.
func (p *past) operation(random *rand.Rand) string {
	one := func(list []string) string {
		if len(list) == 0 {
			return "HEAD"
		}
		return list[random.IntN(len(list))]
	}
	lines := func(script string) []string { return strings.Fields(p.sh(script)) }
	commits := func(args string) []string {
		return lines("git rev-list --max-count=12 " + args + " HEAD --not " + p.start)
	}
	other := func() string {
		return one(lines("git for-each-ref --format='%(refname:short)' refs/heads | grep -vx $(git branch --show-current)"))
	}
	step := func() string {
		for _, n := range random.Perm(4) {
			if _, err := os.Stat(filepath.Join(p.dir, fmt.Sprint("f", n+1))); err != nil {
				return fmt.Sprint("step ", n+1)
			}
		}
		return "other " + fmt.Sprint(p.clock)
	}
	own := len(commits("--no-merges")) > 0
	switch n := random.IntN(32); {
	case n < 7:
		return step()
	case n < 8 || !own:
		return fmt.Sprint("other ", p.clock)
	case n < 13:
		return "revert " + one(commits("--no-merges"))
	case n < 16:
		if merges := commits("--merges"); len(merges) > 0 {
			return fmt.Sprintf("revert -m %d %s", 1+random.IntN(4)/3, one(merges))
		}
		return "revert HEAD"
	case n < 18:
		return fmt.Sprintf("git switch -qc side%d", p.clock)
	case n < 20:
		return "git switch -q " + other()
	case n < 23:
		return "merge " + one([]string{"--no-ff", "--no-ff", "--ff"}) + " " + other()
	case n < 25:
		return "squash " + other()
	case n < 28:
		return "pick " + one(lines("git rev-list --no-merges --all --max-count=20 --not "+p.start))
	case n < 29:
		return "rebase " + one([]string{"", "--rebase-merges "}) + other()
	case n < 30:
		return one([]string{"amend", "git reset -q --hard HEAD~1 || :"})
	case n < 31:
		return "todo '2,$s/^pick/squash/' HEAD~" + fmt.Sprint(1+random.IntN(3))
	}
	return "filtered"
}
