//go:build unix

package gitplan

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// randomStep is a step of a random plan, and what its sessions do.
type randomStep struct {
	id    string
	needs []string
	files []string
	deed  string // right; wrong: never passes; flaky: passes at the second attempt; shares: writes the same file as others
}

// randomPlan returns two to eight steps with random needs and files.
func randomPlan(r *rand.Rand) (steps []randomStep) {
	for i := range 2 + r.IntN(7) {
		s := randomStep{id: string(rune('a' + i)), deed: []string{"right", "right", "right", "shares", "shares", "flaky", "wrong"}[r.IntN(7)]}
		for _, before := range steps {
			if r.IntN(4) == 0 {
				s.needs = append(s.needs, before.id)
			}
		}
		if r.IntN(3) == 0 {
			s.files = []string{s.id + ".txt", []string{"shared.txt", "*.txt", "*.md"}[r.IntN(3)]}
		}
		steps = append(steps, s)
	}
	return steps
}

// doneOf returns the steps that are done in the end, in any order: those that succeed, and need only such
// steps.
func doneOf(steps []randomStep) map[string]bool {
	done := map[string]bool{}
	for _, s := range steps {
		missing := slices.ContainsFunc(s.needs, func(id string) bool { return !done[id] })
		done[s.id] = s.deed != "wrong" && !missing
	}
	return done
}

// textOf returns the plan of the steps, and the script that does them.
func textOf(steps []randomStep, r *rand.Rand, outside string) (text, script string) {
	script = "echo $GIT_PLAN_STEP >>" + outside + "/sessions\ncase $GIT_PLAN_STEP in\n"
	for _, s := range steps {
		needs, check := "none", "test -s "+s.id+".txt"
		if len(s.needs) > 0 {
			needs = strings.Join(s.needs, ", ")
			check += " && cat " + strings.Join(s.needs, ".txt ") + ".txt"
		}
		text += fmt.Sprintf("- [ ] Make %s {#%s}\n  - Needs: %s\n  - Check: `%s`\n", s.id, s.id, needs, check)
		if s.files != nil {
			text += "  - Files: `" + strings.Join(s.files, "`, `") + "`\n"
		}
		does := fmt.Sprintf("sleep 0.0%d; echo %s >%s.txt", r.IntN(6), s.id, s.id)
		switch s.deed {
		case "wrong":
			does = "echo half >" + s.id + ".half"
		case "flaky":
			does = fmt.Sprintf("if test -e %s.half; then rm %s.half; %s; else echo half >%s.half; fi", s.id, s.id, does, s.id)
		case "shares":
			does += "; { cat shared.txt 2>/dev/null; echo " + s.id + "; } | sort -u >new; mv new shared.txt"
		}
		script += s.id + ") " + does + " ;;\n"
	}
	return text, script + "esac\necho '{\"status\": \"done\", \"tokens\": {\"in\": 100, \"out\": 1}}' >\"$GIT_PLAN_RESULT\"\n"
}

// Whatever the needs, files, failures, conflicts and times: with parallel steps the same ones are done as one
// after the other, each as one commit of a linear history; nothing is lost, and each token is counted.
// RANDOM_PLANS sets how many plans, SEED the first.
func TestRandomPlansSideBySide(t *testing.T) {
	count, seed := 12, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("RANDOM_PLANS")); err == nil {
		count = n
	}
	if v, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = v
	}
	for i := range uint64(count) {
		if !t.Run(fmt.Sprint("SEED=", seed+i), func(t *testing.T) { randomSideBySide(t, seed+i) }) {
			return
		}
	}
}

func randomSideBySide(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	steps, outside := randomPlan(r), t.TempDir()
	text, script := textOf(steps, r, outside)
	w := newWalker(t, text, script)
	w.Set("plan.attempts", "2")
	w = again(w.World)
	jobs := 2 + r.IntN(4)
	if seed%10 == 0 { // the oracle itself
		jobs = 1
	}
	walk := RunOptions{Jobs: jobs, Done: func() {}, Replan: func(string) error { return nil }}
	err := w.Run(w.Context(), walk)
	want, commits := doneOf(steps), 0
	t.Logf("%d jobs, %d steps: %v", jobs, len(steps), err)
	var states []string
	for _, s := range steps {
		state := progress.StateOpen
		switch {
		case want[s.id]:
			state, commits = progress.StateDone, commits+1
		case s.deed == "wrong" && !slices.ContainsFunc(s.needs, func(id string) bool { return !want[id] }):
			state = progress.StateBlocked
		}
		states = append(states, s.id+" "+string(state))
	}
	w.is(strings.Join(states, ", "))
	w.World.Clean()
	if got := w.Git("log", "--format=%(trailers:key=Plan-Step,valueonly,separator=)", "main..work"); len(strings.Fields(got)) != commits || w.Git("log", "--merges", "main..work") != "" {
		t.Errorf("want a line of %d commits, got\n%s", commits, w.Git("log", "--graph", "main..work"))
	}
	shared := ""
	for _, s := range steps {
		if want[s.id] && w.Read(s.id+".txt") != s.id+"\n" {
			t.Errorf("%s.txt is %q", s.id, w.Read(s.id+".txt"))
		}
		if want[s.id] && s.deed == "shares" {
			shared += s.id + "\n"
		}
	}
	if got := w.Read("shared.txt"); got != shared {
		t.Errorf("shared.txt is %q, want %q", got, shared)
	}
	held, _ := os.ReadFile(filepath.Join(outside, "sessions"))
	n := strings.Count(string(held), "\n")
	stats := progress.Measure([]progress.PlanEvents{{Plan: "p", Events: w.Checkout.Doc.Events}}).Total
	if stats.Sessions != n || stats.Tokens != (agent.Tokens{In: int64(100 * n), Out: int64(n)}) {
		t.Errorf("%d sessions with %v are counted, %d ran", stats.Sessions, stats.Tokens, n)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), ".local/state/git-plan/*/*/.git")); len(left) > 0 {
		t.Errorf("clones are left: %v", left)
	}
	if t.Failed() {
		t.Logf("the plan:\n%s\nthe script:\n%s\nthe events:", text, script)
		for _, e := range w.Checkout.Doc.Events {
			t.Logf("%s %v %d: %s", e.Kind, e.Steps, e.Attempt, e.Reason)
		}
	}
}
