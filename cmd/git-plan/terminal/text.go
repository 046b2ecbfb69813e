package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Is reports whether a file is a terminal.
func Is(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Attended reports whether a person can read and answer.
func Attended() bool { return Is(os.Stdin) && Is(os.Stderr) }

// Endless is the width of a file that is not a terminal: its lines are not folded.
const Endless = math.MaxInt

// Width returns the most columns of a line in a file.
func Width(f *os.File) int {
	if !Is(f) {
		return Endless
	}
	width, _ := sizeOf(f)
	return width
}

func sizeOf(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil || width < 2 || height < 2 {
		return 80, 24
	}
	return width, height
}

// Readable returns a text for a person to approve: nothing hides behind long runs of blanks.
func Readable(s string) string { return visible.Blanks(visible.Text(s)) }

// OnScreen returns a text as shown on a terminal; piped output keeps its blanks.
func OnScreen(s string) string {
	if Is(os.Stdout) {
		return Readable(s)
	}
	return visible.Text(s)
}

// Cut shortens a text to at most width columns, with … at its end.
func Cut(s string, width int) string { return ansi.Truncate(s, width, "…") }

// Painted is text that is safe to print unchanged.
type Painted string

// linef returns one line: foreign text in its arguments is folded into it, with hidden characters escaped.
func linef(format string, args ...any) string {
	safe := slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case Painted:
		case error:
			safe[i] = visible.Line(a.Error())
		case fmt.Stringer:
			safe[i] = visible.Line(a.String())
		default:
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				safe[i] = visible.Line(v.String())
			}
		}
	}
	return fmt.Sprintf(format, safe...)
}

// Say prints a line, folded on a terminal. No text of others in its arguments drives the terminal or adds a line.
func Say(w io.Writer, format string, args ...any) {
	line, to := linef(format, args...), w
	if rows, ok := w.(above); ok {
		to = rows.w
	}
	if f, ok := to.(*os.File); ok {
		if Paging() { // the pipe into the pager is as wide as the screen
			f = os.Stdout
		}
		line = foldLine(line, Width(f))
	}
	Println(w, line)
}

var unwritten atomic.Pointer[error]

// Written returns err, or else the first error of writing to standard output.
func Written(err error) error {
	if first := unwritten.Load(); err == nil && first != nil {
		err = *first
	}
	return err
}

// Println prints a safe line. Written returns its error, if w is standard output.
func Println(w io.Writer, line string) {
	if _, err := fmt.Fprintln(w, line); err != nil && w == os.Stdout {
		unwritten.CompareAndSwap(nil, &err)
	}
}

// Fold is Say, but folds the line at blanks to a width. A word wider than that stays whole.
func Fold(w io.Writer, width, indent int, format string, args ...any) {
	words := strings.Split(linef(format, args...), " ")
	Println(w, fold(words, " ", width, indent))
}

// FoldText prints the lines of a text as Fold does, each continued a little further in.
func FoldText(w io.Writer, width int, text string) {
	for line := range strings.Lines(visible.Text(text)) {
		Println(w, foldLine(strings.TrimSuffix(line, "\n"), width))
	}
}

// foldLine folds a line behind semicolons if the parts fit, so that a command in one can be copied; else at blanks.
func foldLine(line string, width int) string {
	indent := len(line) - len(strings.TrimLeft(line, " ")) + 4
	parts := strings.SplitAfter(line, "; ")
	if slices.ContainsFunc(parts, func(part string) bool { return ansi.StringWidth(part) > width-indent }) {
		return fold(strings.Split(line, " "), " ", width, indent)
	}
	return fold(parts, "", width, indent)
}

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

// Table prints rows in columns. If a row is too wide, its last columns are on a line below.
func Table[T any](w io.Writer, width int, rows [][]T) error {
	var widths []int
	var lines [][]string
	for _, r := range rows {
		line := make([]string, len(r))
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			line[i] = linef("%v", cell)
			widths[i] = max(widths[i], ansi.StringWidth(line[i]))
		}
		lines = append(lines, line)
	}
	fit, taken := 0, 0
	for fit < len(widths) && (fit == 0 || taken+widths[fit] <= width) {
		taken, fit = taken+widths[fit]+2, fit+1
	}
	var table strings.Builder
	for _, r := range lines {
		line, short := "", ""
		for i, cell := range r {
			if i > 0 {
				line += strings.Repeat(" ", widths[i-1]-ansi.StringWidth(r[i-1])+2)
			}
			if line += cell; i < fit {
				short = line
			}
		}
		if ansi.StringWidth(strings.TrimRight(line, " ")) > width && len(r) > fit {
			line = short + "\n" + fold(append([]string{"    " + r[fit]}, r[fit+1:]...), "  ", width, 4)
		}
		for part := range strings.SplitSeq(line, "\n") { // a cell may be wider than that
			table.WriteString(foldLine(part, width) + "\n")
		}
	}
	_, err := io.WriteString(w, table.String())
	return err
}

type Colors struct{ On bool }

// ColorsOf returns the colours for a file; ui is color.ui. By default, a terminal has them, unless NO_COLOR is set.
func ColorsOf(f *os.File, ui string) Colors {
	switch strings.ToLower(ui) {
	case "always":
		return Colors{true}
	case "never", "false", "no", "off", "0":
		return Colors{}
	}
	return Colors{Is(f) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (c Colors) Good(s string) Painted         { return c.paint("32", s) }
func (c Colors) Bad(s string) Painted          { return c.paint("31", s) }
func (c Colors) Wait(s string) Painted         { return c.paint("33", s) }
func (c Colors) Dim(s string) Painted          { return c.paint("2", s) }
func (c Colors) Bold(s string) Painted         { return c.paint("1", s) }
func (c Colors) paint(color, s string) Painted { return Painted(c.raw(color, visible.Line(s))) }

func (c Colors) raw(color, s string) string {
	if !c.On || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[m"
}

var changedWords = visible.NewPattern(`\[-(?:[^-]|-[^\]])*-\]|\{\+(?:[^+]|\+[^}])*\+\}`)

// Diff paints a line of a diff as git does.
func (c Colors) Diff(line string) string {
	for _, d := range [][2]string{{"diff ", "1"}, {"index ", "1"}, {"--- ", "1"}, {"+++ ", "1"}, {"@@ ", "36"},
		{"-", "31"}, {"+", "32"}} {
		if strings.HasPrefix(line, d[0]) {
			return c.raw(d[1], line)
		}
	}
	return line
}

// Words paints a word diff: deletions red, insertions green.
func (c Colors) Words(diff string) string {
	return changedWords().ReplaceAllStringFunc(diff, func(s string) string {
		color := map[byte]string{'[': "31", '{': "32"}[s[0]]
		return strings.TrimSuffix(c.lines(color, s), "\n") // a pager colours each line by itself
	})
}
