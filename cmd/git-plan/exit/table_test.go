package exit

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// Each kind of fault has a row with an exit code and a hint.
func TestEveryKindOfFaultHasARow(t *testing.T) {
	kinds, err := os.ReadFile("../../../gitplan/fault/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t(Err\w+) +=`).FindAllStringSubmatch(string(kinds), -1)
	if len(names) < 80 {
		t.Fatalf("only %d kinds were read", len(names))
	}
	for _, n := range names {
		if !strings.Contains(string(table), "\t{fault."+n[1]+", ") {
			t.Errorf("%s has no row in failures", n[1])
		}
	}
}

// A kind that is a special case of another one comes before it, or it would never be found.
func TestSpecificKindsComeFirst(t *testing.T) {
	for i, f := range failures {
		for _, above := range failures[:i] {
			if errors.Is(f.err, above.err) {
				t.Errorf("%v is never reached: %v stands above it", f.err, above.err)
			}
		}
	}
}

// All placeholders of the hints are filled, from an error that has all values and from one that has none.
func TestHintsAreFilled(t *testing.T) {
	knows := &fault.Fault{Step: "a", Setting: "plan.attempts", Name: "stash@{0}", Path: "/tmp/x", Next: "git plan fetch"}
	for _, f := range failures {
		for _, err := range []error{knows, errors.New("x")} {
			if hint := filled(f.hint, err); regexp.MustCompile(`\{[a-z]+\}|%s`).MatchString(hint) {
				t.Errorf("%v: %s", f.err, hint)
			}
		}
	}
	if hint := filled("git plan reopen {step}, git config {setting} none, {name}, rm {path}, {next}", knows); hint != "git plan reopen a, git config plan.attempts none, stash@{0}, rm /tmp/x, git plan fetch" {
		t.Error(hint)
	}
}
