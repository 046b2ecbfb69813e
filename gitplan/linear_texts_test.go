package gitplan

import (
	"fmt"
	"strings"
)

// grows is a kind of long text: a head, and as many pieces as its size needs.
type grows struct {
	name string
	unit func(i int) string // the i-th piece
	head string
	tail string

	title bool // the head ends with a word that is half of the text
}

const ownHead = "# T\n\n## Steps\n"

var growing = []grows{
	{name: "steps", head: ownHead, unit: func(i int) string {
		return fmt.Sprintf("- [ ] **Step number %d** {#step-%d}\n  - Files: `src/a%d.go`, `src/b%d.go`\n  - Do: change it\n  - Check: `./x%d.sh`; it says so\n", i, i, i, i, i)
	}},
	{name: "modify", head: ownHead, unit: func(i int) string {
		return fmt.Sprintf("- [ ] Step number %d\n  - Files: `src/a%d.go`\n  - Action: modify\n", i, i)
	}},
	{name: "tiny steps", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a%d\n", i) }},
	{name: "equal titles", head: ownHead, unit: func(i int) string { return "- [ ] a\n" }},
	{name: "almost equal titles", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a\n- [ ] a %d\n", i%7) }},
	{name: "duplicate ids", head: ownHead, unit: func(i int) string { return "- [ ] a {#a}\n" }},
	{name: "needs of 300", head: ownHead, unit: func(i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "- [ ] a {#s%d}\n  - Needs: none", i)
		if i > 0 {
			b.Reset()
			fmt.Fprintf(&b, "- [ ] a {#s%d}\n  - Needs: ", i)
			for n := max(0, i-300); n < i; n++ {
				fmt.Fprintf(&b, "#s%d, ", n)
			}
		}
		return b.String() + "\n"
	}},
	{name: "far needs", head: ownHead + "- [ ] a {#s0}\n", unit: func(i int) string {
		return fmt.Sprintf("- [ ] a {#s%d}\n  - Needs: #s%d\n", i+1, i/2)
	}},
	{name: "backward chain", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a {#s%d}\n  - Needs: #s%d\n", i, i+1) }, tail: "- [ ] z {#%END}\n  - Needs: none\n"},
	{name: "unknown needs", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a {#s%d}\n  - Needs: #t%d\n", i, i) }},
	{name: "statuses", head: ownHead, unit: func(i int) string { return "- [ ] a\n  - Status: blocked - b\n" }},
	{name: "broken fields", head: ownHead, unit: func(i int) string { return fmt.Sprintf("- [ ] a%d\n  - Timeout: soon\n", i) }},
	{name: "boxes in one step", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "  - [ ] b\n" }},
	{name: "files in one step", head: ownHead + "- [ ] a\n  - Files: ", unit: func(i int) string { return fmt.Sprintf("`a%d`, ", i) }},
	{name: "near-miss headings", head: ownHead + "- [ ] a\n", unit: func(i int) string { return fmt.Sprintf("## Verificatio%c\n", 'a'+i%26) }},
	{name: "near-miss fields", head: ownHead + "- [ ] a\n", unit: func(i int) string { return fmt.Sprintf("  - Descriptio%c: b\n", 'a'+i%26) }},
	{name: "sections", head: ownHead + "- [ ] a\n", unit: func(i int) string { return fmt.Sprintf("## S%d\nx\n", i) }},
	{name: "equal sections", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "## S\nx\n" }},
	{name: "steps sections", head: "# T\n", unit: func(i int) string { return "## Steps\n- [ ] a\n" }},
	{name: "sub headings", head: ownHead, unit: func(i int) string { return fmt.Sprintf("### S%d\n- [ ] a\n", i) }},
	{name: "setext", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return "x\n---\n" }},
	{name: "nested boxes", head: ownHead, unit: func(i int) string {
		var b strings.Builder
		for n := range 40 {
			b.WriteString(strings.Repeat("  ", n) + "- [ ] a\n")
		}
		return b.String()
	}},
	{name: "one deep nest", head: ownHead, unit: func(i int) string { return strings.Repeat("  ", i%2000) + "- [ ] a\n" }},
	{name: "fences", head: ownHead, unit: func(i int) string { return "- [ ] a\n  ```\n  - [ ] b\n  ```\n" }},
	{name: "open fences", head: ownHead, unit: func(i int) string { return "- [ ] a\n  ```\n  - [ ] b\n" }},
	{name: "top fences", head: ownHead, unit: func(i int) string { return "- [ ] a\n\n```\n- [ ] b\n```\n" }},
	{name: "one open fence", head: ownHead + "- [ ] a\n\n```\n", unit: func(i int) string { return "### Task 2: a\n- [ ] b\n" }},
	{name: "quotes", head: ownHead, unit: func(i int) string { return "> - [ ] a\n> b\n" }},
	{name: "deep quotes", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return strings.Repeat(">", i%200) + "a\n" }},
	{name: "comments", head: ownHead, unit: func(i int) string { return "- [ ] a\n\n<!-- a -->\n" }},
	{name: "open comments in steps", head: ownHead, unit: func(i int) string { return "- [ ] a\n  <!-- a\n" }},
	{name: "one open comment", head: ownHead + "- [ ] a\n\n<!--\n", unit: func(i int) string { return "- [ ] a\n" }},
	{name: "html", head: ownHead, unit: func(i int) string { return "- [ ] a\n\n  <div>\n" }},
	{name: "pre", head: ownHead, unit: func(i int) string { return "- [ ] a\n\n  <pre>\n" }},
	{name: "links", head: ownHead, unit: func(i int) string { return "- [ ] [a](b) [c][d] ![e](f \"g\")\n" }},
	{name: "emphasis", head: ownHead, unit: func(i int) string { return "- [ ] **a** *b* _c_ **d\n" }},
	{name: "definitions", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return fmt.Sprintf("[a%d]: b\n", i) }},
	{name: "open definitions", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return "[a]: b '\n" }},
	{name: "CRLF", head: "# T\r\n\r\n## Steps\r\n", unit: func(i int) string { return "- [ ] a\r\n  - Do: b\r\n" }},
	{name: "one line", head: ownHead + "- [ ] ", unit: func(i int) string { return "word " }},
	{name: "one line of marks", head: ownHead + "- [ ] ", unit: func(i int) string { return "*a _b ` [c](" }},
	{name: "one line in a body", head: ownHead + "- [ ] a\n  - Do: ", unit: func(i int) string { return "word: `x`; " }},
	{name: "one paragraph", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return "word\n" }},
	{name: "lazy paragraph", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "word\n" }},
	{name: "blank lines", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "\n" }},
	{name: "blank lines and bullets", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "\n\n\n- b\n" }},
	{name: "empty items", head: ownHead + "- [ ] a\n", unit: func(i int) string { return "-\n" }},
	{name: "tables", head: ownHead + "- [ ] a\n\n", unit: func(i int) string { return "| a | b |\n" }},
	{name: "checks", head: ownHead + "- [ ] a\n\n## Checks\n", unit: func(i int) string { return fmt.Sprintf("- `true %d`\n", i) }},
	{name: "lookalikes", head: ownHead + "- [x] a\n", unit: func(i int) string { return "  -[ ] b\n  - [] c\n" }},
	{name: "lookalike steps", head: ownHead + "- [x] a\n", unit: func(i int) string { return "-[ ] b\n" }},
	{name: "no-break", head: ownHead + "- [x] a\n", unit: func(i int) string { return "-\u00a0[ ] b\n" }},
	{name: "ralphex", head: "# T\n\n## Implementation Steps\n\n", unit: func(i int) string {
		return fmt.Sprintf("### Task %d: Do it\n\n**Files:**\n- Modify: `a.go`\n\n- [ ] a\n- [ ] run tests\n\n", i+1)
	}},
	{name: "ralphex parts", head: "# T\n\n", unit: func(i int) string {
		return fmt.Sprintf("## Part %d\n\n### Task %d: Do it\n\n- [ ] a\n\n#### Note\n\nx\n\n", i, i+1)
	}},
	{name: "ralphex level 2", head: "# T\n\n", unit: func(i int) string { return fmt.Sprintf("## Task %d: Do it\n\n- [ ] a\n\n", i+1) }},
	{name: "ralphex plus deep", head: "# T\n\n### Task 1: a\n", unit: func(i int) string { return "#### x\n- [ ] a\n" }},
	{name: "unread tasks", head: "# T\n\n### Task 1: a\n- [ ] a\n", unit: func(i int) string { return "### Task :C\n- [ ] a\n" }},
	{name: "planner", head: "# Plan: T\n\n## Overview\nx\n\n", unit: func(i int) string {
		return fmt.Sprintf("### Task %d: Do it\n**File**: `a.go`\n**Action**: create\n**Command**: `true`\n**Description**: x\n**Success Criteria**:\n- `a`\n**Dependencies**: Task 1\n\n", i+1)
	}},
	{name: "spec-kit", head: "# Tasks: T\n\n## Phase 1\n\n", unit: func(i int) string { return fmt.Sprintf("- [ ] T%03d [P] [US1] Do it in src/a%d.go\n", i+1, i) }},
	{name: "spec-kit phases", head: "# Tasks: T\n\n", unit: func(i int) string {
		return fmt.Sprintf("## Phase %d\n\n- [ ] T%03d Do\n- [ ] T%03d [P] [US1] Do it (depends on T%03d)\n", i, 2*i+1, 2*i+2, 2*i+1)
	}},
	{name: "openspec", head: "# T\n\n", unit: func(i int) string {
		return fmt.Sprintf("## %d. Head\n- [ ] %d.1 Do it\n- [ ] %d.2 Do more\n", i+1, i+1, i+1)
	}},
	{name: "checklist", head: "", unit: func(i int) string { return fmt.Sprintf("- [ ] do thing %d\n", i) }},
	{name: "checklist groups", head: "", unit: func(i int) string { return fmt.Sprintf("## G%d\n- group\n  - [ ] do thing %d\n", i, i) }},
	{name: "long heading above many", head: ownHead + "- [ ] a\n\n## ", title: true, unit: func(i int) string { return "### h\n- [ ] a\n" }},
	{name: "ralphex under a long heading", head: "# T\n\n## ", title: true, unit: func(i int) string { return "### Task 1: a\n- [ ] b\n" }},
	{name: "ralphex bold fields in a list", head: "# T\n\n### Task 1: a\n- x\n", unit: func(i int) string { return "**Files**: `a`\n" }},
	{name: "statuses that change the last", head: ownHead, unit: func(i int) string { return "- [ ] a\n  - Status: blocked - b\n" }, tail: "- [ ] z\n  - Status: blocked\n\n        code\n"},
	{name: "json", head: `{"summary": "s", "steps": [{"description": "a"}`, unit: func(i int) string {
		return fmt.Sprintf(`, {"order": %d, "description": "do thing %d", "files_to_modify": ["a%d.go"], "validation": ["`+"`go test`"+`"], "needs": [1]}`, i+2, i, i)
	}, tail: "]}"},
	{name: "json headings", head: `{"summary": "s`, unit: func(i int) string { return `## a\nb\n---\n` }, tail: `", "steps": ["a"]}`},
	{name: "json members", head: `{"steps": ["a"]`, unit: func(i int) string { return fmt.Sprintf(`, "m%d": "# x"`, i) }, tail: `}`},
}

func (g grows) text(size int) string {
	var b strings.Builder
	b.WriteString(g.head)
	if g.title {
		b.WriteString(strings.Repeat("h", size/2) + "\n")
	}
	i := 0
	for ; b.Len() < size; i++ {
		b.WriteString(g.unit(i))
	}
	b.WriteString(strings.ReplaceAll(g.tail, "%END", fmt.Sprintf("s%d", i)))
	return b.String()
}
