package terminal

import (
	"math"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Endless is the width of what is no terminal: no line is folded there.
const Endless = math.MaxInt

// Width returns how many columns the lines of a file may take.
func Width(f *os.File) int {
	if !Is(f) {
		return Endless
	}
	width, _ := sizeOf(f)
	return width
}

// Height returns how many rows a terminal has; 0 if a file is none.
func Height(f *os.File) int {
	if !Is(f) {
		return 0
	}
	_, height := sizeOf(f)
	return height
}

// sizeOf returns how wide and how high a terminal is, in columns and rows.
func sizeOf(terminal *os.File) (width, height int) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil || width < 2 || height < 2 {
		return 80, 24
	}
	return width, height
}

// columns returns how many columns of a terminal a text takes: two for most East
// Asian letters and emoji, none for what is put on the letter before, nor for our colours.
func columns(s string) int {
	if strings.Contains(s, "\x1b[") {
		s = paints.ReplaceAllString(s, "")
	}
	return uniseg.StringWidth(s)
}

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

// ascii replaces the letters that a terminal without Unicode cannot show.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, strings.ReplaceAll(s, "…", "..."))
}

// fold puts words on lines of at most room columns, the first line of at most room+extra.
// A word that is wider stays whole.
func fold(words []string, between string, extra, room int, lineEnd string) string {
	var b strings.Builder
	at, gap := -extra, ""
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
