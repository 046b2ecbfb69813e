package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Fold prints one line, folded if it would be wider than width: what goes on below
// is indented by indent columns.
func Fold(w io.Writer, width, indent int, format string, args ...any) {
	words := strings.Split(fmt.Sprintf(format, args...), " ")
	fmt.Fprintln(w, fold(words, " ", indent, width-indent, "\n"+strings.Repeat(" ", indent)))
}

// betweenCommands marks where a line of commands may be folded.
var betweenCommands = strings.NewReplacer("; ", ";\n", ", git ", ",\ngit ")

// FoldCommands prints a line of commands as Fold does, but folds it only between them, so that each
// can be copied.
func FoldCommands(w io.Writer, width, indent int, line string) {
	commands := strings.Split(betweenCommands.Replace(line), "\n")
	fmt.Fprintln(w, fold(commands, " ", indent, width-indent, "\n"+strings.Repeat(" ", indent)))
}

// FoldText prints the lines of a text as Fold does; each goes on a little further in.
func FoldText(w io.Writer, width int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if columns(line) <= width {
			fmt.Fprintln(w, line)
			continue
		}
		Fold(w, width, len(line)-len(strings.TrimLeft(line, " "))+4, "%s", line)
	}
}

// Cut shortens a text to at most width columns, and shows that there was more.
func Cut(s string, width int) string { return cut(s, width, "…") }

// Table prints rows in columns, under a head if there is one. If that would be wider
// than width each row is folded by itself, and its cells say what they are.
func Table(w io.Writer, width int, head []string, rows [][]string) error {
	var b bytes.Buffer
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if head != nil {
		fmt.Fprintln(out, strings.Join(head, "\t"))
	}
	widest := 0
	for _, r := range rows {
		fmt.Fprintln(out, strings.Join(r, "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		widest = max(widest, columns(strings.TrimSuffix(line, "\n")))
	}
	if widest <= width {
		_, err := w.Write(b.Bytes())
		return err
	}
	const indent = 4
	if head != nil {
		fmt.Fprintln(w, head[0])
	}
	for _, r := range rows {
		for i := 1; i < len(head); i++ {
			r[i] = head[i] + " " + strings.TrimPrefix(r[i], head[i]+" ")
		}
		fmt.Fprintln(w, fold(r, "  ", indent, width-indent, "\n"+strings.Repeat(" ", indent)))
	}
	return nil
}
