package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
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
	waits
	halted
)

// signs are the marks' signs with Unicode, in ASCII, and their colours.
var signs = map[mark]struct{ sign, plain, color string }{
	note:   {"•", "-", "2"},
	good:   {"✓", "+", "32"},
	bad:    {"✗", "x", "31"},
	waits:  {"…", "~", "33"},
	halted: {"■", "#", "33"},
}

// turns are the signs of what is under way, one after the other.
var turns = map[bool][]string{
	true:  {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
	false: {"|", "/", "-", "\\"},
}

// row is one line for people: what it is about, its numbers, and what happens
// in it now or came of it.
type row struct {
	mark  mark
	depth int
	text  string
	facts []string // the first is the most important
	more  string
	whole bool // never cut, but folded at words: a terminal may wrap what stands
	said  bool // by a program
}

// draw makes a row one line of fewer columns than width, so that no terminal
// wraps it, or as many as a whole one needs. beat counts the turns of what is under way.
func (l look) draw(r row, width, beat int) string {
	text, more := clean(r.text), clean(r.more)
	dots := "…"
	if !l.unicode {
		text, more, dots = ascii(text), ascii(more), "..."
	}
	indent := strings.Repeat("  ", r.depth)
	room := max(width-1-len(indent)-2, 0)
	switch {
	case r.said:
		return indent + l.paint("2", "| ") + text
	case r.whole:
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

// clock is a duration as people read it on a clock: 0:42, 1:02:03.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// usage is what sessions used, as far as somebody told.
type usage struct {
	tokens    agent.Tokens
	usd       float64
	costKnown bool // somebody told a price
	costGap   bool // somebody used tokens and told none
}

func (u usage) add(o usage) usage {
	return usage{u.tokens.Add(o.tokens), u.usd + o.usd, u.costKnown || o.costKnown, u.costGap || o.costGap}
}

// facts are the short forms of time, tokens and cost.
func (u usage) facts(took time.Duration) []string {
	out := []string{clock(took)}
	if n := u.tokens.In + u.tokens.Out; n > 0 {
		out = append(out, thousands(n)+" tok")
	}
	if u.costKnown {
		out = append(out, fmt.Sprintf("$%.2f", u.usd))
	}
	return out
}

func thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// cost is what the sessions cost, for the end: nobody is told a sum in which
// something is missing as if it were all.
func (u usage) cost() string {
	switch known := (agent.Cost{USD: u.usd, Known: true}).String(); {
	case u.costKnown && u.costGap:
		return "at least " + known
	case u.costKnown || !u.costGap: // a command uses nothing that costs
		return known
	}
	return "cost unknown"
}
