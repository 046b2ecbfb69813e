package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/rivo/uniseg"
)

// endless is the width of what is no terminal: no line is folded there.
const endless = math.MaxInt

// widthOf is how many columns the lines of a file may take.
func widthOf(f *os.File) int {
	if !isTerminal(f) {
		return endless
	}
	width, _ := terminalSize(f)
	return width
}

// columns is how many columns of a terminal a text takes: two for most East
// Asian letters and emoji, none for what is put on the letter before.
func columns(s string) int { return uniseg.StringWidth(s) }

// cut shortens a text to at most width columns, between two letters as a reader
// sees them, and shows with more that there was more.
func cut(s string, width int, more string) string {
	if columns(s) <= width {
		return s
	}
	room := width - columns(more)
	if room < 0 {
		return ""
	}
	rest, state, end := s, -1, 0
	for rest != "" {
		var letter string
		var wide int
		letter, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if wide > room {
			break
		}
		room -= wide
		end += len(letter)
	}
	return strings.TrimRight(s[:end], " ") + more
}

// ascii replaces what a terminal without Unicode cannot show.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, strings.ReplaceAll(s, "…", "..."))
}

// fold puts words on lines, and breaks where a line would be wider than room; the
// first one may take more columns than that. A word that is wider itself stays whole.
func fold(words []string, between string, more, room int, lineEnd string) string {
	var b strings.Builder
	at, gap := -more, ""
	for i, word := range words {
		if i > 0 {
			gap += between
		}
		if word == "" {
			continue
		}
		if wide := columns(word); b.Len() > 0 && at+len(gap)+wide > room {
			b.WriteString(lineEnd + word)
			at = wide
		} else {
			b.WriteString(gap + word)
			at += len(gap) + wide
		}
		gap = ""
	}
	return b.String()
}

// tell says one line, folded where it would be wider than width: what goes on below
// stands indent columns in.
func tell(w io.Writer, width, indent int, format string, args ...any) {
	words := strings.Split(fmt.Sprintf(format, args...), " ")
	say(w, "%s", fold(words, " ", indent, width-indent, "\n"+strings.Repeat(" ", indent)))
}

// tellText says the lines of a text as tell does; each goes on a little further in.
func tellText(w io.Writer, width int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if columns(line) <= width {
			say(w, "%s", line)
			continue
		}
		tell(w, width, len(line)-len(strings.TrimLeft(line, " "))+4, "%s", line)
	}
}

// table prints rows in columns, under a head where there is one. Where that would
// be wider than width each row is folded by itself, and its cells say what they are.
func table(w io.Writer, width int, head []string, rows [][]string) error {
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
		say(w, "%s", head[0])
	}
	for _, r := range rows {
		for i := 1; i < len(head); i++ {
			r[i] = head[i] + " " + strings.TrimPrefix(r[i], head[i]+" ")
		}
		say(w, "%s", fold(r, "  ", indent, width-indent, "\n"+strings.Repeat(" ", indent)))
	}
	return nil
}
