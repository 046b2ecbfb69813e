package terminal

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// look is what a terminal can show.
type look struct{ color, unicode bool }

// mark is the sign a row begins with.
type mark int

const (
	note mark = iota
	working
	good
	bad
	asks
	waits
	halted
	todo
)

// signs holds each mark's sign with Unicode and in ASCII, and its colour.
var signs = map[mark]struct{ sign, plain, color string }{
	note:   {"•", "-", "2"},
	good:   {"✓", "+", "32"},
	bad:    {"✗", "x", "31"},
	asks:   {"?", "?", "33"},
	waits:  {"…", "~", "33"},
	halted: {"■", "#", "33"},
	todo:   {"·", ".", "2"},
}

// turns holds the signs of what is under way, one after the other, with Unicode or
// without.
var turns = map[bool][]string{
	true:  {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
	false: {"|", "/", "-", "\\"},
}

// row is one line for people: what it is about, its numbers, and what is happening
// or what came of it.
type row struct {
	mark  mark
	depth int
	text  string
	facts []string // the first is the most important
	more  string
	whole bool // never cut, but folded at words: a terminal may wrap what is final
	said  bool // by a program
	asks  bool // a person may have to do something about it, so it is whole while it is live, if there is room
	live  bool // it still changes, so it is one line, whatever else it is
}

// draw returns a row as one line of fewer columns than width, so that no terminal
// wraps it, or as several lines if it must be whole. beat counts the turns of what is under way.
func (l look) draw(r row, width, beat int) string {
	text, more := visible.Line(r.text), visible.Line(r.more)
	dots := "…"
	if !l.unicode {
		text, more, dots = ascii(text), ascii(more), "..."
	}
	indent := strings.Repeat("  ", r.depth)
	room := max(width-1-len(indent)-2, 0)
	switch {
	case r.said && r.live:
		return indent + l.paint("2", "| ") + cut(text, room, dots)
	case r.said:
		return indent + l.paint("2", "| ") + text
	case r.whole && !r.live:
		return indent + l.sign(r.mark, beat) + " " + fold(strings.Split(text, " "), " ", 0, room, "\n"+indent+"  ")
	}
	facts, least := r.facts, min(20, columns(more))
	part := func() int { return min(columns(text), max(12, room/3)) }
	for len(facts) > 1 && part()+columns(between(facts))+least+2 > room {
		facts = facts[:len(facts)-1]
	}
	numbers := between(facts)
	if more == "" {
		text = cut(text, room-columns(numbers), dots)
	} else {
		text = cut(text, min(room, max(part(), room-columns(numbers)-2-columns(more))), dots)
	}
	left := room - columns(text) - columns(numbers) - 2
	if more != "" && left > 0 {
		more = "  " + cut(more, left, dots)
	} else {
		more = ""
	}
	return indent + l.sign(r.mark, beat) + " " + text + l.paint("2", numbers) + more
}

// fit draws rows as lines, at most room of them: then each that may take several takes one.
func (l look) fit(rows []row, width, beat, room int) []string {
	draw := func(live bool) (lines []string) {
		for _, r := range rows {
			r.live = r.live || live
			several := strings.Split(l.draw(r, width, beat), "\n")
			if slices.ContainsFunc(several, func(line string) bool { return columns(line) >= width }) { // a terminal would wrap it
				r.live = true
				several = []string{l.draw(r, width, beat)}
			}
			lines = append(lines, several...)
		}
		return lines
	}
	lines := draw(false)
	if len(lines) > room {
		lines = draw(true)
	}
	return lines[:min(len(lines), room)]
}

func between(facts []string) string {
	out := ""
	for _, f := range facts {
		out += "  " + f
	}
	return out
}

func (l look) sign(m mark, beat int) string {
	if m == working {
		return l.paint("36", turns[l.unicode][beat%len(turns[l.unicode])])
	}
	s := signs[m]
	if !l.unicode {
		return l.paint(s.color, s.plain)
	}
	return l.paint(s.color, s.sign)
}

func (l look) paint(color, s string) string {
	if !l.color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[m"
}
