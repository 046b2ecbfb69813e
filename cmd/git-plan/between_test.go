//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/race"
)

// between lists commands that a person may run after a kill. Those that are refused must change nothing.
var between = []struct{ name, script string }{
	{"nothing", "true"},
	{"skip", "git plan skip one"},
	{"remove the step", `GIT_EDITOR="sed -i /{#one}/,+1d" git plan edit; git plan approve --yes`},
	{"drop", `git plan drop --yes; git plan new --yes -F "$PLAN"`},
	{"switch", "git switch -q main; git plan status; git switch -q -"},
	{"move", `cd .. && mv repo moved && cd moved && git plan approve --yes`},
	// The others run only with KILLS=all.
	{"block", "git plan block one -m later"},
	{"block, answer", "git plan block one -m which; git plan answer one this"},
	{"skip, reopen", "git plan skip one; git plan reopen one"},
	{"replan", "git plan replan --yes -m again"},
	{"rename the step", `GIT_EDITOR="sed -i s/{#one}/{#uno}/" git plan edit; git plan approve --yes`},
	{"drop, bring back", `eval "$(git plan drop --yes 2>&1 | tee /dev/fd/2 | grep 'git update-ref refs/plans')"`}, // tee, since drop names what it kept
	{"undo", "git plan undo"},
	{"tick", `GIT_EDITOR="sed -i '/One/s/\[ \]/[x]/'" git plan edit`},
	{"review", "git plan review"},
	{"verify", "git plan verify one"},
	{"by hand", "git plan skip one; git plan next two && echo two >two.txt && git plan done"},
	{"next, drop", "git plan next one; git plan next --drop"},
	{"gc", "git gc -q --prune=now"},
	{"skip, gc", "git plan skip one; git gc -q --prune=now"},
	{"rename", "git branch -m renamed"},
	{"prune", "git plan attempts prune; git plan doctor"},
	{"jobs", "git plan run --jobs 2 --no-review"},
}

// betweenAlways is how many of them make test runs.
const betweenAlways = 6

const betweenPlan = `# Between

## Steps

- [ ] **One** {#one}
  - Needs: none
  - Check: ` + "`grep -q whole one.txt`" + `
- [ ] **Two** {#two}
  - Needs: none
`

// betweenExecutor overwrites, removes and stages files of the person's, makes a commit, and leaves what only
// a killed session leaves.
const betweenExecutor = `
PATH=$REAL_PATH
[ $GIT_PLAN_ROLE = planner ] && exec cat "$PLAN"
if [ -n "$KILL" ]; then echo $$ >leftover.txt; mkdir -p sub; echo $$ >sub/leftover.txt; fi
[ ! -e mine.txt ] || echo theirs >mine.txt
rm -f gone.txt
case $GIT_PLAN_STEP in
*o) echo two >two.txt; [ $GIT_PLAN_STEP = two ] || { rm two.txt; echo whole >one.txt; } ;;
one) echo half >>kept.txt; git add kept.txt; git commit -qm 'its own'; git checkout -q HEAD~ -- kept.txt; echo whole >one.txt ;;
esac
if [ -n "$KILL" ]; then kill -9 $(sed 's/^{"pid":\([0-9]*\).*/\1/' "$REPO"/.git/plan/*/lock.json); exec sleep 60; fi
echo '{"status": "done"}' >"$GIT_PLAN_RESULT"
`

// killed is a repository whose git plan step is killed, in its session or at one of its own git processes.
type killed struct {
	*testing.T
	dir, repo, began string // began has a copy of both
	said             strings.Builder
}

func newKilled(t *testing.T, isolation string) *killed {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	repo := begun(t, 1)
	k := &killed{T: t, dir: filepath.Dir(repo), repo: repo, began: t.TempDir()}
	plan, bin := filepath.Join(k.dir, "plan.md"), t.TempDir()
	for name, value := range map[string]string{"PLAN": plan, "REPO": repo, "EXECUTOR": filepath.Join(k.dir, "executor.sh"), "REAL_PATH": os.Getenv("PATH"), "KILL": "", "DIE_AT": "", "XDG_STATE_HOME": filepath.Join(k.dir, "state")} {
		t.Setenv(name, value)
	}
	write(t, plan, betweenPlan)
	write(t, filepath.Join(k.dir, "executor.sh"), betweenExecutor)
	write(t, filepath.Join(bin, "git"), fmt.Sprintf(dyingGit, real))
	shIn(t, repo, `chmod 755 "`+bin+`/git"
echo kept >kept.txt; git add kept.txt; echo ignored >>.gitignore; git add .gitignore; git commit -qm kept
git config planAgent.fake.command 'sh "$EXECUTOR"'
git config plan.passEnv 'PLAN REPO REAL_PATH KILL'
git config plan.sandbox none; git config plan.isolation `+isolation+`
git plan new --yes -F "$PLAN"
echo mine >mine.txt; echo gone >gone.txt; echo ignored >ignored`)
	shIn(t, k.dir, `cp -Rp repo state "$BEGAN"`, "BEGAN="+k.began)
	t.Setenv("DIE_PATH", bin+":"+os.Getenv("PATH"))
	return k
}

// plays runs a script in the repository, whatever its exit code, and reports whether a git killed its git
// plan.
func (k *killed) plays(script string, env ...string) (ok, died bool) {
	cmd := exec.Command("sh", "-c", script)
	state := k.TempDir()
	cmd.Dir, cmd.Env = k.repo, append(append(os.Environ(), "GIT_EDITOR=true", "DIE_DIR="+state), env...)
	out, err := cmd.CombinedOutput()
	fmt.Fprintf(&k.said, "--- %s %v\n%s", script, env, out)
	_, e := os.Stat(filepath.Join(state, "died"))
	return err == nil, e == nil
}

// strikes starts over, kills a step, runs a script, and continues until everything is done.
func (k *killed) strikes(at, when, script string) (died bool) {
	k.said.Reset()
	k.repo = filepath.Join(k.dir, "repo")
	shIn(k.T, k.dir, `rm -rf repo moved state; cp -Rp "$BEGAN"/. .`, "BEGAN="+k.began)
	if at == "" {
		k.plays("git-plan step --no-review", "KILL=1")
	} else if _, died = k.plays(`PATH=$DIE_PATH; git-plan step --no-review`, "DIE_AT="+at, "DIE_WHEN="+when); !died {
		return false
	}
	left := ""
	if data, err := os.ReadFile(filepath.Join(k.repo, "leftover.txt")); err == nil {
		left = string(data)
	}
	k.plays(script)
	if _, err := os.Stat(k.repo); err != nil {
		k.repo = filepath.Join(k.dir, "moved")
	}
	for range 3 {
		if ok, _ := k.plays("git-plan run --no-review"); ok {
			break
		}
	}
	k.plays("git plan log")
	k.holds(left)
	return true
}

// holds fails the test unless everything is as after a run that was not killed, and nothing is lost.
func (k *killed) holds(left string) {
	repo := k.repo
	bad := func(format string, args ...any) { k.Errorf(format, args...) }
	if states := states(k.T, repo); strings.Contains(states, "open") {
		bad("the steps are %s", states)
	}
	for _, line := range strings.Split(strings.TrimSpace(runGit(k, repo, "log", "--format=%s|%(trailers:key=Plan-Step,separator=%x2C)|%b", "main..HEAD")), "\n\n") {
		if line != "" && !strings.Contains(line, "Plan-Step: ") {
			bad("a commit of no step is on the branch: %s", line)
		}
	}
	if got := strings.Fields(runGit(k, repo, "ls-tree", "-r", "--name-only", "HEAD")); slices.Contains(got, "leftover.txt") && !strings.Contains(k.said.String(), "continues from") {
		bad("HEAD has %v", got)
	}
	if got := runGit(k, repo, "status", "--porcelain"); got != "?? gone.txt\n?? mine.txt\n" && got != "?? mine.txt\n" {
		bad("the tree holds\n%s", got)
	}
	if data, _ := os.ReadFile(filepath.Join(repo, "kept.txt")); string(data) != "kept\n" {
		bad("kept.txt is %q", data)
	}
	reachable := runGit(k, repo, "rev-list", "--objects", "--all")
	for name, text := range map[string]string{"mine.txt": "mine\n", "gone.txt": "gone\n", "ignored": "ignored\n", "leftover.txt": left} {
		if data, _ := os.ReadFile(filepath.Join(repo, name)); string(data) == text {
			continue
		}
		write(k, filepath.Join(k.dir, "blob"), text)
		oid := strings.TrimSpace(runGit(k, repo, "hash-object", "--no-filters", filepath.Join(k.dir, "blob")))
		if !strings.Contains(reachable, oid) {
			bad("%s is lost", name)
		} else if said := k.said.String(); name != "leftover.txt" && !strings.Contains(said, "--source=refs/plan-attempts/") && !strings.Contains(said, "kept: git plan attempts show ") {
			bad("%s is kept and not named", name)
		}
	}
	if _, err := os.Stat(filepath.Join(k.dir, "repo")); err == nil && repo != filepath.Join(k.dir, "repo") {
		bad("something was written where the repository was")
	}
	if out := runGit(k, repo, "fsck", "--strict", "--no-dangling"); strings.TrimSpace(out) != "" {
		bad("git fsck says:\n%s", out)
	}
	if refs := runGit(k, repo, "for-each-ref", "refs/plan-tasks"); refs != "" {
		bad("left: %s", refs)
	}
	for _, pattern := range []string{"state/git-plan/tasks/*/*", "state/git-plan/*/" + filepath.Base(repo) + "/.git", "[rm]*/.git/*.lock", "[rm]*/.git/*/*.lock"} {
		if found, _ := filepath.Glob(filepath.Join(k.dir, pattern)); len(found) > 0 {
			bad("left: %v", found)
		}
	}
	if k.Failed() {
		k.Logf("%s", k.said.String())
	}
}

// TestWhateverAPersonDoesAfterAKill kills a step in its session, and at each of its own git processes, runs a
// command that a person may run, and continues. KILLS=all runs every command after every kill.
func TestWhateverAPersonDoesAfterAKill(t *testing.T) {
	race.Skip(t)
	all := os.Getenv("KILLS") == "all"
	for _, isolation := range []string{"tree", "clone"} {
		for i, person := range between {
			if !all && i >= betweenAlways {
				break
			}
			t.Run(isolation+"/"+person.name, func(t *testing.T) {
				k := newKilled(t, isolation)
				k.strikes("", "", person.script)
				if !k.strikes("commit", "behind", person.script) {
					t.Error("no git was killed at a commit")
				}
				for n := 1; all && !t.Failed(); n++ {
					at := strconv.Itoa(n)
					if !k.strikes(at, "before", person.script) || !k.strikes(at, "behind", person.script) {
						return
					}
				}
			})
		}
	}
}
