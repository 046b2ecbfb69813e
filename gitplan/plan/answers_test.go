package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// asked is the plan for the questions below.
const asked = `# Sums

## Overview

Add numbers.

## Requirements

- R1: small numbers
- **FR-002**: large ones, see R1
- context without an id

## Steps

- [x] **Add** {#add}
  - For: R1, R1, XX-9
  - Files: ` + "`sums/*.go`" + `
  - Files to create: ` + "`sum.go`" + `
  - Do: Add.
  - Check: ` + "`go test ./...`" + `
- [ ] **Print** {#print}
  - Needs: #add
  - Status: blocked (waits)
  - Do: Print it.
- [ ] **7** {#7}
  - Needs: none

## Verification

- ` + "`go vet ./...`" + `
- it reads well
`

func parsed(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestQueriesOfAPlan(t *testing.T) {
	p := parsed(t, asked)
	if got := p.Enables()["add"]; !slices.Equal(got, []string{"print"}) {
		t.Errorf("add enables %v", got)
	}
	if got := Commands(p.Verification); !slices.Equal(got, []string{"go vet ./..."}) {
		t.Errorf("commands %v", got)
	}
	if got := Criteria(p.Verification); len(got) != 1 || got[0].Text != "it reads well" {
		t.Errorf("criteria %v", got)
	}
	var read []string
	for _, s := range p.Background() {
		read = append(read, s.Title)
	}
	if !slices.Equal(read, []string{"Overview", "Requirements"}) || !IsAim(read[0]) || IsAim(read[1]) {
		t.Errorf("background %v", read)
	}
	add, _ := p.Step("add")
	if !add.Ticked() || add.NamesNeeds() || add.ActionOn("./sum.go") != "create" || add.ActionOn("sums/a.go") == "create" {
		t.Errorf("%+v", add)
	}
	serving := p.Serving()
	if got := add.Serves(); !slices.Equal(got, []string{"R1", "XX-9"}) || len(serving) != 2 || len(serving["R1"]) != 1 || serving["FR-002"] != nil {
		t.Errorf("serves %v, serving %v", got, serving)
	}
	if got := p.Requirements[1].String(); got != "FR-002: large ones, see R1" {
		t.Errorf("%q", got)
	}
}

// An id is found before a number, and for a misspelt one a similar one is suggested.
func TestStepsByName(t *testing.T) {
	p := parsed(t, asked)
	bare := &Plan{Steps: p.Steps} // one that was not parsed has no index
	for name, want := range map[string]string{"add": "add", "#add": "add", "1": "add", "2": "print", "7": "7", "3": "7", "03": "", "0": "", "4": "", "Add": ""} {
		for _, q := range []*Plan{p, bare} {
			got := ""
			if s, ok := q.Step(name); ok {
				got = s.ID
			}
			if got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	if err := p.NoStep("pritn"); !errors.Is(err, fault.ErrUnknownStep) || !strings.Contains(err.Error(), "did you mean print?") {
		t.Error(err)
	}
	if err := p.NoStep("pri"); !strings.HasSuffix(err.Error(), "did you mean print?") {
		t.Error(err)
	}
	if got := misspelt("Fils", fieldNames); got != "files" {
		t.Errorf("Fils may be %s", got)
	}
	if err := p.NoStep("nothing\x1b[2J"); strings.ContainsAny(err.Error(), "\x1b?") {
		t.Errorf("%q", err)
	}
}

func TestFilesOfAStep(t *testing.T) {
	for pattern, paths := range map[string]map[string]bool{
		"sum.go":           {"sum.go": true, "a/sum.go": false, "sum.go/x": true},
		"./docs/":          {"docs/a.md": true, "docs": true, "docsx": false},
		"sums/*.go":        {"sums/a.go": true, "sums/a/b.go": false},
		"**/*_test.go":     {"a_test.go": true, "x/y/a_test.go": true, "a.go": false},
		"{a,b}.txt":        {"a.txt": true, "c.txt": false},
		".":                {"a/sum.go": true},
		"[":                {"[": true, "x": false},
		manyAlternatives(): {"aaaaaaaa": false}, // too many to try
	} {
		for path, want := range paths {
			if got := MatchesAny([]string{pattern}, path); got != want {
				t.Errorf("%q matches %q: %v", pattern, path, got)
			}
		}
	}
	if got := Literals([]string{"./a.go", "b/", "c/*.go", "{d,e}"}); !slices.Equal(got, []string{"a.go", "b"}) {
		t.Errorf("%v", got)
	}
}

func manyAlternatives() string { return strings.Repeat("{a,b}", 8) }

func TestProgramOfACommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...": "go", "CGO_ENABLED=0 go vet": "go", "! grep -q x a.txt": "grep", "time make": "make",
		`X="a b" go test`: "", "$TOOL run": "", "(cd a && make)": "", "": "", "A=1": "", "if test -f a; then b; fi": "test",
	} {
		if got := ProgramOf(line); got != want {
			t.Errorf("%q runs %q, want %q", line, got, want)
		}
	}
}

// An answer becomes part of the step, and changes nothing else.
func TestAnswerIsPartOfItsStep(t *testing.T) {
	for id, want := range map[string]string{
		"print": "  - Do: Print it.\n  - Question: how?\n  - Answer: in hex\n- [ ] **7** {#7}",
		"7":     "  - Needs: none\n  - Question: how?\n  - Answer: in hex\n\n## Verification",
	} {
		out, err := AddAnswer([]byte(asked), id, "how?", "in hex")
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", id, err, out)
			continue
		}
		if u := NotApproved(parsed(t, string(out)), parsed(t, asked)); u.Whole != "" || !u.WaitsFor(id) || u.WaitsFor("add") || u.None() {
			t.Errorf("%s: %+v", id, u)
		}
	}
	if out, err := AddAnswer([]byte(strings.ReplaceAll(asked, "\n", "\r\n")), "print", "", "yes"); err != nil || !strings.Contains(string(out), "Print it.\r\n  - Answer: yes\r\n") {
		t.Errorf("%v\n%q", err, out)
	}
	fenced := strings.Replace(asked, "  - Do: Print it.", "  - Do: Print it.\n\n    ```\n    never closed", 1)
	if out, err := AddAnswer([]byte(fenced), "print", "", "yes"); err == nil && !strings.Contains(string(out), "Answer: yes") {
		t.Errorf("an answer was lost:\n%s", out)
	}
}

// Invisible text is not approved; where approval does not apply, in a box or a Status, it is harmless.
func TestInvisibleTextIsNotApproved(t *testing.T) {
	if err := parsed(t, asked).Approvable(); err != nil {
		t.Error(err)
	}
	hidden := strings.Replace(asked, "Do: Add.", "Do: Add.\U000e0061\n  - Do not: care\u200b", 1)
	err := parsed(t, hidden).Approvable()
	if !errors.Is(err, fault.ErrHidden) || !strings.Contains(err.Error(), "line 19 of the plan holds") || !strings.Contains(err.Error(), "and 1 more lines do") {
		t.Error(err)
	}
	if weak := parsed(t, hidden).Hidden(); len(weak) != 2 || weak[0].Line != 19 || !weak[0].Error || weak[0].Rule != "hidden" {
		t.Errorf("%+v", weak)
	}
	if err := parsed(t, strings.Replace(asked, "(waits)", "(wai\u200bts)", 1)).Approvable(); err != nil {
		t.Errorf("in a status: %v", err)
	}
}

// The meaning of a plan is the same whatever part of it is done.
func TestDigestIsOfTheMeaning(t *testing.T) {
	one := parsed(t, asked).Digest()
	for what, text := range map[string]string{
		"a box":     strings.Replace(asked, "- [x] **Add**", "- [ ] **Add**", 1),
		"a status":  strings.Replace(asked, "  - Status: blocked (waits)\n", "", 1),
		"line ends": strings.ReplaceAll(asked, "\n", "\r\n"),
	} {
		if parsed(t, text).Digest() != one {
			t.Errorf("%s changes the meaning", what)
		}
	}
	if parsed(t, strings.Replace(asked, "Do: Add.", "Do: Subtract.", 1)).Digest() == one {
		t.Error("what to do changes nothing")
	}
}
