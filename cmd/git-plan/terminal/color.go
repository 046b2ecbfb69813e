package terminal

import (
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Colors paints texts, or leaves them as they are.
type Colors struct{ on bool }

// ColorsOf returns whether texts for a file are painted: as color.ui says, in git's words
// (empty: it is not set), unless NO_COLOR is set or the terminal is a dumb one.
func ColorsOf(f *os.File, ui string) Colors {
	switch strings.ToLower(ui) {
	case "always":
		return Colors{true}
	case "never", "false", "no", "off", "0":
		return Colors{}
	}
	return Colors{Is(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Good paints what went well.
func (c Colors) Good(s string) string { return c.paint("32", s) }

// Bad paints what did not.
func (c Colors) Bad(s string) string { return c.paint("31", s) }

// Wait paints what waits for somebody.
func (c Colors) Wait(s string) string { return c.paint("33", s) }

// Dim paints what matters less.
func (c Colors) Dim(s string) string { return c.paint("2", s) }

// Bold paints what matters most.
func (c Colors) Bold(s string) string { return c.paint("1", s) }

func (c Colors) paint(color, s string) string { return look{color: c.on}.paint(color, s) }

var words = pattern.Of(`\[-(?:[^-]|-[^\]])*-\]|\{\+(?:[^+]|\+[^}])*\+\}`)

// Words paints a word diff: what went in red, what came in green.
func (c Colors) Words(diff string) string {
	if !c.on {
		return diff
	}
	return words.ReplaceAllStringFunc(diff, func(s string) string {
		color := c.Good
		if s[0] == '[' {
			color = c.Bad
		}
		lines := strings.Split(s, "\n") // a pager colours each line by itself
		for i := range lines {
			lines[i] = color(lines[i])
		}
		return strings.Join(lines, "\n")
	})
}

// paints are the sequences that paint writes, which take no column.
var paints = pattern.Of("\x1b\\[[0-9;]*m")
