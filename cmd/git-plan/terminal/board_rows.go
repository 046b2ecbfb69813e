package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// busy reports whether something is under way, so that the clock must move.
func (b *board) busy() bool {
	return len(b.tasks) > 0 || len(b.sessions) > 0 || b.between.check != ""
}

// rows returns what still changes, at most room of them if that can be: each task with what
// happened in it lately, the sessions that are not a step's own, and what is being committed.
// Tasks that do not fit are counted.
func (b *board) rows(now time.Time, room int) []row {
	sign := working
	if b.stopping {
		sign = halted
	}
	others := b.others(sign, now)
	if r, ok := b.landing(); ok {
		others = append(others, r)
	}
	shown := b.tasks
	if n := len(shown); n > 1 && n+len(others) > room {
		shown = shown[:max(min(n, room-len(others)-1), 1)]
		others = slices.Insert(others, 0, row{mark: sign, text: fmt.Sprintf("%d more at work", n-len(shown))})
	}
	room = max(room-len(shown)-len(others), 0)
	var out []row
	for i, t := range shown {
		below := t.below
		share := room / (len(shown) - i) // what one does not need the next ones have
		below = slices.Clone(below[len(below)-min(len(below), share):])
		for i := range below {
			below[i].live = !below[i].asks
		}
		room -= len(below)
		out = append(append(out, b.taskRow(t, sign, now)), below...)
	}
	return append(out, others...)
}

// others returns the rows of sessions and checks that no task's row speaks of.
func (b *board) others(sign mark, now time.Time) (out []row) {
	depth := min(len(b.tasks), 1)
	for _, s := range b.sessions {
		if !b.ofStep(s) {
			out = append(out, row{mark: sign, depth: depth, text: s.name, facts: s.used.facts(now.Sub(s.began)), more: b.doing(s, now)})
		}
	}
	checks := []*task{&b.between}
	if len(b.tasks) == 1 && b.tasks[0].step == "" {
		checks = append(checks, b.tasks[0])
	}
	for _, t := range checks {
		if t.check != "" {
			out = append(out, row{mark: sign, depth: depth, text: t.check, facts: []string{clock(now.Sub(t.checked))}})
		}
	}
	return out
}

// landing returns a row for what waits until the work of another step is committed.
func (b *board) landing() (r row, ok bool) {
	now, wait := "", []string{}
	for _, t := range b.tasks {
		switch {
		case t.lands == "":
		case t.waits:
			wait = append(wait, t.step)
		default:
			now = t.step
		}
	}
	if len(wait) == 0 {
		return row{}, false
	}
	text := "waiting to be committed: " + strings.Join(wait, ", ")
	if now != "" {
		text = now + " is being committed; after it: " + strings.Join(wait, ", ")
	}
	return row{mark: waits, text: text}, true
}

// ofStep reports whether a session is the one of a step under way, whose row speaks of it.
func (b *board) ofStep(s *session) bool {
	return s.step != "" && b.of(s.step).step == s.step
}

// taskRow is the row of a task under way: what its session does now, or its check, or git.
func (b *board) taskRow(t *task, sign mark, now time.Time) row {
	r := row{mark: sign, text: t.text}
	used := t.used
	for _, s := range b.sessions {
		if b.of(s.step) == t {
			used = used.add(s.used)
		}
		if b.ofStep(s) && s.step == t.step {
			r.more = b.doing(s, now)
		}
	}
	switch {
	case b.several && t.over != "":
		r.more = t.over
		if !b.stopping {
			r.mark = bad
		}
	case t.git != "":
		r.more = t.git
	case t.lands != "":
		r.more = t.lands
	case t.step != "" && t.check != "":
		r.more = t.check
	}
	if t.attempt > 1 {
		r.more = strings.TrimSuffix(fmt.Sprintf("attempt %d: %s", t.attempt, r.more), ": ")
	}
	r.facts = used.facts(now.Sub(t.began))
	return r
}
