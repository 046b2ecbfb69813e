package web

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bounds of a page: a plan may have 1,000 steps and 100,000 events.
const (
	mostEvents   = 200
	mostDrawn    = 60  // steps in the drawing
	mostWhole    = 100 // steps whose texts are all sent at once
	mostReason   = 400
	mostText     = 4000 // bytes of a longer text, such as a question
	mostCode     = 9    // lines of a file around what a finding quotes
	mostDiff     = 400  // lines of a diff
	mostInFile   = 4000 // lines of all diffs in a page that is one file
	mostHistory  = 2000 // attempts in a page, and of them at one step:
	mostAttempts = 20
	mostParts    = 200  // of a transcript
	longPart     = 1000 // bytes of one
	mostCalls    = 500  // of sessions at work
)

func line(s string) string { return visible.Line(s) }
func text(s string) string { return visible.Text(visible.Cut(s, mostText)) }

// ends returns what a program printed, or what is as long, without its middle: why something failed is mostly
// at its end.
func ends(s string) string {
	if len(s) <= mostText {
		return visible.Text(s)
	}
	head, tail := visible.Cut(s, mostText/4), s[len(s)-mostText*3/4:]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	_, rest, whole := strings.Cut(tail, "\n")
	if !whole {
		rest = strings.ToValidUTF8(tail, "")
	}
	return visible.Text(fmt.Sprintf("%s\n... %s left out ...\n%s", head, terminal.Count(len(s)-len(head)-len(rest), "byte"), rest))
}

// sign returns what shows the state of a step to whoever does not see colours.
func sign(state string) string {
	return cmp.Or(map[string]string{"done": "✓", "blocked": "✗", "running": "●", "skipped": "–"}[state], "○")
}

func lines(list []string) (out []string) {
	for _, s := range list {
		out = append(out, line(s))
	}
	return out
}

// clock returns a time as the page shows it, in that of this machine.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
