package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const goalPlan = "# T\n\n## Goal\n\nOld words.\n\n## Done when\n- `make`\n- `sh b.sh` <= 120\n- `sh c.sh` > -1.5.\n- `d` is quick\n\n## Bounds\n" +
	"- Files: `src/**`, `t/*.go`\n- Commands: `make test`, `go test *`\n  - `npm test -- *`\n- Budget: 40 USD, 3 days, 60 steps, 20M tokens\n\n## Learned\n- a thing\n\n## Steps\n\n- [ ] A {#a}\n"

func TestGoalsAndBounds(t *testing.T) {
	p, err := Parse([]byte(goalPlan))
	if err != nil {
		t.Fatal(err)
	}
	want := "make|sh b.sh # <= 120|sh c.sh # > -1.5"
	if got := strings.Join(Commands(p.Verification), "|"); got != want || p.Goal != "Old words." || p.Learned != "- a thing" || len(p.Background()) != 0 {
		t.Errorf("%q, %q, %q", got, p.Goal, p.Learned)
	}
	b := Budget{"40 USD, 3 days, 60 steps, 20M tokens", 40, 72 * time.Hour, 60, 20e6}
	if p.Bounds.Budget != b || fmt.Sprint(p.Bounds.Files, p.Bounds.Commands) != "[src/** t/*.go] [make test go test * npm test -- *]" {
		t.Errorf("%+v", p.Bounds)
	}
	for _, wrong := range []string{"- Budget: much", "- Budget: 0 steps", "- Budget: 3 fortnights", "- Budget:", "- Budget: 40 USD,, 60 steps", "- Budget: 0.5 steps", "- Budget: 99999999 days", "- Files: none", "- Files:", "- File: a", "words", "- `make`",
		"- Files: src/** and tests", "- Files: `src/**` and tests", "- Files: all but `secret/**`", "- Files: `src/**` (not `x`)", "- Files:\n  - `a` or b", "- Commands: make test", "- Commands: `make` or `sh`", "- Commands:",
	} {
		_, err := Parse([]byte("# T\n\n## Bounds\n\n" + wrong + "\n\n## Steps\n- [ ] A\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 5: ") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	for _, right := range []string{"- Files: src/**, test", "- Files: `src/**`, `a b`; `c`.", "- Files:\n  - `a`\n  - b/*.go", "- Commands: `a` , `b`"} {
		if _, err := Parse([]byte("# T\n\n## Bounds\n\n" + right + "\n\n## Steps\n- [ ] A\n")); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
}

// A step's value on an agent's command line or in its environment is never parsed as an option.
func TestValuesAreNeverOptions(t *testing.T) {
	for _, field := range []string{"Model: --dangerously-skip-permissions", "Model: `-c`", "Effort: -x", "Agent: --help", "**Model**: -m", "Effort: high --x", "Model: a\t-x"} {
		_, err := Parse([]byte("# T\n\n## Steps\n- [ ] A\n  - " + field + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 5: ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, field := range []string{"Model: gpt-5.2", "Model: `openrouter/z-ai/glm-4.6:free`", "Effort: high", "Agent: claude", "Model: gpt: 5", "Model: us.anthropic.claude@20250101[1m]"} {
		if _, err := Parse([]byte("# T\n\n## Steps\n- [ ] A\n  - " + field + "\n")); err != nil {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// A limit that cannot be parsed is not treated as text: it would not run.
func TestUnparsableLimitIsRefused(t *testing.T) {
	for _, wrong := range []string{"`b` <= 120 ms", "`b` ≤ 120", "`b` = 3", "`b`  <=  3", "`b` <= 1e3", "`b` != 0", "`b` <= 3 passes"} {
		_, err := Parse([]byte("# T\n\n## Done when\n- " + wrong + "\n\n## Bounds\n- Files: `a`\n\n## Steps\n- [ ] A\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 4: this is no command with a limit") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// A limit in the wrong place is not run as a command or left to a person: the error has it as it should be.
func TestLimitInTheWrongPlaceIsRefused(t *testing.T) {
	for _, wrong := range []string{"b c # <= 120", "`b c` # <= 120", "`b c <= 120`"} {
		_, err := Parse([]byte("# T\n\n## Done when\n- " + wrong + "\n\n## Steps\n- [ ] A\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 4: a limit stands behind the command, outside of its backticks: - `b c` <= 120") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	for _, right := range []string{"`b c` <= 120", "`b c # <= 120`", "coverage >= 80", "`test $n == 3`", "`b > 2`"} {
		if _, err := Parse([]byte("# T\n\n## Done when\n- " + right + "\n\n## Steps\n- [ ] A\n")); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
}

// The person's words are in the plan byte for byte, whatever Markdown would make of them.
func TestWordsOfAGoal(t *testing.T) {
	for _, words := range []string{"Make it", "# Make it\n\n## Steps\n\n- [ ] evil {#evil}", "- [ ] a box", "~~~\nfenced\n~~~", "a\n\n\n\nb", "```\nopen", "<!-- c", "> q", "## Bounds\n- Files: `**`", "$(x) `y` \\ {#z}", "---\nplan: x\n---", "1. a\n   - b", "é 漢字", "a\n===="} {
		out, err := WithGoal([]byte(goalPlan), words)
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		p, err := Parse(out)
		if err != nil || p.Goal != words || len(p.Steps) != 1 || p.Bounds.Budget.Steps != 60 || len(p.Verification) != 4 {
			t.Errorf("%q: %q, %v in\n%s", words, p.Goal, err, out)
		}
	}
}

// A wildcard matches plain words only, and nothing that a shell would interpret.
func TestCommandsWithinBounds(t *testing.T) {
	b := &Bounds{Commands: []string{"make test", "go test *", "npm test -- *", "sh -c 'a' *", "*"}}
	for command, want := range map[string]bool{
		"make test": true, "make test all": false, "make": false, "go test": true, "go test ./...": true, "go test -run X ./a/b": true,
		"go testing": false, "go test; curl x": false, "go test | sh": false, "go test && x": false, "go test &": false, "go test > f": false, "go test < f": false,
		"go test $(x)": false, "go test ${x}": false, "go test `x`": false, "go test \nx": false, "go test a\nb": false, "A=b go test": false, "go test $X": false,
		"go test 'a'": false, "go test \"a\"": false, "go test *": true, "go test a*": false, "go test ?": false, "go test {a,b}": false, "go test ~": false, "go test #x": false,
		"go  test": false, " go test": false, "npm test -- --x=1": true, "npm test -- --x=\"$(..)\"": false, "npm test": false, "sh -c 'a' b": false,
		"sh -c 'a' *": true, "rm -rf x": false, "! go test": false, "go test \\": false, "go test a;": false, "(go test)": false, "go test a=b": true, "x=y": false,
		"go test -exec ./evil": false, "go test --exec=./evil x": false, "go test -toolexec x": false, "go test -vettool=x": false, "go test -run TestExec ./tool": true,
		"go test SHELL=./evil": false, "go test -ldflags=-x": true, "npm test -- --script-shell=x": false, "go test --test-command x": false,
	} {
		if got := b.AllowsCommand(command); got != want {
			t.Errorf("%q: %t", command, got)
		}
	}
	b.Files = []string{"src/**", "t/*.go", "docs"}
	for name, want := range map[string]bool{"src/a.go": true, "src/**": true, "src/a/*.go": true, "t/x.go": true, "t/x/y.go": false, "docs/a.md": true, "docs": true, "srcs/a": false,
		"src/../a": false, "../src/a": false, "/src/a": false, "./src/a": false, "**": false, "*": false, "src/{a,../../b}": false, "src": true, "README.md": false} {
		if got := b.AllowsFile(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestNumbersAndLimits(t *testing.T) {
	for _, c := range []struct {
		command, output string
		holds           bool
	}{
		{"x # <= 120", "p95: 120 ms\n", true}, {"x # <= 120", "p95 was 90, is 120.5", false}, {"x # < 3", "3", false}, {"x # >= -1", "-1", true},
		{"x # > 0", "1e3", true}, {"x # == 4", "2 + 2 = 4\n", true}, {"x # <= 1", "done", false}, {"x # <= 1", "", false},
	} {
		l, ok := LimitOf(c.command)
		n, err := LastNumber(c.output)
		if got := ok && err == nil && l.Holds(n); got != c.holds {
			t.Errorf("%s with %q: %t", c.command, c.output, got)
		}
	}
	for output, want := range map[string]float64{
		"1,050": 1050, "1,234,567.5": 1234567.5, "120ms": 120, "118, ok": 118, "is 118.": 118, "87.5%": 87.5, "1.5e3": 1500, "2E-1s": 0.2, "-3": -3, "−3": -3, "+4": 4, ".50": 0.5, "-.5": -0.5,
		"\x1b[32m118\x1b[0m": 118, "118\x1b[2J": 118, "118 ms (p95)": 118, "p95: 118 of 200": 200, "x86_64 12": 12, "latency-3 12": 12, "(7)": 7, "a=5;": 5, "9/10": 10, "12 µs": 12, "NaN 3": 3, "007": 7, "1e": 1, "118\u00a0ms": 118,
	} {
		if n, err := LastNumber(output); n != want || err != nil {
			t.Errorf("%q: %v, %v", output, n, err)
		}
	}
	for _, output := range []string{"1.234,5", "12,5", "1,05", "1,0500", "1.2.3", "1'050", "1\u00a0050", "1\u202f050", "1_050", "0x1F", "5 NaN", "5 -inf", "5 Infinity", "100-200", "2026-11-29", "1h30m", "1e400", "5 １２０", "5m2", "1e3e5"} {
		if n, err := LastNumber(output); err == nil || !strings.Contains(err.Error(), "cannot be read as a number") {
			t.Errorf("%q is read as %v, %v", output, n, err)
		}
	}
	for _, none := range []string{"x", "x # note", "# <= 3", "x <= 3"} {
		if _, ok := LimitOf(none); ok {
			t.Errorf("%s is compared", none)
		}
	}
	if got := DoneWhen([]string{"make", "sh b.sh <= 120", "a `b` >= 2"}); got != "- `make`\n- `sh b.sh` <= 120\n- `` a `b` `` >= 2\n" {
		t.Errorf("%q", got)
	}
}
