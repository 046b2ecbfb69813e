package main

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// gitplan-format(5) lists the states of a step as the code decides them.
func TestManualListsStepStates(t *testing.T) {
	page, err := os.ReadFile("pages/gitplan-format.5.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(page)) {
		if event, to, ok := strings.Cut(strings.TrimSpace(line), " -> "); ok && progress.Transitions[journal.Kind(event)] == progress.State(to) {
			listed++
		}
	}
	if listed != len(progress.Transitions) {
		t.Errorf("gitplan-format(5) lists %d of %d events as the code decides them", listed, len(progress.Transitions))
	}
}
