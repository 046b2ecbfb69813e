package main

import (
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// groups folds each step's lines in the log of a GitHub workflow, and marks what
// failed there. A nil one does nothing.
type groups struct {
	out  io.Writer
	open bool
}

func (g *groups) before(n journal.Notice) {
	if g == nil {
		return
	}
	switch n.Event {
	case journal.StepStart:
		g.begin("step " + n.Step + ": " + n.Text)
	case journal.ReviewRound:
		g.begin(words(n))
	case journal.ReviewEnd:
		g.close()
	case journal.StepBlocked:
		g.close()
		say(g.out, "::error title=%s::%s", data("step "+n.Step, ":,"), data(n.Reason, ""))
	}
}

func (g *groups) after(n journal.Notice) {
	if g != nil && n.Event == journal.StepDone {
		g.close()
	}
}

func (g *groups) begin(title string) {
	g.close()
	g.open = true
	say(g.out, "::group::%s", data(title, ""))
}

func (g *groups) close() {
	if g == nil || !g.open {
		return
	}
	g.open = false
	say(g.out, "::endgroup::")
}

// data escapes a text as GitHub's workflow commands want it, and for a
// property also the signs that end one.
func data(s, more string) string {
	out := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(clean(s))
	for _, c := range more {
		out = strings.ReplaceAll(out, string(c), map[rune]string{':': "%3A", ',': "%2C"}[c])
	}
	return out
}

// safe keeps a line of ours from being taken for a command: the runner obeys
// "##[...]" anywhere in a line. Each line of ours begins with a time or a bar,
// so none begins with "::".
func (g *groups) safe(line string) string {
	if g == nil {
		return line
	}
	return strings.ReplaceAll(line, "##[", "# #[")
}
