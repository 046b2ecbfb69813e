package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
)

// model is an average model: at a step it reads five files, of those with more than 300 lines three
// definitions, edits twice, runs the tests once while they fail, and ends the session together with its last
// edit.
type model struct {
	tree string
	ids  atomic.Int64
}

// says is what it says in each turn, beside its calls.
const says = "I will look at this part of the code first, so that the change fits the conventions of the package, and then decide on the smallest edit that does what the step asks for."

func (m *model) call(name string, args map[string]any) (c call) {
	text, _ := json.Marshal(args)
	c.ID, c.Type = fmt.Sprintf("call_%d", m.ids.Add(1)), "function"
	c.Function.Name, c.Function.Args = name, string(text)
	return c
}

// script is the behaviour of a session, one item per turn.
type script [][]call

func (m *model) read(paths ...string) (calls []call) {
	for _, p := range paths {
		for _, name := range definitions[p] {
			calls = append(calls, m.call("read_file", map[string]any{"path": p, "symbol": name}))
		}
		if definitions[p] == nil {
			calls = append(calls, m.call("read_file", map[string]any{"path": p}))
		}
	}
	return calls
}

// definitions are the parts that are read of files with more than 300 lines.
var definitions = map[string][]string{
	"prometheus/counter.go":      {"counter", "Add", "Write"},
	"prometheus/counter_test.go": {"TestCounterAdd", "TestCounterVecGetMetricWithInvalidLabelValues", "expectPanic"},
	"prometheus/gauge.go":        {"gauge", "Set", "Write"},
	"prometheus/registry.go":     {"Registry", "Register", "Unregister"},
	"prometheus/summary.go":      {"summary", "Observe", "Write"},
	"prometheus/vec.go":          {"MetricVec", "NewMetricVec", "getOrCreateMetricWithLabelValues"},
}

func (m *model) search(pattern string) call {
	return m.call("search", map[string]any{"pattern": pattern})
}

// answers are its calls in one turn.
func (m *model) answers(role, user string, turn int) []call {
	var s script
	switch role {
	case "planner":
		s = m.plan()
	case "executor":
		s = m.execute(user)
	case "reviewer":
		s = m.review(user)
	case "verifier":
		s = m.verify(user)
	case "fixer":
		s = m.fix(user)
	}
	return s[min(turn, len(s)-1)]
}

func (m *model) plan() script {
	s := script{{m.call("list_files", map[string]any{"depth": 3})}}
	s = append(s, append(m.read(core...), m.search(`func \(.*\) Reset`), m.search("valBits")))
	return append(s, []call{m.call("submit_plan", map[string]any{"plan": planText()})})
}

var stepLine = regexp.MustCompile(`(?m)^Step: s(\d+)`)

func (m *model) execute(user string) (list script) {
	var n int
	_, _ = fmt.Sscan(lastOf(stepLine, user), &n)
	s := stepOf(max(n, 1) - 1)
	if !strings.Contains(user, "prometheus/promauto") { // it has no map of the repository
		list = append(list, []call{m.call("list_files", map[string]any{})})
	}
	look := []call{m.search("valBits")}
	for _, p := range s.reads {
		if !strings.Contains(user, longest(m.original(p))) {
			look = append(look, m.read(p)...)
		}
	}
	list = append(list, look)
	end := lastLines(m.original(s.code), 8)
	list = append(list, []call{m.call("edit_file", map[string]any{"path": s.code, "old": end, "new": end + codeOf(s.n)})},
		[]call{m.call("write_file", map[string]any{"path": s.test, "content": testOf(s.n)})},
		[]call{m.call("run_command", map[string]any{"command": "sh ci/test.sh fail"})})
	return append(list, []call{m.call("edit_file", map[string]any{"path": s.code, "old": end, "new": end + fmt.Sprintf("// Reset%dx60 is the last.\n", s.n)}),
		m.call("finish", map[string]any{"status": "done", "subject": "Let " + s.name + " be reset",
			"summary": s.name + " has Reset, which takes the lock and sets the values to zero; the tests cover the empty and the concurrent case.",
			"did":     "func (c *" + s.name + ") Reset() in " + s.code, "why": "atomics, as the rest of the file"})})
}

func (m *model) review(user string) script {
	first := lastOf(roundLine, user) == "1"
	look := m.read("prometheus/counter.go")
	if first {
		look = append(m.read("prometheus/counter.go", "prometheus/gauge.go", "prometheus/metric.go"), m.search(`Reset\(`), m.search("valBits"))
	}
	findings := []any{}
	who := map[string]int{"quality": 1, "testing": 7, "fidelity": 13}[lastOf(whoLine, user)]
	if first && who > 0 {
		findings = append(findings, map[string]any{"category": "correctness", "severity": "high", "file": "prometheus/counter.go",
			"quote": resetLine(who), "title": fmt.Sprintf("value %d is reset without the lock", who), "trigger": "two goroutines, one adds while the other resets", "remedy": "fix",
			"detail": "Another goroutine that adds at the same time loses what it added, since the store is not a compare and swap; the lock that the step asks for is not taken."})
	}
	return append(script{look}, []call{m.call("submit_review", map[string]any{"covered": submatches(coveredLine, user), "findings": findings})})
}

var (
	coveredLine = regexp.MustCompile(`(?m)^=== (\S+)`)
	claimLine   = regexp.MustCompile(`(?m)^\S* *(?:\S+ )?[Ff]inding:? ([0-9a-f]{6,})`)
)

// submatches returns what a pattern finds, each text once.
func submatches(of *regexp.Regexp, text string) []string {
	list := []string{}
	for _, found := range of.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(list, found[1]) {
			list = append(list, found[1])
		}
	}
	return list
}

func (m *model) verify(user string) script {
	var answers []any
	for _, id := range submatches(claimLine, user) {
		answers = append(answers, map[string]any{"id": id, "answer": "confirmed", "quote": resetLine(1),
			"because": "The store is made without the lock, as the claim says; I followed both goroutines."})
	}
	s := script{append(m.read("prometheus/counter.go", "prometheus/metric.go"), m.search("Reset1x"))}
	return append(s, []call{m.call("submit_answers", map[string]any{"answers": answers})})
}

func (m *model) fix(user string) script {
	s := script{append(m.read("prometheus/counter_test.go"), m.call("read_file", map[string]any{"path": "prometheus/counter.go"}))}
	var edits []call
	for _, n := range []int{1, 7, 13} {
		edits = append(edits, m.call("edit_file", map[string]any{"path": "prometheus/counter.go", "old": resetLine(n),
			"new": fmt.Sprintf("// Reset1 part %d takes the lock and sets the value to zero.", n)}))
	}
	s = append(s, edits)
	var did []any
	for _, id := range submatches(claimLine, user) {
		did = append(did, map[string]any{"id": id, "disposition": "fixed", "because": "the lock is taken now"})
	}
	return append(s, []call{m.call("finish", map[string]any{"status": "done", "summary": "The lock is taken.", "subject": "Take the lock", "dispositions": did})})
}

// original returns a file as it was before the plan.
func (m *model) original(path string) string {
	text, _ := os.ReadFile(filepath.Join(m.tree, path))
	return string(text)
}

// longest returns the longest line of a text, which is probably unique.
func longest(text string) string {
	lines := strings.Split(text, "\n")
	return strings.TrimSpace(slices.MaxFunc(lines, func(a, b string) int { return len(a) - len(b) }))
}

func lastLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n-1):], "")
}

func resetLine(n int) string {
	return fmt.Sprintf("// Reset1x%d sets the value to zero; see atomicAdd%d.", n, n)
}

// codeOf and testOf return a step's additions: some 60 and 110 lines.
func codeOf(step int) string {
	var b strings.Builder
	for n := 1; n <= 60; n++ {
		switch {
		case n%6 == 1:
			fmt.Fprintf(&b, "\n// Reset%dx%d sets the value to zero; see atomicAdd%d.\n", step, n, n)
		case n%6 < 5:
			fmt.Fprintf(&b, "// c.valBits[%d] is set to 0 by atomic.StoreUint64\n", n)
		}
	}
	return b.String()
}

func testOf(step int) string {
	var b strings.Builder
	b.WriteString("package prometheus\n\nimport \"testing\"\n\n")
	for n := range 12 {
		fmt.Fprintf(&b, "func TestReset%dCase%d(t *testing.T) {\n\tc := newReset%d(t)\n\tc.Reset()\n\tif got := c.value(); got != 0 {\n\t\tt.Fatalf(\"got %%v, want 0\", got)\n\t}\n}\n\n", step, n, step)
	}
	return b.String()
}
