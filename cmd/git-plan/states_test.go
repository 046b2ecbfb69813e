package main

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/progress"
)

// gitplan-format(5) has the states of a step as they are decided.
func TestTheManualHasTheStates(t *testing.T) {
	page, err := os.ReadFile("pages/gitplan-format.5.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n```\n"+progress.States()+"```\n") {
		t.Errorf("gitplan-format(5) does not have:\n%s", progress.States())
	}
}
