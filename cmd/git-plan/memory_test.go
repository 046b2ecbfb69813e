package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/race"
)

// Limits of the program's memory, in MiB, whatever other programs print.
const (
	mostMemory     = 64
	mostTranscript = 16
)

// A flood is a program that prints endlessly.
type flood struct {
	name string
	// in makes a repository that a command floods.
	in  func(tb testing.TB, repo, command string)
	run []string // the program's arguments
}

var floods = []flood{
	{"session", byAgent("executor"), []string{"step", "--no-review"}},
	{"check that passes", byCheck("%s"), []string{"step", "--no-review"}},
	{"check that fails", byCheck("%s; false"), []string{"step", "--no-review"}},
	{"commit hook", byHook, []string{"step", "--no-review"}},
	{"model", byModel, []string{"step", "--no-review"}},
	{"planner", byAgent("planner"), []string{"new", "--force", "make it better"}},
	{"reviewers", byAgent("reviewer"), []string{"run"}},
}

// byAgent floods through the agent of one role, to both of its outputs.
func byAgent(role string) func(testing.TB, string, string) {
	return func(tb testing.TB, repo, command string) {
		planned(tb, repo, 1, "")
		line := fmt.Sprintf("echo x >>work.txt; if [ $GIT_PLAN_ROLE = %s ]; then %s; %s >&2; fi", role, command, command)
		runGit(tb, repo, "config", "planAgent.fake.command", line)
	}
}

func byCheck(line string) func(testing.TB, string, string) {
	return func(tb testing.TB, repo, command string) {
		planned(tb, repo, 1, "  - Check: `"+fmt.Sprintf(line, command)+"`\n")
	}
}

func byHook(tb testing.TB, repo, command string) {
	planned(tb, repo, 1, "")
	hook := filepath.Join(repo, ".git", "hooks", "pre-commit")
	write(tb, hook, "#!/bin/sh\n"+command+"\n"+command+" >&2\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		tb.Fatal(err)
	}
}

// byModel floods through the tool of a model. It runs as many commands as fill a transcript.
func byModel(tb testing.TB, repo, command string) {
	const turns, calls = 34, 6
	planned(tb, repo, 1, "")
	var lane script.Lane
	lane.Role = agent.Executor
	for n := range turns {
		var t script.Turn
		for i := range calls {
			line := fmt.Sprintf("head -c 20000 /dev/zero; : %d %d", n, i)
			if n+i == 0 {
				line = "echo x >>work.txt; " + command
			}
			args, _ := json.Marshal(map[string]string{"command": line})
			t.Calls = append(t.Calls, script.Call{Name: "run_command", Args: args})
		}
		lane.Turns = append(lane.Turns, t)
	}
	lane.Turns = append(lane.Turns, script.Turn{Calls: []script.Call{{Name: "finish", Args: []byte(`{"status":"done"}`)}}})
	server, err := script.Serve(script.Script{Lanes: []script.Lane{lane}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { server.Close() })
	runGit(tb, repo, "config", "planAgent.model.baseURL", server.URL())
	runGit(tb, repo, "config", "planAgent.model.model", "m")
	runGit(tb, repo, "config", "plan.agent", "model")
}

// lines are kinds of output: a single line, bytes that JSON writes as six, and short lines.
var lines = map[string]string{
	"one line":    `head -c %d /dev/zero | tr '\0' x`,
	"NULs":        `head -c %d /dev/zero`,
	"short lines": `yes | head -c %d`,
}

// The program keeps only a small part of the output of a session, a check or a hook.
func TestOutputIsBounded(t *testing.T) {
	race.Skip(t) // the model's server is this test
	program := built(t)
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) {
			f.stays(t, program, "NULs", mostMemory<<20)
		})
	}
}

// BenchmarkOutput does the same with 1 GB of each kind, once, and prints the memory used and the length of
// the longest transcript.
func BenchmarkOutput(b *testing.B) {
	program := built(b)
	for _, f := range floods {
		for _, kind := range slices.Sorted(maps.Keys(lines)) {
			memory, transcript := f.stays(b, program, kind, 1e9)
			b.Run(f.name+"/"+kind, func(b *testing.B) {
				for b.Loop() {
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(memory, "MiB-memory")
				b.ReportMetric(transcript, "MiB-transcript")
			})
		}
	}
}

// stays runs the program under a flood and returns its memory use, in MiB.
func (f flood) stays(tb testing.TB, program, kind string, bytes int) (memory, transcript float64) {
	tb.Helper()
	repo := begun(tb, 0)
	runGit(tb, repo, "config", "plan.attempts", "1")
	f.in(tb, repo, fmt.Sprintf(lines[kind], bytes))
	memory = peak(tb, repo, program, f.run...)
	_ = filepath.WalkDir(filepath.Join(repo, ".git", "plan"), func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".jsonl") {
			transcript = max(transcript, sizeOf(tb, path))
		}
		return err
	})
	if memory > mostMemory || transcript > mostTranscript || transcript == 0 {
		tb.Errorf("%s, %s: %.0f MiB of memory and a transcript of %.1f MiB; want at most %d and %d",
			f.name, kind, memory, transcript, mostMemory, mostTranscript)
	}
	return memory, transcript
}

// sizeOf is the size of a transcript in MiB. A full one still says how its session ended, and that it was
// cut.
func sizeOf(tb testing.TB, transcript string) float64 {
	tb.Helper()
	text, err := os.ReadFile(transcript)
	if err != nil {
		tb.Fatal(err)
	}
	size := float64(len(text)) / (1 << 20)
	end := text[max(0, len(text)-1000):]
	if size > mostTranscript-1 && !full.Match(end) {
		tb.Errorf("the end of a full transcript is\n%s", end)
	}
	return size
}

var full = regexp.MustCompile(`\n\{[^\n]*"end":"done"[^\n]*\}\n\{[^\n]*"cut":"[1-9][^\n]*\}\n$`)

// peak is the maximum memory of the program itself, in MiB: what wait4 reports of a child includes its parent
// and its own children.
func peak(tb testing.TB, repo, program string, args ...string) (most float64) {
	tb.Helper()
	if runtime.GOOS != "linux" {
		tb.Skip("the memory of another process is read from Linux's /proc")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = repo
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case <-done: // it may well fail
			return most
		case <-time.After(2 * time.Millisecond):
			most = max(most, highWater(cmd.Process.Pid))
		}
	}
}

func highWater(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kB float64
	_, _ = fmt.Sscan(rest, &kB)
	return kB / 1024
}
