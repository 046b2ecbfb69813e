package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/git-plan/git-plan/gitplan/settings"
)

// Settings fit a terminal: no line is wider, but for a word that is.
func TestSettingsFitATerminal(t *testing.T) {
	set := []settings.Setting{{Key: "plan.reviewRounds", Value: "3", Scope: "default", Doc: strings.Repeat("a round or two ", 20)},
		{Key: "planAgent.mine.command", Value: "sh 'a script of mine' --with its --arguments", Scope: "global", Origin: "file:/home/someone/.gitconfig", Doc: "a command"}}
	var out strings.Builder
	printSettings(&out, set, 60)
	for _, line := range strings.Split(out.String(), "\n") {
		if columns(line) > 60 {
			t.Errorf("%d columns: %s", columns(line), line)
		}
	}
	for _, want := range []string{"plan.reviewRounds  3  (default)\n    a round", "with its\n    --arguments  (global file:"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// columns is how many columns of a terminal a text takes.
func columns(s string) int { return ansi.StringWidth(s) }
