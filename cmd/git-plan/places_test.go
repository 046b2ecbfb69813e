package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// A plan is made and done in every kind of repository that git supports.
func TestPlanIsDoneInEveryKindOfRepository(t *testing.T) {
	race.Skip(t)
	everyKindOfRepository(t, "tree")
}

// CLONES=all tries all kinds.
func TestPlanIsDoneInACloneOfEveryKindOfRepository(t *testing.T) {
	race.Skip(t)
	everyKindOfRepository(t, "clone")
}

// sameAsAClone are the kinds whose clone is the same as that of another kind.
var sameAsAClone = []string{"separate git dir", "shared by a group", "packed", "split index", "sparse index"}

// kindsOfRepository are scripts that make a repository of each kind, called work.
var kindsOfRepository = []struct{ name, script string }{
	{"plain", "cp -R ../seed work"},
	{"linked worktree", "git -C ../seed worktree add -q $PWD/work -b topic"},
	{"worktree of a bare repository", "git clone -q --bare ../seed bare; git -C bare worktree add -q $PWD/work -b topic main"},
	{"submodule", "git init -q super; cd super; git -c protocol.file.allow=always submodule add -q ../../seed sub; git commit -qm sub; cd sub; git switch -q -c topic; cd ../..; ln -s super/sub work"},
	{"sparse checkout", "git clone -q ../seed work; cd work; git sparse-checkout set --cone kept"},
	{"sparse index", "git clone -q ../seed work; cd work; git sparse-checkout set --cone --sparse-index kept"},
	{"shallow clone", "git clone -q --depth 1 file://$PWD/../seed work"},
	{"partial clone", "git -C ../seed config uploadpack.allowFilter true; git clone -q --filter=blob:none file://$PWD/../seed work"},
	{"borrowed objects", "git clone -q --shared ../seed work"},
	{"separate git dir", "git clone -q --separate-git-dir=elsewhere ../seed work"},
	{"sha256", "git init -q --object-format=sha256 work; cd work; echo x >x; git add x; git commit -qm x"},
	{"shared by a group", "git clone -q -c core.sharedRepository=group ../seed work"},
	{"unborn", "git init -q work"},
	{"packed", "cp -R ../seed work; cd work; git gc -q --aggressive --prune=now"},
	{"split index", "git clone -q ../seed work; cd work; git update-index --split-index"},
	{"line ends and filters", "git clone -q --no-checkout ../seed work; cd work; git config core.autocrlf true; git config filter.rot.clean 'tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'; git config filter.rot.required true; echo '* filter=rot' >.git/info/attributes; git checkout -q"},
	{"work tree elsewhere", "git clone -q --no-checkout ../seed other; mv other/.git there; git --git-dir=there config core.worktree $PWD/work; mkdir work; echo \"gitdir: $PWD/there\" >work/.git; cd work; git checkout -q"},
	{"settings of each worktree", "git clone -q ../seed one; cd one; git config extensions.worktreeConfig true; git worktree add -q ../work -b topic; cd ../work; git sparse-checkout set --cone kept; git config --worktree core.autocrlf true"},
	{"detailed names", "cp -R ../seed work; cd work; git switch -q -c 'fe\"at/ü#1;$(id)'"},
}

func everyKindOfRepository(t *testing.T, isolation string) {
	for _, c := range kindsOfRepository {
		if isolation == "clone" && os.Getenv("CLONES") != "all" && slices.Contains(sameAsAClone, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { aPlanIsDoneIn(t, c.script, isolation) })
	}
}

// aPlanIsDoneIn makes and does a plan of two steps in the folder work that the script makes beside a
// repository called seed, and expects nothing left except its commits.
func aPlanIsDoneIn(t *testing.T, script, isolation string) {
	repo := grown(t, 1, 3, 3)
	top := filepath.Dir(repo)
	runGit(t, repo, "plan", "drop", "--yes")
	runGit(t, repo, "switch", "-q", "main")
	if err := os.Rename(repo, filepath.Join(top, "seed")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "seed", "kept", "file"), "kept\n")
	sh(t, filepath.Join(top, "seed"), "git add .; git commit -qm kept")
	write(t, filepath.Join(top, "plan.md"), "# Do\n\n## Steps\n\n- [ ] **One** {#one}\n- [ ] **Two** {#two}\n  - Check: `test -f kept/two || test -f two`\n")
	in := filepath.Join(top, "in")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	runGit(t, filepath.Join(top, "seed"), "config", "--global", "planAgent.fake.command",
		"if [ -d kept ]; then cd kept; fi; echo $GIT_PLAN_STEP >$GIT_PLAN_STEP")
	runGit(t, filepath.Join(top, "seed"), "config", "--global", "plan.isolation", isolation)
	t.Setenv("XDG_STATE_HOME", filepath.Join(top, "state"))
	shIn(t, in, script)
	work := filepath.Join(in, "work")
	runGit(t, work, "plan", "new", "-F", filepath.Join(top, "plan.md"), "--yes")
	runGit(t, work, "plan", "run", "--no-review")
	out := runGit(t, work, "plan", "status", "--porcelain")
	if !strings.Contains(out, "progress\t2\t2\n") {
		t.Errorf("not done:\n%s", out)
	}
	if out := runGit(t, work, "status", "--porcelain"); out != "" {
		t.Errorf("not clean:\n%s", out)
	}
	runGit(t, work, "fsck")
	if left, _ := filepath.Glob(filepath.Join(top, "state/git-plan/*-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
