//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/progress"
	outside "github.com/git-plan/git-plan/testdata/world"
)

// The planner plans eight steps at a time. Its first and third answers are not plans, and the fifth repeats
// the same plan.
const goalPlanner = `cat >"$W/asked"; wc -c <"$W/asked" >>"$W/plannings"
n=$(cat "$W/planned" 2>/dev/null || echo 0); calls=$(($(wc -l <"$W/plannings")))
case $calls in 1 | 3) echo "I have no plan."; exit ;; 5) ;; *) n=$((n + 8)); echo $n >"$W/planned" ;; esac
printf '# Count\n\n## Learned\n\n- planned up to %d\n\n## Steps\n\n' $(($n - $n % 80))
for i in $(seq $n); do printf -- '- [ ] **Count to %d** {#s%d}\n  - Files: ` + "`n.txt`" + `\n  - Do: count.\n  - Check: ` + "`sh at.sh %d`" + `\n' $i $i $i; done`

// The executor fails its first attempt at every fifth step. At steps that are a multiple of KILL, the git
// plan that runs it is killed once while it works; at multiples of REBOOT, all processes are. At multiples of
// AWAY its endpoint is unreachable once.
const goalExecutor = `cat >"$W/told"; wc -c <"$W/told" >>"$W/prompts"; grep -c '^start ' "$W/trace" >>"$W/gits"
n=${GIT_PLAN_STEP#s}
once() { mkdir "$W/$1-$n" 2>/dev/null; }
if [ $((n % AWAY)) = 0 ] && once away; then exit 75; fi
if [ $((n % REBOOT)) = 0 ] && once reboot; then echo half >>n.txt; touch "$W/reboot"; sleep 60; fi
if [ $((n % KILL)) = 0 ] && once killed; then echo half >>n.txt; kill -9 $(cat "$W/run"); sleep 60; fi
if [ $((n % 5)) = 0 ] && once failed; then echo wrong >other.txt; exit 0; fi
echo $n >n.txt`

// goalWorld is a world in which a goal is run as cron would: again after each end that is not the end of the
// goal.
type goalWorld struct {
	*outside.World
	state, bin            string
	kills, reboots, aways int
	gone                  []string // endpoints that are unreachable once each, as long as the file with a role's agent exists: ROLE AGENT
}

// run runs the goal once, and reports whether it was reached; all processes are killed when the executor asks
// for it.
func (w *goalWorld) run() bool {
	run := exec.Command("sh", "-c", "echo $$ >"+filepath.Join(w.state, "run")+"; exec "+w.bin+" run")
	run.Dir, run.Env = w.Dir, append(os.Environ(), "GIT_TRACE2="+filepath.Join(w.state, "trace"), "GIT_TRACE2_BRIEF=1")
	if w.kills > 0 && len(w.gone) > 0 {
		role, name, _ := strings.Cut(w.gone[0], " ")
		run.Env = append(run.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=plan."+role+".agent", "GIT_CONFIG_VALUE_0="+name)
	}
	out, err := os.CreateTemp(w.state, "out")
	w.Fine(err)
	defer out.Close()
	run.Stdout, run.Stderr = out, out
	w.Fine(run.Start())
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	for {
		select {
		case <-ended:
			switch code := run.ProcessState.ExitCode(); {
			case run.ProcessState.Sys().(syscall.WaitStatus).Signaled():
				w.kills++
			case code == exit.Temporary:
				w.aways++
				if said := w.Read(out.Name()); strings.Contains(said, "HTTP 503") || strings.Contains(said, "connection refused") {
					w.gone = w.gone[1:]
				}
				w.Commit(fmt.Sprintf("person-%d.txt", w.aways), "by hand\n")
			case code != exit.OK:
				said := w.Read(out.Name())
				w.Fatalf("after %d kills: it ended with %d\n%s", w.kills, code, said[max(0, len(said)-3000):])
			default:
				return true
			}
			return false
		case <-time.After(20 * time.Millisecond):
			if os.Remove(filepath.Join(w.state, "reboot")) == nil {
				reboot(os.Getenv("HOME"))
				_ = run.Process.Kill()
				w.reboots, w.kills = w.reboots+1, w.kills-1
			}
		}
	}
}

// reboot kills all processes that have a home, at once.
func reboot(home string) {
	for found := true; found; {
		found = false
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range all {
			env, _ := os.ReadFile(file)
			if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))); bytes.Contains(env, []byte("HOME="+home+"\x00")) && pid != os.Getpid() {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
	}
}

// status returns the processor time of git plan status in a folder, and how many git processes it starts.
func (w *goalWorld) status(dir string) (took time.Duration, gits int) {
	trace := filepath.Join(w.state, "status")
	_ = os.Remove(trace)
	cmd := exec.Command(w.bin, "status")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_TRACE2="+trace, "GIT_TRACE2_BRIEF=1")
	w.Fine(cmd.Run())
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), strings.Count(w.Read(trace), "\nstart ")
}

// TestAGoalOfManyStepsIsReached reaches a goal by plannings of eight steps each, with failures, kills,
// reboots, endpoints that are unreachable during planning and during a step, commits by a person, and answers
// of the planner that are not plans, without an intervention: in three plannings, or 25 with GOAL=all.
// Prompts at the end are no longer than earlier, and no step starts more processes.
func TestAGoalOfManyStepsIsReached(t *testing.T) {
	steps, kill, reboots, away := 24, 8, 11, 7
	if os.Getenv("GOAL") == "all" {
		steps, kill, reboots, away = 200, 5, 71, 61
	}
	w := &goalWorld{bin: built(t), state: t.TempDir()}
	w.World = outside.New(t)
	w.Commit("n.txt", "0\n")
	w.Commit("at.sh", "test $(cat n.txt) -ge $1\n")
	places := strings.NewReplacer("KILL", strconv.Itoa(kill), "REBOOT", strconv.Itoa(reboots), "AWAY", strconv.Itoa(away))
	for name, script := range map[string]string{"planner": goalPlanner, "executor": places.Replace(goalExecutor)} {
		w.Write(filepath.Join(w.state, name+".sh"), "W='"+w.state+"'\n"+script+"\n")
		w.Set("plan."+name+".agent", name)
		w.Agent(name, "sh "+filepath.Join(w.state, name+".sh"))
	}
	sick := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }))
	defer sick.Close()
	for name, url := range map[string]string{"sick": sick.URL, "refused": "http://127.0.0.1:1"} {
		w.Set("planAgent."+name+".baseURL", url+"/v1", "planAgent."+name+".model", "m")
	}
	w.gone = []string{"executor refused", "planner sick", "executor sick", "planner refused"}
	w.Set("plan.sandbox", "none", "plan.reviewers", "silent", "planReviewer.silent.command", "true", "plan.waitOnLimit", "0s")
	w.Git("switch", "-qc", "topic")
	w.Git("plan", "new", "Count", "--done-when", "cat n.txt >= "+strconv.Itoa(steps), "--within", "n.txt", "--allow", "sh at.sh *", "--yes")
	at := map[int]string{2: filepath.Join(w.state, "early"), steps / kill: filepath.Join(w.state, "late")} // the repository after these kills
	var gits []int                                                                                         // that git plan status starts after each
	for !w.run() {
		if w.kills > len(gits) {
			_, started := w.status(w.Dir)
			if gits = append(gits, started); at[w.kills] != "" {
				w.Fine(exec.Command("cp", "-r", w.Dir, at[w.kills]).Run())
			}
		}
	}
	if gits[0] == 0 || float64(gits[len(gits)-1]) > 1.2*float64(gits[1]) { // the first one is before any planning
		t.Errorf("status starts so many processes of git: %v", gits)
	}
	if w.kills != steps/kill || w.reboots != steps/reboots || w.aways != steps/away+4 || len(w.gone) > 0 {
		t.Errorf("%d kills, %d reboots, %d times away, never %q", w.kills, w.reboots, w.aways, w.gone)
	}
	if merges, commits := w.Git("rev-list", "--count", "--merges", "main..topic"), w.Git("rev-list", "--count", "main..topic"); merges != "0" || commits != strconv.Itoa(steps+w.aways) {
		t.Errorf("%s merges, %s commits", merges, commits)
	}
	var stats progress.Stats
	w.Fine(json.Unmarshal([]byte(w.Git("plan", "log", "--stats", "--json")), &stats))
	if by := w.byHand(); stats.Total.Interventions.Total != 0 || stats.Total.Mean != nil || stats.Total.Productive != by {
		t.Errorf("%d interventions, %d productive seconds, %d by hand", stats.Total.Interventions.Total, stats.Total.Productive, by)
	}
	if steps > 100 {
		w.flat("prompts", 1.1, 1)
		w.flat("plannings", 1.1, 1)
		w.flat("gits", 1.2, 0)
		first, last := time.Hour, time.Hour
		for range 10 {
			before, _ := w.status(at[2])
			now, _ := w.status(at[steps/kill])
			first, last = min(first, before), min(last, now)
		}
		t.Logf("status takes %v of the processor's time, and %v at first", last, first)
		if last > 2*first { // it reads a text 13 times as long, and as many more events, with the same processes
			t.Errorf("status takes %v of the processor's time, and %v at first", last, first)
		}
	}
}

// byHand returns how many seconds the sessions took whose work was kept, according to the plan's events.
func (w *goalWorld) byHand() (sum int64) {
	for _, message := range strings.Split(w.Git("log", "--format=%x00%B", "--glob=refs/plans/*"), "\x00") {
		_, text, _ := strings.Cut(message, "\nPlan-Duration: ")
		text, _, _ = strings.Cut(text, "\n")
		took, _ := time.ParseDuration(text)
		_, event, _ := strings.Cut(message, "\nPlan-Event: ")
		event, _, _ = strings.Cut(event, "\n")
		if stopped := strings.Contains(message, "\nPlan-Stopped: "); event == "done" || event == "planned" || event == "created" || event == "failed" && stopped {
			sum += int64(took / time.Second)
		}
	}
	return sum
}

// flat compares the minimum of the last tenth of numbers with that of a tenth in the middle, or the
// differences of successive ones if of is 0: prompts that contain an earlier failure are longer.
func (w *goalWorld) flat(what string, most float64, of int) {
	w.Helper()
	var all []int
	before := 0
	for _, text := range strings.Fields(w.Read(filepath.Join(w.state, what))) {
		n, _ := strconv.Atoi(text)
		all = append(all, n-before)
		before = n * (1 - of)
	}
	early, last := slices.Min(all[len(all)/2:][:len(all)/10+1]), slices.Min(all[len(all)-len(all)/10-1:])
	if float64(last) > most*float64(early) {
		w.Errorf("%s: the last are %d, early ones %d", what, last, early)
	}
}
