//go:build unix

package gitplan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/race"
	"github.com/git-plan/git-plan/testdata/texts"
)

// Texts for which parsers of Markdown or code spans are known to take quadratic time.
func TestHostileTextsAreLinear(t *testing.T) {
	race.Skip(t)
	long := hostileTexts(8 * hostileSize)
	for name, short := range hostileTexts(hostileSize) {
		linear(t, "parse of "+name, []byte(short), []byte(long[name]), func(text []byte) {
			if p, err := plan.Parse(text); err == nil && p == nil {
				t.Fatal("neither plan nor error")
			}
		})
	}
}

const hostileSize = 1 << 13

// The same texts as lists of boxes, and texts that could only be slow to import.
func TestHostileImportsAreLinear(t *testing.T) {
	race.Skip(t)
	long := hostileTexts(8 * hostileSize)
	for name, short := range hostileTexts(hostileSize) {
		linear(t, "import of "+name, []byte(short), []byte(long[name]), func(text []byte) { _, _ = form.Import("", text, form.Checklist) })
	}
	long = hostileImports(8 * hostileSize)
	for name, short := range hostileImports(hostileSize) {
		linear(t, "import of "+name, []byte(short), []byte(long[name]), func(text []byte) { _, _ = form.Import("", text, "") })
	}
}

func hostileImports(size int) map[string]string {
	repeat := strings.Repeat
	texts := map[string]string{}
	for name, step := range map[string]string{
		"sections":            "### Task %d: Do it\n\n**Files:**\n- Modify: `a.go`\n\n- [ ] a\n",
		"fields":              "### Task %d: Do it\n**File**: `a.go`\n**Action**: create\n**Dependencies**: Task 1\n",
		"marks":               "- [ ] T%03d [P] [US1] Do it (depends on T001)\n",
		"phases":              "## Phase %d\n\n### Sub\n\n- [ ] T001 [P] Do it\n  - Timeout: soon\n",
		"needs":               "- [ ] %d.1 Do it\n  - Needs: 1.1\n  - Needs: 1.1\n",
		"needs in prose":      "depends on T001, T002, %d",
		"one step's headings": "#### %d. Head\n",
	} {
		var b strings.Builder
		for n := range size >> 5 {
			fmt.Fprintf(&b, step, n+1)
		}
		texts["many "+name] = "# T\n- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 " + b.String()
	}
	texts["JSON, deep"] = repeat(`{"a":[`, size>>1)
	texts["JSON, wide"] = `{"steps": [` + repeat(`{"description": "a", "needs": [1]},`, size>>5) + `]}`
	texts["JSON, many members"] = `{"steps": ["a"]` + repeat(`, "": 1`, size>>3) + `}`
	texts["JSON, commas"] = `{"steps": ["a"` + repeat(`, /* */ `, size>>3) + `]}`
	return texts
}

func hostileTexts(size int) map[string]string {
	repeat := strings.Repeat
	var runs, stairs, needs strings.Builder
	for n := 1; runs.Len() < size; n++ {
		runs.WriteString(repeat("`", n) + " ")
	}
	for n := 0; stairs.Len() < size; n++ {
		stairs.WriteString(repeat("  ", n) + "- a\n")
	}
	for n := range size >> 3 {
		fmt.Fprintf(&needs, "#s%d, ", n)
	}
	out := map[string]string{
		"nested lists":          repeat("- ", size) + repeat("\n", size),
		"nested quotes":         repeat(">", size) + "a\n" + repeat("b\n", size),
		"ever deeper lists":     stairs.String(),
		"runs of backticks":     "- [ ] a\n  - Check: " + runs.String(),
		"runs in files":         "- [ ] a\n  - Files: " + runs.String() + ",",
		"runs in a title":       "- [ ] * " + runs.String(),
		"pairs of backticks":    "- [ ] a\n  - Check: " + repeat("`a`;", size),
		"stars":                 "- [ ] " + repeat("*a _b ", size>>3),
		"brackets":              "- [ ] " + repeat("[", size),
		"definitions":           repeat("[a]: b '\n", size>>3),
		"open comments":         repeat("<!-- a\n", size>>3),
		"open tags":             repeat("<a\n", size>>3),
		"empty items":           repeat("-\n", 2*size),
		"one step, many fields": "- [ ] a\n" + repeat("  - Do: b\n", size>>3),
		"many equal titles":     repeat("- [ ] a\n", size>>3),
		"many states":           repeat("- [ ] a\n  - Status: blocked\n", size>>3),
		"many needs":            "- [ ] a\n  - Needs: " + needs.String() + "\n",
		"blank lines":           "- [ ] a\n" + repeat("\n", size) + "  b\n",
		"more blank lines":      "- [ ] a\n" + repeat("\n", 2*size) + "  b\n",
		"carriage returns":      "- [ ] a\n" + repeat("\r", size) + "\n" + repeat("\r\n", 2*size),
		"conflicts":             repeat("<<<<<<<\n", size>>3),
		"fences":                repeat("```\n- [ ] a\n```\n", size>>2) + "```",
		"another alphabet":      "- [ ] " + repeat("添", size),
	}
	for name, text := range out {
		out[name] = texts.Steps(text)
	}
	out["front matter"] = "---\n" + repeat("a: &a [*a, *a]\n", size>>4) + "---\n"
	out["nested front matter"] = "---\na: " + repeat("[", size>>1) + "\n---\n"
	out["headings"] = "# T\n" + repeat("## Rules\nx\n", size>>3)
	return out
}
