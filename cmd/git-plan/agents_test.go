package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// agentsDir contains what `make agents` needs: the stories, the homes of the command lines, the model server.
var agentsDir = filepath.Join("..", "..", "testdata", "agents")

// TestAgents plays testdata/agents/stories with the real command lines, each against a scripted model server.
// `make agents` sets AGENTS to where they are, as testdata/agents/install.sh prints it, and MODELS to the
// server program.
func TestAgents(t *testing.T) {
	eachAgent(t, func(t *testing.T, c commandLine, table *outcomes) { c.play(t, table, "stories", nil) })
}

// eachAgent plays with each installed command line, as far as it can.
func eachAgent(t *testing.T, play func(*testing.T, commandLine, *outcomes)) {
	installed := os.Getenv("AGENTS")
	if installed == "" {
		t.Skip("needs the real command lines: make agents")
	}
	table := &outcomes{}
	t.Cleanup(func() { table.print() })
	for _, line := range strings.Split(strings.TrimSpace(installed), "\n") {
		name, rest, _ := strings.Cut(line, "\t")
		version, program, _ := strings.Cut(rest, "\t")
		c := commandLine{name: name, version: version, program: program}
		if slices.Contains(native, name) {
			c.acp = name == "gemini"
			play(t, c, table)
		}
		if _, c.acp = inACP[name]; c.acp {
			play(t, c, table)
		}
	}
}

// native are the command lines that have a dialect of their own, and inACP those that speak the
// Agent Client Protocol, with the arguments for that. gemini
// always does.
var (
	native = []string{"claude", "codex", "gemini", "opencode"}
	inACP  = map[string]string{"opencode": " acp", "copilot": " --acp", "qwen": " --acp"}
)

// commandLine is an installed command line, and whether it is driven by the Agent Client Protocol.
type commandLine struct {
	name, version, program string
	acp                    bool
}

// row is its name in the table and in conditions.
func (c commandLine) row() string {
	if c.acp && c.name != "gemini" {
		return c.name + "-acp"
	}
	return c.name
}

// play plays the stories of a folder, unless AGENTS_ONLY names others, with additional story commands.
func (c commandLine) play(t *testing.T, table *outcomes, stories string, more map[string]func(*testscript.TestScript, bool, []string)) {
	only := strings.Fields(os.Getenv("AGENTS_ONLY"))
	if len(only) > 0 && !slices.Contains(only, c.row()) {
		return
	}
	t.Run(c.row(), func(t *testing.T) {
		t.Parallel()
		cmds := map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "begin": begin, "await": await, "signal": signalPlan, "nothing-runs": nothingRuns,
		}
		maps.Copy(cmds, more)
		testscript.RunT(observed{T: t, table: table, row: c.row()}, testscript.Params{
			Dir: filepath.Join(agentsDir, stories), Cmds: cmds, Setup: c.setup, RequireExplicitExec: true,
			Condition: func(cond string) (bool, error) { return cond == c.row() || cond == "acp" && c.acp, nil },
		})
	})
}

// setup makes the world of a story: the home of a person who has set up this
// command line to use the model server of this story.
func (c commandLine) setup(e *testscript.Env) error {
	if err := world(e); err != nil {
		return err
	}
	address, err := c.serve(e)
	if err != nil {
		return err
	}
	home := e.Getenv("HOME")
	from := filepath.Join(agentsDir, "homes", c.name)
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b = bytes.ReplaceAll(b, []byte("${MODELS}"), []byte(address))
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if rel == "env" {
			for _, kv := range strings.Fields(string(b)) {
				name, value, _ := strings.Cut(kv, "=")
				e.Setenv(name, value)
			}
			return nil
		}
		to := filepath.Join(home, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
	if err != nil {
		return err
	}
	key, program := "program", c.program
	if c.acp && c.name != "gemini" {
		key, program = "acp", c.program+inACP[c.name]
	}
	config := fmt.Sprintf("[user]\n\tname = Someone\n\temail = someone@example.com\n[init]\n\tdefaultBranch = main\n"+
		"[plan]\n\tagent = %s\n\twaitOnLimit = 20s\n[planAgent %q]\n\t%s = %s\n", c.name, c.name, key, program)
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	e.Setenv("AGENT_NAME", c.name)
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644)
}

// serve starts the story's model server, which ends with the story, and returns its address. A process that
// is still alive then was left behind.
func (c commandLine) serve(e *testscript.Env) (string, error) {
	server := exec.Command(os.Getenv("MODELS"), "-script", "models.json", "-log", "requests")
	server.Dir = e.WorkDir
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	e.Defer(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if left := leftBehind(e.Getenv("STORY")); len(left) > 0 {
			e.T().Log("left behind: ", strings.Join(left, "; "))
			e.T().FailNow()
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(address), err
}

// process is a running program that was started by a story, as its environment shows. It works only on Linux.
type process struct {
	pid, parent int
	command     string
}

func processesOf(story string) []process {
	var found []process
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "STORY="+story) {
			continue
		}
		var p process
		dir := filepath.Dir(path)
		_, _ = fmt.Sscan(filepath.Base(dir), &p.pid)
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		p.command = fmt.Sprintf("%.120s", bytes.ReplaceAll(command, []byte{0}, []byte{' '}))
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
		var state string // after the name, which is in parentheses
		_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &p.parent)
		if p.pid > 0 && state != "Z" {
			found = append(found, p)
		}
	}
	return found
}

// leftBehind ends and names the processes that outlive the story or test that started them.
func leftBehind(story string) []string {
	var left []string
	for _, p := range processesOf(story) {
		left = append(left, fmt.Sprint(p.pid, " ", p.command))
		_ = end(p.pid, os.Kill)
	}
	return left
}

func end(pid int, sig os.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(sig)
}

// nothingRuns expects that no process of the story is left.
func nothingRuns(ts *testscript.TestScript, _ bool, _ []string) {
	if left := leftBehind(ts.Getenv("STORY")); len(left) > 0 {
		ts.Fatalf("still running: %s", strings.Join(left, "; "))
	}
}

// signalPlan sends a signal to the git plan that works in this repository: INT,
// as Ctrl-C would, or KILL, to it and to the agent that it drives.
func signalPlan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: signal INT|KILL")
	}
	locks, err := filepath.Glob(ts.MkAbs(".git/plan/*/lock.json"))
	ts.Check(err)
	if len(locks) != 1 {
		ts.Fatalf("no session is at work here")
	}
	b, err := os.ReadFile(locks[0])
	ts.Check(err)
	var holder struct{ PID int }
	ts.Check(json.Unmarshal(b, &holder))
	if args[0] == "INT" {
		ts.Check(end(holder.PID, os.Interrupt))
		return
	}
	children := processesOf(ts.Getenv("STORY"))
	ts.Check(end(holder.PID, os.Kill))
	for _, p := range children {
		if p.parent == holder.PID {
			_ = end(p.pid, os.Kill)
		}
	}
}

// begin makes the repository of a story, enters it, and approves plan.md if the story has one.
func begin(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.MkdirAll(ts.MkAbs("repo"), 0o755))
	plan := ts.MkAbs("plan.md")
	ts.Check(ts.Chdir("repo"))
	ts.Check(os.WriteFile(ts.MkAbs("readme"), []byte("a repository\n"), 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "one"}} {
		ts.Check(ts.Exec("git", args...))
	}
	if _, err := os.Stat(plan); err == nil {
		ts.Check(ts.Exec("git", "plan", "new", "-F", plan, "--yes"))
	}
}

// await waits until a file exists.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FILE")
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s does not appear", args[0])
		}
	}
}

// observed is a test whose stories are recorded in a table.
type observed struct {
	*testing.T
	table *outcomes
	row   string
	story string
	began *time.Time
}

func (o observed) Verbose() bool { return testing.Verbose() }

// Parallel waits for its turn, which does not count towards the story's time.
func (o observed) Parallel() {
	o.T.Parallel()
	*o.began = time.Now()
}

func (o observed) Run(story string, f func(testscript.T)) {
	o.T.Run(story, func(t *testing.T) {
		s := observed{t, o.table, o.row, story, new(time.Time)}
		t.Cleanup(func() { o.table.add(o.row, story, t, time.Since(*s.began)) })
		f(s)
	})
}

// Skip records why a story is skipped.
func (o observed) Skip(args ...any) {
	o.table.why(o.row, o.story, strings.TrimSpace(fmt.Sprintln(args...)))
	o.T.Skip(args...)
}

// outcomes is the table of stories and command lines.
type outcomes struct {
	mu            sync.Mutex
	rows, columns []string
	cells         map[[2]string]string
	notes         []string
}

func (o *outcomes) add(row, column string, t *testing.T, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cells == nil {
		o.cells = map[[2]string]string{}
	}
	if !slices.Contains(o.rows, row) {
		o.rows = append(o.rows, row)
	}
	if !slices.Contains(o.columns, column) {
		o.columns = append(o.columns, column)
	}
	cell := fmt.Sprintf("%.0f s", took.Seconds())
	switch {
	case t.Failed():
		cell = "FAILED"
	case t.Skipped():
		cell = "-"
	}
	o.cells[[2]string{row, column}] = cell
	fmt.Printf("%s %s: %s\n", row, column, cell) // finished rows are known, however the rest ends
}

func (o *outcomes) why(row, column, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, fmt.Sprintf("%s cannot do %s here: %s", row, column, reason))
}

func (o *outcomes) print() {
	slices.Sort(o.columns)
	slices.Sort(o.rows)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n\t%s\n", strings.Join(o.rows, "\t"))
	for _, c := range o.columns {
		line := c
		for _, r := range o.rows {
			line += "\t" + o.cells[[2]string{r, c}]
		}
		fmt.Fprintln(w, line)
	}
	w.Flush()
	for _, n := range o.notes {
		fmt.Println(n)
	}
}
