package gitplan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Texts on which parsers of Markdown, YAML or code spans are known to take
// time that grows with the square of their length. Each is some hundred kilobytes or
// more and takes well under a second when parsing is linear, and far longer when it is not;
// the bound leaves room for a slow machine.
func TestHostileTextsAreLinear(t *testing.T) {
	withoutRace(t)
	for name, text := range hostileTexts() {
		inTime(t, name, len(text), func() {
			if p, err := Parse([]byte(text)); err == nil && p == nil {
				t.Fatal("neither plan nor error")
			}
		})
	}
}

// Commits that each revert the one below many times over: who followed all of that
// would never end. Twice as many commits are twice the work, on the branch or off it.
func TestHostileRevertsEnd(t *testing.T) {
	work := func(count int, onBranch bool) float64 {
		var commits []git.Commit
		all := map[string]git.Commit{}
		for i := range count {
			below, message := fmt.Sprintf("%040d", i), "x\n\nPlan-Step: p/a\n"
			if i > 0 {
				message = strings.Repeat("This reverts commit "+below+".\n", 100)
			}
			c := git.Commit{OID: fmt.Sprintf("%040d", i+1), Parents: []string{below}, Message: message}
			commits, all[c.OID] = append([]git.Commit{c}, commits...), c
		}
		if !onBranch {
			commits = commits[:1]
		}
		return testing.AllocsPerRun(1, func() {
			Derive(&Plan{ID: "p", Steps: []Step{{ID: "a"}}}, nil, commits, func(oid string) (git.Commit, bool) {
				c, ok := all[oid]
				return c, ok
			})
		})
	}
	for _, onBranch := range []bool{true, false} {
		if once, twice := work(200, onBranch), work(400, onBranch); twice > 2.3*once {
			t.Errorf("on the branch: %v; twice as many commits are %.1f times the work", onBranch, twice/once)
		}
	}
}

// The same texts as lists of boxes, and texts that only importers could be slow on.
func TestHostileImportsAreLinear(t *testing.T) {
	withoutRace(t)
	for name, text := range hostileTexts() {
		inTime(t, name, len(text), func() { _, _ = Import("", []byte(text), FormChecklist) })
	}
	repeat := strings.Repeat
	texts := map[string]string{}
	for name, step := range map[string]string{
		"sections":            "### Task %d: Do it\n\n**Files:**\n- Modify: `a.go`\n\n- [ ] a\n",
		"fields":              "### Task %d: Do it\n**File**: `a.go`\n**Action**: create\n**Dependencies**: Task 1\n",
		"marks":               "- [ ] T%03d [P] [US1] Do it (depends on T001)\n",
		"phases":              "## Phase %d\n\n### Sub\n\n- [ ] T001 [P] Do it\n  - Timeout: soon\n",
		"needs":               "- [ ] %d.1 Do it\n  - Needs: 1.1\n  - Needs: 1.1\n",
		"words that need":     "depends on T001, T002, %d",
		"one step's headings": "#### %d. Head\n",
	} {
		var b strings.Builder
		for n := range 5_000 {
			fmt.Fprintf(&b, step, n+1)
		}
		texts["many "+name] = "# T\n- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 " + b.String()
	}
	texts["JSON, deep"] = repeat(`{"a":[`, 1<<17)
	texts["JSON, wide"] = `{"steps": [` + repeat(`{"description": "a", "needs": [1]},`, 1<<13) + `]}`
	texts["JSON, many members"] = `{"steps": ["a"]` + repeat(`, "": 1`, 1<<15) + `}`
	texts["JSON, commas"] = `{"steps": ["a"` + repeat(`, /* */ `, 1<<15) + `]}`
	for name, text := range texts {
		inTime(t, name, len(text), func() { _, _ = Import("", []byte(text), "") })
	}
}

// withoutRace skips a test of one goroutine and many large texts under the race
// detector, which makes it ten times as long and finds nothing in it: make test
// runs these without it.
func withoutRace(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("runs without the race detector")
	}
}

func inTime(t *testing.T, name string, size int, do func()) {
	t.Helper()
	const bound = 10 * time.Second
	began := time.Now()
	do()
	took := time.Since(began)
	if testing.Verbose() {
		t.Logf("%s: %v", name, took)
	}
	if took > bound {
		t.Errorf("%s: %d bytes take %v", name, size, took)
	}
}

func hostileTexts() map[string]string {
	repeat := strings.Repeat
	var runs, stairs, needs strings.Builder
	for n := 1; runs.Len() < 1<<18; n++ {
		runs.WriteString(repeat("`", n) + " ")
	}
	for n := 0; stairs.Len() < 1<<18; n++ {
		stairs.WriteString(repeat("  ", n) + "- a\n")
	}
	for n := range 50_000 {
		fmt.Fprintf(&needs, "#s%d, ", n)
	}
	texts := map[string]string{
		"nested lists":          repeat("- ", 1<<18) + repeat("\n", 1<<18),
		"nested quotes":         repeat(">", 1<<18) + "a\n" + repeat("b\n", 1<<18),
		"lists like stairs":     stairs.String(),
		"runs of backticks":     "- [ ] a\n  - Check: " + runs.String(),
		"runs in files":         "- [ ] a\n  - Files: " + runs.String() + ",",
		"runs in a title":       "- [ ] * " + runs.String(),
		"pairs of backticks":    "- [ ] a\n  - Check: " + repeat("`a`;", 1<<18),
		"stars":                 "- [ ] " + repeat("*a _b ", 1<<15),
		"brackets":              "- [ ] " + repeat("[", 1<<18),
		"definitions":           repeat("[a]: b '\n", 1<<15),
		"open comments":         repeat("<!-- a\n", 1<<15),
		"open tags":             repeat("<a\n", 1<<15),
		"empty items":           repeat("-\n", 1<<19),
		"one step, many fields": "- [ ] a\n" + repeat("  - Do: b\n", 1<<15),
		"many equal titles":     repeat("- [ ] a\n", 1<<15),
		"many states":           repeat("- [ ] a\n  - Status: blocked\n", 1<<15),
		"many needs":            "- [ ] a\n  - Needs: " + needs.String() + "\n",
		"blank lines":           "- [ ] a\n" + repeat("\n", 1<<18) + "  b\n",
		"more blank lines":      "- [ ] a\n" + repeat("\n", 1<<19) + "  b\n",
		"carriage returns":      "- [ ] a\n" + repeat("\r", 1<<18) + "\n" + repeat("\r\n", 1<<19),
		"conflicts":             repeat("<<<<<<<\n", 1<<15),
		"fences":                repeat("```\n- [ ] a\n```\n", 1<<16) + "```",
		"another alphabet":      "- [ ] " + repeat("添", 1<<18),
	}
	for name, text := range texts {
		texts[name] = steps(text)
	}
	texts["front matter"] = "---\n" + repeat("a: &a [*a, *a]\n", 500) + "---\n"
	texts["nested front matter"] = "---\na: " + repeat("[", 8_000) + "\n---\n"
	texts["headings"] = "# T\n" + repeat("## Rules\nx\n", 1<<15)
	return texts
}
