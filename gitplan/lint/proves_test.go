package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

func TestEndlessCommandIsNotReadCompletely(t *testing.T) {
	if hidesFailure(strings.Repeat("(", 300_000)) { // its brackets took all memory
		t.Error("it passes whatever it finds")
	}
}

// sound is a plan without weaknesses, into which each fault below is inserted.
const sound = `# Warn when a day is over its budget

Users are warned once a day on standard error.

## Requirements

- R1: budgets are stored
- R2: users are warned

## Checks

- ` + "`make test`" + `

## Steps

- [ ] **Store budgets** {#store}
  - Files: ` + "`store.go`, `budget.go`" + `
  - Do: Write ` + "`Budget`" + `.
  - For: R1
  - Check: ` + "`go test -run TestStore ./...`" + `
- [ ] **Warn** {#warn}
  - Needs: none
  - Files: ` + "`cmd/warn.go`" + `
  - Do: Add one line, once a day.
  - For: R2
  - Check: ` + "`npm run warned`" + `

## Verification

- ` + "`go test ./cmd/...`" + `
`

// Every fault of the kinds that a critic looks for is found without one if the repository's own facts show
// it, so that no model is needed.
func TestFaultsFoundWithoutAModel(t *testing.T) {
	files := map[string]string{
		"store.go": "package store\n", "cmd/main.go": "package main\n", "wide.go": "package store\n",
		"Makefile": "GO ?= go\n.PHONY: test lint\ntest: store.go\n\t$(GO) test ./...\nlint vet:\n\tgo vet\n", "package.json": `{"scripts": {"warned": "true", "test": "jest"}}`,
	}
	there := func(name string) bool {
		for file := range files {
			if file == name || strings.HasPrefix(file, name+"/") {
				return true
			}
		}
		return false
	}
	around := Surroundings{
		Exists: there, Finds: func(program string) bool {
			return slices.Contains([]string{"go", "npm", "make", "grep", "tail", "tee"}, program)
		},
		Agent: func(string) bool { return false },
	}
	const check, own = "- Check: `go test -run TestStore ./...`", "`go test -run TestStore ./...`"
	for _, c := range []struct{ kind, right, wrong, want string }{
		{"nothing", "once a day", "once a day", ""},
		{"missing-verification", own, "`true`", "proves-nothing"},
		{"missing-verification", own, "`go test ./... || true`", "proves-nothing"},
		{"missing-verification", own, "`go vet ./...; echo done`", "proves-nothing"},
		{"missing-verification", own, "`go test ./... | tail -5`", "proves-nothing"},
		{"missing-verification", "`go test ./cmd/...`", "`go test ./cmd/... | tee log`", "proves-nothing"},
		{"missing-verification", own, "`make test`", "no-own-check"},
		{"missing-verification", "- `make test`\n", "- `make test`\n- npm test\n", "no-check"},
		{"missing-verification", "- `make test`\n", "- python3 -m unittest\n", "no-check"},
		{"missing-verification", "- For: R1\n  - Check:", "- For: R1\n  - Chek:", "no-own-check form"},
		{"hidden-dependency", "- Needs: none", "- Need: store", "form"},
		{"nothing", "  - Do: Add", "  - Note: Add", ""},
		{"missing-verification", "  " + check + "\n", "", "no-own-check"},
		{"missing-verification", own, "it works", "no-own-check"},
		{"hidden-dependency", "`store.go`, `budget.go`", "`cmd/warn.go`\n  - Action: modify", "missing-file"},
		{"invented-name", own, "`gotest ./...`", "unknown-command"},
		{"invented-name", own, "`go vet . && gotest ./...`", "unknown-command"},
		{"invented-name", own, "`./scripts/check.sh`", "unknown-command"},
		{"invented-name", "  " + check, "  - Agent: somebody\n  " + check, "no-agent"},
		{"missing-requirement", "  - For: R2\n", "  - For: R1\n", "requirement"},
		{"missing-requirement", "  - For: R2\n", "  - For: R2, R7\n", "requirement"},
		{"missing-requirement", "  - For: R2\n", "  - For: R2, D9\n", "requirement"},
		{"missing-verification", "  - Do: Add", "  - [ ] all of it\n    - Check: `make all`\n  - Do: Add", "no-check"},
		{"nothing", "  - Do: Add", "  - [ ] all of it\n    ```\n    - Check: `make all`\n    ```\n  - Do: Add", ""},
		{"over-engineering", "  - For: R2\n", "  - For: a cache of five layers\n", "requirement serves-nothing"},
		{"over-engineering", "Add one line, once a day.", "Add one line, once a day.\n  - Estimate: 3h", "too-long"},
	} {
		text := strings.Replace(sound, c.right, c.wrong, 1)
		if text == sound && c.want != "" {
			t.Fatalf("%s: nothing is planted in place of %s", c.kind, c.right)
		}
		p, err := plan.Parse([]byte(text))
		if err != nil {
			t.Fatal(c.wrong, err)
		}
		var got []string
		for _, w := range Weaknesses(p, around) {
			got = append(got, w.Rule)
			if lines := strings.Split(text, "\n"); w.Line < 1 || w.Line > len(lines) || w.Fix == "" && w.Rule != "form" {
				t.Errorf("%s: %+v", c.wrong, w)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, %s: found %q, want %q", c.kind, c.wrong, got, c.want)
		}
	}
}

// A command that may fail after all is not reported; one that hides a failure behind a pipe, in the
// background or before another command is.
func TestHiddenFailures(t *testing.T) {
	for command, pipes := range map[string]bool{"true": false, "make || true": false, "make; true": false, "make | tail": true, "serve &": true} {
		weak := provesNothing("a", []plan.Check{{Command: command}})
		if len(weak) != 1 || strings.Contains(weak[0].Fix, "pipe") != pipes {
			t.Errorf("%s: %+v", command, weak)
		}
	}
	for command, want := range map[string]bool{
		"true": true, "echo done": true, "make; true": true, "make || echo \"it failed\"": true, "exit 0": true, "make |\necho x": true,
		"make && echo done": false, "set -e; make; true": false, "make || exit 1; true": false, "grep -q 'a; true' b": false,
		"echo x >a && test -f a": false, "test \"$(echo a)\"": false, "false": false,
		"sh t.sh 2>&1 | tail -5": true, "sh t.sh | tee log": true, "sh t.sh &": true, "sh t.sh >o; tail -3 o": true, "sh t.sh; cat a": true,
		"cd web && npm test 2>&1 | tail -20": true, "set -e; make | tail": true, "(make; rm -f tmp)": true, "{ make | head; }": true, "make | sort | wc -l": true,
		"set -o pipefail; make | tail": false, "set -euo pipefail\nmake 2>&1 | tee log": false, "bash -o pipefail -c 'make | tail'": false,
		"make | tail -5; exit ${PIPESTATUS[0]}": false, "make | tee log; grep -q PASS log": false, "go list | sort -c": false, "cat a": false, "tail -1 a": false,
		`printf 'one two\n' | python3 -m wordtool --words | grep -qx 2`: false, "echo one | ./tool | diff - expected.txt": false,
		"printf a | sh greet.sh | cat": true, "echo a | { make; }": false, "true || make": true, "echo x || true": true, "! echo x | grep y": false,
		"make | grep -q x": false, "! make | tail": false, "sed '/x/q1' a || sed '/y/q1' b": false, "serve & sleep 1; curl -f x": false,
		"serve & curl -f x; kill $!": true, "make |": false, "# nothing": false, "if make; then :; else false; fi": false, "x=$(make | tail -1)": false,
	} {
		if hidesFailure(command) != want {
			t.Errorf("%s hides a failure: %v", command, !want)
		}
	}
}
