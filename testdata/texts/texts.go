// Package texts has plans for the tests of several packages.
package texts

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Steps is a plan with the given text under Steps; its first line is line 5.
func Steps(body string) string { return "# T\n\n## Steps\n\n" + body }

// Tricky are texts that a line-based parser gets wrong, each with an outline of its steps.
var Tricky = []struct{ Name, Text, Outline string }{
	{"a bare item", Steps("- [ ] a\n"), "[ ] a {a}"},
	{"no final newline", Steps("- [ ] a"), "[ ] a {a}"},
	{"star, plus and capital X", Steps("* [X] a\n\n+ [x] b"), "[x] a {a}\n[x] b {b}"},
	{"numbers", Steps("1. [ ] a\n2. [x] b\n"), "[ ] a {a}\n[x] b {b}"},
	{"numbers with a parenthesis", Steps("1) [ ] a\n2) [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a heading right below a field", Steps("+ [x] a\n  + Depends on:none\n  #"), "[x] a {a}"},
	{"a title that goes on with a bullet's mark", Steps("* [x] a\n\t\t* Run:"), "[x] a {a}"},
	{"a title that goes on with a heading's mark", Steps("* [x] a\n\t\t# b"), "[x] a {a}"},
	{"a title that goes on with a fence's mark", Steps("* [x] a\n\t\t```\n"), "[x] a {a}"},
	{"a title that goes on with a quote's mark", Steps("* [x] a\n\t\t> Run: `x`\n"), "[x] a {a}"},
	{"front matter of a tab", "---\n\t\n---\n" + Steps("- [ ] a\n"), "[ ] a {a}"},
	{"a tab behind the dash", Steps("-\t[ ] a\n-\t[ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a tab behind the box", Steps("- [ ]\ta\n"), "[ ] a {a}"},
	{"tabs as indentation", Steps("- [ ] a\n\t- Run: `x`\n"), "[ ] a {a} run=x"},
	{"the box on the second line", Steps("-\n  [ ] a\n"), "[ ] a {a}"},
	{"a marker alone behind a step", Steps("- [ ] a\n  - Status: blocked - b\n-\n  c\n"), "[ ] a {a} blocked(b)"},
	{"a dash alone under a blank line", Steps("- [ ] a\n\n  - \n"), "[ ] a {a}"},
	{"three blanks before the dash", Steps("   - [ ] a\n   - [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"four blanks are code", Steps("- [ ] a\n\npara\n\n    - [ ] b\n"), "[ ] a {a}"},
	{"a BOM indents nothing", "\ufeff 0\n00\n=\n## Steps\n0) [X] a\n   * Status: skipped", "[x] a {a} skipped()"},
	{"code in an item", Steps("- [ ] a\n-     [ ] b\n"), "[ ] a {a}"},
	{"CRLF", strings.ReplaceAll(Steps("- [ ] a {#x}\n  - Run: `y`\n- [x] b\n"), "\n", "\r\n"), "[ ] a {x} run=y\n[x] b {b}"},
	{"mixed line ends", "# T\r\n\n## Steps\r\n- [ ] a\r\n  - Run: `y`\n- [ ] b\r\n", "[ ] a {a} run=y\n[ ] b {b}"},
	{"BOM", "\ufeff" + Steps("- [ ] a\n"), "[ ] a {a}"},
	{"BOM and front matter", "\ufeff---\nplan: p\n---\n" + Steps("- [ ] a\n"), "[ ] a {a}"},
	{"front matter with a box in it", "---\nnote: |\n  ## Steps\n  - [ ] no\n---\n" + Steps("- [ ] a\n"), "[ ] a {a}"},
	{"empty front matter", "---\n---\n" + Steps("- [ ] a\n"), "[ ] a {a}"},
	{"setext headings", "T\n=\n\nSteps\n-----\n\n- [ ] a\n", "[ ] a {a}"},
	{"a setext heading of two lines is no Steps", "T\n=\n\nSteps\nfor later\n---\n- [ ] no\n\n## Steps\n- [ ] a\n", "[ ] a {a}"},
	{"closed headings", "# T #\n\n## Steps ##\n- [ ] a\n", "[ ] a {a}"},
	{"a heading in other case", "# T\n## sTEPS\n- [ ] a\n", "[ ] a {a}"},
	{"a bold heading with a colon", "# T\n## **Steps:**\n- [ ] a\n", "[ ] a {a}"},
	{"Tasks", "# T\n## Tasks\n- [ ] a\n", "[ ] a {a}"},
	{"Implementation Steps", "# T\n## Implementation  Steps\n- [ ] a\n", "[ ] a {a}"},
	{"Execution Order", "# T\n## execution order\n- [ ] a\n", "[ ] a {a}"},
	{"two sections of steps", Steps("- [ ] a\n\n## Notes\n- [ ] no\n\n## Tasks\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"#42 is no heading", Steps("- [ ] a\n\n#42 fix\n\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"#42 in a title", Steps("- [ ] #42 fix\n"), "[ ] #42 fix {42-fix}"},
	{"brackets in a title", Steps("- [ ] make []string of arr[x]\n"), "[ ] make []string of arr[x] {make-string-of-arr-x}"},
	{"a link is no box", Steps("- [ ] a\n- [x](http://h) b\n- [x][1] c\n- [x]: d\n"), "[ ] a {a}"},
	{"a date is no box", Steps("- [ ] a\n- [2026-01-29] b\n"), "[ ] a {a}"},
	{"an item without a box", Steps("- note\n- [ ] a\n"), "[ ] a {a}"},
	{"an item with nothing", Steps("-\n- [ ] a\n-\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a fence around steps", Steps("- [ ] a\n\n```\n- [ ] no\n## Steps\n```\n\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a fence with a longer one in it", Steps("- [ ] a\n\n`````md\n```\n- [ ] no\n```\n`````\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"tildes do not close backticks", Steps("- [ ] a\n\n```\n~~~\n- [ ] no\n```\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a fence in an item", Steps("- [ ] a\n  ```\n  - Run: `no`\n  - [ ] no\n  ```\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"an unclosed fence in an item ends with it", Steps("- [ ] a\n  ```\n  - [ ] no\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"an unclosed fence ends with the file", Steps("- [ ] a\n\n```\n- [ ] no\n"), "[ ] a {a}"},
	{"three backticks in a line are no fence", Steps("- [ ] a\n\n```x``` y\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"indented code", Steps("- [ ] a\n\n      - [ ] no\n      - Run: `no`\n"), "[ ] a {a}"},
	{"a comment around steps", Steps("- [ ] a\n\n<!--\n- [ ] no\n\n- [ ] no\n-->\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a comment in an item", Steps("- [ ] a\n  <!--\n  - Run: `no`\n  -->\n"), "[ ] a {a}"},
	{"HTML up to a blank line", Steps("- [ ] a\n\n<div>\n- [ ] no\n\n- [ ] b\n</div>\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a block quote", Steps("- [ ] a\n\n> - [ ] no\n> - Run: `no`\n"), "[ ] a {a}"},
	{"a quote in an item", Steps("- [ ] a\n  > - [x] no\n  > - Run: `no`\n"), "[ ] a {a}"},
	{"a loose list", Steps("- [ ] a\n\n  text\n\n  - Run: `x`\n\n- [ ] b\n"), "[ ] a {a} run=x\n[ ] b {b}"},
	{"three levels", Steps("- [ ] a\n  - [x] b\n    - [ ] c\n      - Run: `no`\n"), "[ ] a {a} boxes=2"},
	{"a nested box is no field", Steps("- [ ] a\n  - [ ] Run: `no`\n"), "[ ] a {a} boxes=1"},
	{"a paragraph parts two lists", Steps("- [ ] a\n\npara\n\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a level-3 heading parts two lists", Steps("- [ ] a\n\n### more\n\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a rule parts two lists", Steps("- [ ] a\n\n---\n\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a later level-1 heading ends the steps", Steps("- [ ] a\n\n# Appendix\n- [ ] no\n"), "[ ] a {a}"},
	{"boxes elsewhere", "# T\n## Prerequisites\n- [ ] `p`\n## Steps\n- [ ] a\n## Verification\n- [x] `v`\n", "[ ] a {a}"},
	{"bold", Steps("- [ ] **a b**\n"), "[ ] a b {a-b}"},
	{"bold with underscores", Steps("- [ ] __a__ and *b* and _c_\n"), "[ ] a and b and c {a-and-b-and-c}"},
	{"snake_case and stars stay", Steps("- [ ] my_var_x is 2 * 3 * 4\n"), "[ ] my_var_x is 2 * 3 * 4 {my-var-x-is-2-3-4}"},
	{"code in a title", Steps("- [ ] fix `**x**` now\n"), "[ ] fix `**x**` now {fix-x-now}"},
	{"an id with blanks behind it", Steps("- [ ] a {#x}  \t\n"), "[ ] a {x}"},
	{"an id without a blank before it", Steps("- [ ] **a**{#x}\n"), "[ ] a {x}"},
	{"an id in the middle is text", Steps("- [ ] a {#x} b\n"), "[ ] a {#x} b {a-x-b}"},
	{"an id in code is text", Steps("- [ ] a `{#x}`\n"), "[ ] a `{#x}` {a-x}"},
	{"a length in shell is text", Steps("- [ ] count ${#list}\n"), "[ ] count ${#list} {count-list}"},
	{"the id stands in the first line only", Steps("- [ ] a\n  b {#no}\n"), "[ ] a {a}"},
	{"equal titles", Steps("- [ ] a\n- [ ] a\n- [ ] b {#a-2}\n- [ ] a\n"), "[ ] a {a}\n[ ] a {a-3}\n[ ] b {a-2}\n[ ] a {a-4}"},
	{"a number as title", Steps("- [ ] 42\n- [ ] None\n"), "[ ] 42 {step-42}\n[ ] None {none-2}"},
	{"emoji", Steps("- [ ] 🚀 ship it\n- [ ] 🚀\n"), "[ ] 🚀 ship it {ship-it}\n[ ] 🚀 {title-ebbc0b}"},
	{"another alphabet", Steps("- [ ] Größe ändern\n- [ ] 添加认证\n"), "[ ] Größe ändern {groesse-aendern}\n[ ] 添加认证 {title-8b2726}"},
	{"a lazy line", Steps("- [ ] a\nlazy\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"a long line", Steps("- [ ] a\n  - Do: " + strings.Repeat("x ", 1<<19) + "\n- [ ] b\n"), "[ ] a {a}\n[ ] b {b}"},
	{"deeper than any person writes", Steps("- [ ] a\n" + strings.Repeat("- ", 5000) + "[ ] no\n" + strings.Repeat("\n", 5000)), "[ ] a {a}"},
	{"keys in bold", Steps("- [ ] a\n  - **Run:** `x`\n- [ ] b\n  - **Command**: `y`\n"), "[ ] a {a} run=x\n[ ] b {b} run=y"},
	{"keys in other case", Steps("- [ ] a\n  - rUN : `x`\n"), "[ ] a {a} run=x"},
	{"a fence as command", Steps("- [ ] a\n  - Run:\n    ```sh\n    x\n      y\n    ```\n"), "[ ] a {a} run=x\n  y"},
	{"a fence as command with CRLF", strings.ReplaceAll(Steps("- [ ] a\n  - Run:\n    ```\n    x \\\n    y\n    ```\n"), "\n", "\r\r\n"), "[ ] a {a} run=x \\\ny"},
	{"a field in free text is text", Steps("- [ ] a\n\n  Run: `no`\n"), "[ ] a {a}"},
	{"a field two levels down is text", Steps("- [ ] a\n  - notes\n    - Run: `no`\n"), "[ ] a {a}"},
	{"a status in a fence is text", Steps("- [ ] a\n  ```\n  - Status: done\n  ```\n"), "[ ] a {a}"},
	{"a status", Steps("- [ ] a\n  - status: Blocked — no key\n- [ ] b\n  - Status: skipped\n"), "[ ] a {a} blocked(no key)\n[ ] b {b} skipped()"},
}

// Random is a text made of lines that are hard to parse.
func Random(random *rand.Rand) string {
	text := "# T\n\n## Steps\n"
	for range 2 + random.IntN(12) {
		text += lines()[random.IntN(len(lines()))] + "\n"
	}
	if random.IntN(2) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

func lines() []string {
	return []string{"", "- [ ] a", "- [x] b {#b}", "* [X] c", "1. [ ] d", "- [~] e", "text", "---", "===", "```", "~~~", "<!--", "-->", "<div>",
		"> - [ ] q", "# H", "## Steps", "## Checks", "### h", "    code", "-", "2. two", "[a]: b '", "\t- tab", "{#x}", "**bold", "`code",
		"  - [ ] box", "  - Run: `r`", "  - Status: blocked - s", "  * Status: skipped", "  -   Status: reopened", "  1. Status: blocked", "  2. Run: `evil`",
		"    - `nested`", "  - Check: `c`; p", "  - Needs: none", "  - Needs: #b", "  - Files:", "  ---", "  text", "      deep", "  ```", "  -", "  > q", "    Status: blocked", "  - Do: x", "  <!-- x -->", "  <b>", "  *", "  ==="}
}

// Plans returns the plans of testdata/plans.
func Plans(tb testing.TB) (all [][]byte) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(repository.Testdata(tb, "plans"), "*.md"))
	if err != nil || len(files) == 0 {
		tb.Fatal("no plans in testdata/plans", err)
	}
	for _, file := range files {
		all = append(all, []byte(repository.Read(tb, file)))
	}
	return all
}

// Example is the plan in the description of the format.
func Example(tb testing.TB) []byte {
	tb.Helper()
	return []byte(repository.Read(tb, repository.Testdata(tb, "plans/example.md")))
}

func RefusalNamesLines(t testing.TB, src []byte, err error) {
	t.Helper()
	last := 1
	for text := range strings.Lines(err.Error()) {
		var line int
		if n, _ := fmt.Sscanf(text, "line %d: ", &line); n != 1 || line < last || line > bytes.Count(src, []byte("\n"))+1 {
			t.Fatalf("%q: %q, after line %d", src, text, last)
		}
		last = line
	}
}
