package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// sound is a plan in which nothing is weak, and in which each fault below is planted.
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

// Every fault of the kinds that a critic looks for is found without one where the repository's own
// facts show it: who reads the plan reads that, and no model is asked.
func TestFaultsThatFactsShow(t *testing.T) {
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
		Exists: there, Finds: func(program string) bool { return slices.Contains([]string{"go", "npm", "make", "grep"}, program) },
		Read:  func(name string) ([]byte, bool) { text, ok := files[name]; return []byte(text), ok },
		Agent: func(string) bool { return false }, Prompt: func(*plan.Step) int { return 0 }, Window: 1000,
		Facts: Facts{Lines: map[string]int{"wide.go": 10}, Importers: map[string]int{"wide.go": 41}, Together: []pair{{"wide.go", "cmd/main.go", 17, 20}}},
	}
	const check, own = "- Check: `go test -run TestStore ./...`", "`go test -run TestStore ./...`"
	for _, c := range []struct{ kind, right, wrong, want string }{
		{"nothing", "once a day", "once a day", ""},
		{"missing-verification", own, "`true`", "proves-nothing"},
		{"missing-verification", own, "`go test ./... || true`", "proves-nothing"},
		{"missing-verification", own, "`go vet ./...; echo done`", "proves-nothing"},
		{"missing-verification", own, "`test -f store.go`", "passes-already"},
		{"missing-verification", own, "`make test`", "no-own-check"},
		{"missing-verification", "  " + check + "\n", "", "no-own-check"},
		{"missing-verification", own, "it works", "no-own-check"},
		{"wrong-order", "  " + check, "  - Needs: #warn\n  " + check, "order"},
		{"hidden-dependency", "`store.go`, `budget.go`", "`cmd/warn.go`\n  - Action: modify", "missing-file"},
		{"invented-name", own, "`gotest ./...`", "unknown-command"},
		{"invented-name", own, "`go vet . && gotest ./...`", "unknown-command"},
		{"invented-name", "`make test`", "`make budget-test`", "unknown-command"},
		{"invented-name", "npm run warned", "npm run warn", "unknown-command"},
		{"invented-name", "./cmd/...", "./nowhere/...", "unknown-command"},
		{"invented-name", own, "`./scripts/check.sh`", "unknown-command"},
		{"invented-name", "Write `Budget`", "Write `Budget` as `internal/ledger/day.go` does", "unknown-file"},
		{"invented-name", "  " + check, "  - Agent: somebody\n  " + check, "no-agent"},
		{"missing-requirement", "  - For: R2\n", "  - For: R1\n", "requirement"},
		{"missing-requirement", "  - For: R2\n", "  - For: R2, R7\n", "requirement"},
		{"over-engineering", "  - For: R2\n", "  - For: a cache of five layers\n", "requirement serves-nothing"},
		{"over-engineering", "Add one line, once a day.", "Add one line, once a day.\n  - Estimate: 3h", "too-long"},
		{"integration-point", "`store.go`, `budget.go`\n  - Do: Write", "`wide.go`, `cmd/main.go`\n  - Do: Rename", "imported"},
		{"integration-point", "`store.go`, `budget.go`", "`wide.go`, `budget.go`", "apart"},
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
			if lines := strings.Split(text, "\n"); w.Line < 1 || w.Line > len(lines) || w.Fix == "" {
				t.Errorf("%s: %+v", c.wrong, w)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, %s: found %q, want %q", c.kind, c.wrong, got, c.want)
		}
	}
}

// What may be so is left alone: a target that a step makes, a command that may fail after all.
func TestWhatFactsDoNotShow(t *testing.T) {
	read := func(text string) Surroundings {
		return Surroundings{Exists: func(name string) bool { return name == "clean" }, Read: func(string) ([]byte, bool) { return []byte(text), true }, earlier: nameFiles(&plan.Plan{})}
	}
	for _, c := range []struct{ command, file string }{
		{"make a", "a: b\n"}, {"make b", "a b:\n"}, {"make clean", "a:\n"}, {"make -C x b", "a:\n"}, {"make b", "include x.mk\na:\n"}, {"make x.o", "%.o: %.c\n"},
		{"make b", "$(foreach t,a b,$(eval $(call rule,$(t))))\n"}, {"make V=1 b", "a:\n"}, {"make", ""}, {"make b.PHONY", "b.PHONY:: a\n"},
		{"npm run a", `{"scripts":{"a":"x"}}`}, {"npm run a -w app", "{}"}, {"npm run a --if-present", "{}"}, {"npm run a", "no JSON"}, {"npm run", "{}"}, {"yarn run $X", "{}"},
		{"go test ./...", ""}, {"go test ./clean/...", ""}, {"go test example.com/x", ""}, {"go run -C x ./y", ""},
	} {
		if text := missingTarget(c.command, read(c.file)); text != "" {
			t.Errorf("%s: %s", c.command, text)
		}
	}
	for command, want := range map[string]bool{
		"true": true, "echo done": true, "make; true": true, "make || echo \"it failed\"": true, "exit 0": true, "make |\necho x": true,
		"make && echo done": false, "set -e; make; true": false, "make || exit 1; true": false, "grep -q 'a; true' b": false, "echo x >a && test -f a": false, "test \"$(echo a)\"": false, "false": false,
	} {
		if cannotFail(command) != want {
			t.Errorf("%s cannot fail: %v", command, !want)
		}
	}
}
