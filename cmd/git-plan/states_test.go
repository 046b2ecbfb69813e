package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/progress"
)

// gitplan-format(5) lists the states of a step as the code decides them.
func TestManualListsStepStates(t *testing.T) {
	page, err := os.ReadFile("pages/gitplan-format.5.md")
	if err != nil {
		t.Fatal(err)
	}
	states := "A step begins open. The last of these events decides its state; open and reopened\n" +
		"steps can run, done and skipped ones are what other steps need.\n"
	for _, t := range progress.Transitions {
		states += fmt.Sprintf("\n%s -> %s\n    %s\n", t.Event, t.To, t.By)
	}
	if !strings.Contains(string(page), "\n```\n"+states+"```\n") {
		t.Errorf("gitplan-format(5) does not have:\n%s", states)
	}
}
