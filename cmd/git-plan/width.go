package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

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

// fold breaks a text between words where a line would be wider than room. A word
// that is wider itself stays whole.
func fold(text string, room int, lineEnd string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(text, " ") {
		wide := columns(word)
		switch {
		case i == 0:
		case at+1+wide > room && wide > 0:
			b.WriteString(lineEnd)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += wide
	}
	return b.String()
}
