package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Is reports whether a file is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Attended reports whether a person sits there, who can read and answer.
func Attended() bool { return Is(os.Stdin) && Is(os.Stderr) }

// Endless is the width of a file that is not a terminal: no line is folded there.
const Endless = math.MaxInt

// Width returns how many columns the lines of a file may take.
func Width(f *os.File) int {
	if !Is(f) {
		return Endless
	}
	width, _ := sizeOf(f)
	return width
}

// Height returns how many rows a terminal has; 0 for a file that is not one.
func Height(f *os.File) int {
	if !Is(f) {
		return 0
	}
	_, height := sizeOf(f)
	return height
}

func sizeOf(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil || width < 2 || height < 2 {
		return 80, 24
	}
	return width, height
}

// Readable returns a text of somebody else's for a person who is to approve it: nothing
// is out of sight behind long runs of blanks.
func Readable(s string) string { return visible.Blanks(visible.Text(s)) }

// OnScreen returns a text as a person reads it on a terminal; what is piped keeps its blanks.
func OnScreen(s string) string {
	if Is(os.Stdout) {
		return Readable(s)
	}
	return visible.Text(s)
}

// Cut shortens a text to at most width columns, and shows that there was more.
func Cut(s string, width int) string { return ansi.Truncate(s, width, "…") }

// Fold prints one line, folded at blanks if it is wider than width. Continuation lines are
// indented by indent columns. A word that is too wide stays whole, so that it can be copied.
func Fold(w io.Writer, width, indent int, format string, args ...any) {
	words := strings.Split(fmt.Sprintf(format, args...), " ")
	fmt.Fprintln(w, fold(words, " ", width, indent))
}

// betweenCommands marks where a line of commands may be folded.
var betweenCommands = strings.NewReplacer("; ", ";\n", ", git ", ",\ngit ")

// FoldCommands prints a line of commands as Fold does, but folds it only between them, so that
// each can be copied.
func FoldCommands(w io.Writer, width, indent int, line string) {
	fmt.Fprintln(w, fold(strings.Split(betweenCommands.Replace(line), "\n"), " ", width, indent))
}

// FoldText prints the lines of a text as Fold does, each continued a little further in.
func FoldText(w io.Writer, width int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		Fold(w, width, len(line)-len(strings.TrimLeft(line, " "))+4, "%s", line)
	}
}

// fold joins words to lines of at most width columns.
func fold(words []string, between string, width, indent int) string {
	var b strings.Builder
	column, gap := 0, ""
	for i, word := range words {
		if i > 0 {
			gap += between
		}
		if word == "" {
			continue
		}
		n := ansi.StringWidth(word)
		if b.Len() > 0 && column+len(gap)+n > width {
			b.WriteString("\n" + strings.Repeat(" ", indent) + word)
			column = indent + n
		} else {
			b.WriteString(gap + word)
			column += len(gap) + n
		}
		gap = ""
	}
	return b.String()
}

// Table prints rows in aligned columns, under a head if there is one. If that is wider than width,
// each row is folded by itself, and its cells are labelled.
func Table(w io.Writer, width int, head []string, rows [][]string) error {
	all := rows
	if head != nil {
		all = append([][]string{head}, rows...)
	}
	var widths []int
	for _, r := range all {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var b strings.Builder
	widest := 0
	for _, r := range all {
		line := ""
		for i, cell := range r {
			line += cell
			if i < len(r)-1 {
				line += strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2)
			}
		}
		widest = max(widest, ansi.StringWidth(line))
		b.WriteString(line + "\n")
	}
	if widest <= width {
		_, err := io.WriteString(w, b.String())
		return err
	}
	if head != nil {
		fmt.Fprintln(w, head[0])
	}
	for _, r := range rows {
		for i := 1; i < len(head); i++ {
			r[i] = head[i] + " " + strings.TrimPrefix(r[i], head[i]+" ")
		}
		fmt.Fprintln(w, fold(r, "  ", width, 4))
	}
	return nil
}

// Colors paints texts, or leaves them as they are.
type Colors struct{ on bool }

// ColorsOf decides whether texts for a file are painted: as color.ui says, in git's words
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

// Good paints a success.
func (c Colors) Good(s string) string { return c.paint("32", s) }

// Bad paints a failure.
func (c Colors) Bad(s string) string { return c.paint("31", s) }

// Wait paints something that waits.
func (c Colors) Wait(s string) string { return c.paint("33", s) }

// Dim paints something of less importance.
func (c Colors) Dim(s string) string { return c.paint("2", s) }

// Bold paints what matters most.
func (c Colors) Bold(s string) string { return c.paint("1", s) }

func (c Colors) paint(color, s string) string {
	if !c.on || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[m"
}

var changedWords = visible.NewPattern(`\[-(?:[^-]|-[^\]])*-\]|\{\+(?:[^+]|\+[^}])*\+\}`)

// Words paints a word diff: deletions red, insertions green.
func (c Colors) Words(diff string) string {
	if !c.on {
		return diff
	}
	return changedWords.ReplaceAllStringFunc(diff, func(s string) string {
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
