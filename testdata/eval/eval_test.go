package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// newWorkshop returns one in a temporary folder, with a git-plan if one is needed.
func newWorkshop(t *testing.T, withGitPlan bool) *workshop {
	t.Helper()
	w := &workshop{dir: t.TempDir(), program: filepath.Join(t.TempDir(), "git-plan")}
	if withGitPlan {
		repository.Reads(t, "cmd", "gitplan", "hooks", "reviewers")
		if out, err := exec.Command("go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-o", w.program, "../../cmd/git-plan").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, dir := range []string{"sources", "trials"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func tasksNamed(t *testing.T, names ...string) []*Task {
	t.Helper()
	list, err := readTasks("tasks", names)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFalseDone: a task that is reported as done and not resolved is a false done.
func TestFalseDone(t *testing.T) {
	task, v := &Task{F2P: []string{"TestNew"}}, &verified{P2P: []string{"TestOld"}}
	judge := func(r Result, passed ...string) Result {
		j := judged{passed: map[string]bool{}}
		for _, name := range passed {
			j.passed[name] = true
		}
		r.judged(task, v, j)
		return r
	}
	right := judge(Result{Done: true, Attempts: 1}, "TestNew", "TestOld")
	broke := judge(Result{Done: true}, "TestNew")
	if !right.Resolved || right.FalseDone || broke.Resolved || !broke.FalseDone || broke.Missed[0] != "TestOld" {
		t.Errorf("%+v, %+v", right, broke)
	}
}

// TestTasksAreReadable: each has a goal and a source.
func TestTasksAreReadable(t *testing.T) {
	kinds := map[string]int{}
	for _, task := range tasksNamed(t) {
		switch {
		case task.Module != "":
			kinds["go"]++
		default:
			kinds["made"]++
		}
	}
	if want := map[string]int{"go": 14, "made": 8}; !cmp.Equal(want, kinds) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// TestHiddenTestsAreConfined: code under test cannot write in a home, reaches no network, and sees no key.
func TestHiddenTestsAreConfined(t *testing.T) {
	w := newWorkshop(t, false)
	t.Setenv("SECRET_OF_ENDPOINT", "hush")
	w.agent = &Agent{KeyEnv: "SECRET_OF_ENDPOINT"}
	task := tasksNamed(t, "trap-overreach")[0]
	s, err := w.fetch(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("there is no home here:", err)
	}
	tree, outside := filepath.Join(w.dir, "tree"), filepath.Join(home, ".git-plan-eval-wrote-this")
	defer os.Remove(outside)
	if err := w.repository(t.Context(), task, s, tree); err != nil {
		t.Fatal(err)
	}
	out := &proc.Head{Max: 1 << 20}
	line := `touch inside; touch "` + outside + `"; env; cat /proc/net/dev`
	if _, err := w.sealed(t.Context(), task, s, tree, nil, line, out); err != nil {
		t.Fatal(err)
	}
	said := string(out.Text)
	if missing(filepath.Join(tree, "inside")) || !missing(outside) && w.confined {
		t.Errorf("inside: %v, outside: %v", !missing(filepath.Join(tree, "inside")), !missing(outside))
	}
	if strings.Contains(said, "hush") || !strings.Contains(said, "PATH=") {
		t.Errorf("the environment:\n%s", said)
	}
	if w.offline(t.Context()) && strings.Contains(said, "eth0") {
		t.Errorf("the network is there:\n%s", said)
	}
}

// TestKeys: git-plan gets only the key that was named; other programs get none; no result contains one.
func TestKeys(t *testing.T) {
	t.Setenv("MINE", "hush")
	t.Setenv("OPENAI_API_KEY", "other")
	a := &Agent{Model: "m", Base: "http://127.0.0.1:1/v1", KeyEnv: "MINE"}
	if err := a.check(); err != nil {
		t.Fatal(err)
	}
	w := &workshop{agent: a}
	for who, env := range map[string][]string{"git-plan": a.environment(t.TempDir(), nil), "others": w.environment()} {
		if has := slices.Contains(env, "MINE=hush"); has != (who == "git-plan") || slices.Contains(env, "OPENAI_API_KEY=other") {
			t.Errorf("%s: %v", who, env)
		}
	}
	r, err := openResults(filepath.Join(t.TempDir(), "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.add(Result{Missed: []string{"it said hush"}}, "hush"); err == nil || !missing(r.path) {
		t.Errorf("a key is written: %v", err)
	}
}

// TestResultsSurviveAKill: after a kill in the middle of a line the trials before it count as done, its own
// does not. A second writer is refused.
func TestResultsSurviveAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	first, second := Trial{Task: "a", Arm: "plan", Run: 1, Agent: "x"}, Trial{Task: "a", Arm: "plan", Run: 2, Agent: "x"}
	r, err := openResults(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openResults(path); err == nil {
		t.Error("two write at a time")
	}
	for _, trial := range []Trial{first, second} {
		if err := r.add(Result{Schema: 1, Trial: trial}, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := openResults(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if !again.done[first] || again.done[second] {
		t.Errorf("done: %v", again.done)
	}
	if err := again.add(Result{Schema: 1, Trial: second}, ""); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(text) {
		t.Errorf("%v\n%s", err, now)
	}
}

// TestResultsOfTests: a test passed if its output says so and none of its name failed.
func TestResultsOfTests(t *testing.T) {
	for _, c := range []struct {
		name string
		read func([]byte) map[string]bool
		out  string
		want map[string]bool
	}{
		{"go", readGo, `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"pass","Package":"p","Test":"TestD"}
{"Action":"fail","Package":"q","Test":"TestD"}
{"Action":"pass","Package":"p"}
no JSON`, map[string]bool{"TestA": true}},
	} {
		if diff := cmp.Diff(c.want, c.read([]byte(c.out))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
