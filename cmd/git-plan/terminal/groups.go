package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
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
	switch n.Kind {
	case journal.StepStart:
		g.begin("step " + n.Step + ": " + n.Text)
	case journal.ReviewRound:
		g.begin(lines(n))
	case journal.ReviewEnd:
		g.close()
	case journal.StepBlocked:
		g.close()
		fmt.Fprintf(g.out, "::error title=%s::%s\n", data("step "+n.Step, ":,"), data(n.Reason, ""))
	}
}

func (g *groups) after(n journal.Notice) {
	if g != nil && n.Kind == journal.StepDone {
		g.close()
	}
}

func (g *groups) begin(title string) {
	g.close()
	g.open = true
	fmt.Fprintf(g.out, "::group::%s\n", data(title, ""))
}

func (g *groups) close() {
	if g == nil || !g.open {
		return
	}
	g.open = false
	fmt.Fprintf(g.out, "::endgroup::\n")
}

// data escapes a text as GitHub's workflow commands want it, and for a
// property also the signs that end one.
func data(s, more string) string {
	out := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(visible.Line(s))
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
