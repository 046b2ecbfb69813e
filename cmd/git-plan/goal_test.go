//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	outside "github.com/git-plan/git-plan/testdata/world"
)

// The planner plans eight steps at a time. Its second planning begins with an answer that is no plan, and the third with
// the same plan again.
const goalPlanner = `cat >"$W/asked"; wc -c <"$W/asked" >>"$W/plannings"
n=$(cat "$W/planned" 2>/dev/null || echo 0); calls=$(($(wc -l <"$W/plannings")))
case $calls in 2) echo "I have no plan."; exit ;; 4) ;; *) n=$((n + 8)); echo $n >"$W/planned" ;; esac
printf '# Count\n\n## Learned\n\n- planned up to %d\n\n## Steps\n\n' $(($n - $n % 80))
for i in $(seq $n); do printf -- '- [ ] **Count to %d** {#s%d}\n  - Files: ` + "`n.txt`" + `\n  - Do: count.\n  - Check: ` + "`sh at.sh %d`" + `\n' $i $i $i; done`

// The executor fails its first attempt at each fifth step; at each of the steps that are a multiple of KILL, the
// git plan that runs it is killed once while it is at work.
const goalExecutor = `cat >"$W/told"; wc -c <"$W/told" >>"$W/prompts"
n=${GIT_PLAN_STEP#s}
if [ $((n % KILL)) = 0 ] && mkdir "$W/killed-$n" 2>/dev/null; then echo half >>n.txt; kill -9 $(cat "$W/run"); sleep 60; fi
if [ $((n % 5)) = 0 ] && mkdir "$W/failed-$n" 2>/dev/null; then echo wrong >other.txt; exit 0; fi
echo $n >n.txt`

// TestAGoalOfManyStepsIsReached has a goal reached by plannings of eight steps each, with failures and kills, without a
// person: three plannings, or 25 with GOAL=all. With these no session reads more at the end than earlier.
func TestAGoalOfManyStepsIsReached(t *testing.T) {
	steps, kill := 24, "8"
	if os.Getenv("GOAL") == "all" {
		steps, kill = 200, "5"
	}
	bin := built(t)
	w := outside.New(t)
	state := t.TempDir()
	w.Commit("n.txt", "0\n")
	w.Commit("at.sh", "test $(cat n.txt) -ge $1\n")
	for name, script := range map[string]string{"planner": goalPlanner, "executor": strings.ReplaceAll(goalExecutor, "KILL", kill)} {
		w.Fine(os.WriteFile(filepath.Join(state, name+".sh"), []byte("W='"+state+"'\n"+script+"\n"), 0o644))
		w.Set("plan."+name+".agent", name)
		w.Agent(name, "sh "+filepath.Join(state, name+".sh"))
	}
	w.Set("plan.sandbox", "none", "plan.reviewers", "silent", "planReviewer.silent.command", "true")
	w.Git("switch", "-qc", "topic")
	w.Git("plan", "new", "Count", "--done-when", "cat n.txt >= "+strconv.Itoa(steps), "--within", "n.txt", "--allow", "sh at.sh *", "--yes")
	kills := 0
	for {
		run := exec.Command("sh", "-c", "echo $$ >"+filepath.Join(state, "run")+"; exec "+bin+" run --plain")
		run.Dir = w.Dir
		out, err := run.CombinedOutput()
		if ended, ok := run.ProcessState.Sys().(syscall.WaitStatus); ok && ended.Signaled() {
			kills++
			continue
		}
		if err != nil {
			t.Fatalf("after %d kills: %v\n%s", kills, err, out[max(0, len(out)-3000):])
		}
		break
	}
	if commits := w.Git("rev-list", "--count", "--no-merges", "main..topic"); kills != steps/map[string]int{"8": 8, "5": 5}[kill] || commits != strconv.Itoa(steps) {
		t.Errorf("%d kills, %s commits", kills, commits)
	}
	stats := w.Git("plan", "log", "--stats", "--json")
	if !strings.Contains(stats, `"total": 0`) {
		t.Errorf("a person was needed: %s", stats)
	}
	for _, what := range []string{"prompts", "plannings"} {
		var sizes []int // of what a session read, without those that read why an earlier one failed
		for _, size := range strings.Fields(w.Read(filepath.Join(state, what))) {
			n, _ := strconv.Atoi(size)
			sizes = append(sizes, n)
		}
		early, last := slices.Min(sizes[len(sizes)/2:][:len(sizes)/10+1]), slices.Min(sizes[len(sizes)-len(sizes)/10-1:])
		if steps > 100 && float64(last) > 1.1*float64(early) {
			t.Errorf("%s: the last are %d bytes, early ones %d", what, last, early)
		}
	}
}
