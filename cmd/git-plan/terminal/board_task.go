package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// task is a step, or a round of the review.
type task struct {
	step    string // empty: a round of the review
	text    string
	began   time.Time
	attempt int
	used    usage // by its sessions that ended
	below   []row // what happened in it

	check   string    // the command that runs now, and what for
	checked time.Time // since when
	git     string    // what git is doing now, if that takes a while
	lands   string    // that its work is being committed, or waits for that
	waits   bool      // that it waits
	failed  string    // the last check that failed
	printed string    // what it printed
	times   int       // so often in a row
	why     string    // the reason for which its last attempt failed
	beaten  string    // why its last executor session ended without work
	over    string    // why its last attempt failed, after which there is no other
}

// begin takes note of a step that begins, or begins again on top of what others committed. Those
// that are not at work beside it have ended.
func (b *board) begin(n journal.Notice) {
	b.blocked = slices.DeleteFunc(b.blocked, func(step string) bool { return step == n.Step }) // its plan was written again
	delete(b.over, n.Step)
	t := &task{step: n.Step, text: b.name(n.Step, n.Text), began: n.Time}
	if b.several = len(n.Steps) > 0; !b.several {
		b.tasks = []*task{t}
		return
	}
	for _, o := range slices.Clone(b.tasks) {
		if !slices.Contains(n.Steps, o.step) {
			b.close(o.step, row{mark: bad, more: o.over}, n.Time)
		} else if o.step == n.Step {
			t.began, t.attempt, t.used, t.below = o.began, o.attempt, o.used, o.below
			*o, t = *t, nil
		}
	}
	if t != nil {
		b.tasks = append(b.tasks, t)
	}
}

// of returns the task that something belongs to: that of the step, or the only one.
func (b *board) of(step string) *task {
	if i := slices.IndexFunc(b.tasks, func(t *task) bool { return t.step == step }); i >= 0 {
		return b.tasks[i]
	}
	if len(b.tasks) == 1 && (!b.several || step == "") {
		return b.tasks[0]
	}
	return &b.between
}

// committing returns the task whose work is being committed.
func (b *board) committing() *task {
	if i := slices.IndexFunc(b.tasks, func(t *task) bool { return t.lands != "" && !t.waits }); i >= 0 {
		return b.tasks[i]
	}
	return b.of("")
}

// under settles a row that is below the heading of the task that it is about.
func (b *board) under(step string, r row) {
	t := b.of(step)
	if t == &b.between {
		b.settle(r)
		return
	}
	t.below = append(t.below, r)
}

// close settles the task of a step: its heading, and below it what happened.
func (b *board) close(step string, r row, now time.Time) {
	t := b.of(step)
	if t == &b.between {
		b.settle(r)
		return
	}
	r.text, r.facts = t.text, slices.Insert(t.used.facts(now.Sub(t.began)), 1, r.facts...)
	b.tasks = slices.DeleteFunc(b.tasks, func(o *task) bool { return o == t })
	b.settle(r)
	b.settled = append(b.settled, t.below...)
}

// reported reports whether a reason is printed above: as a check, or as why the last attempt
// failed.
func (t *task) reported(reason string) bool { return t.checkTold(reason) || reason == t.why }

// checkTold reports whether a reason is a check that is above, with what it
// printed.
func (t *task) checkTold(reason string) bool {
	return t.failed != "" && strings.HasPrefix(reason, "`"+t.failed+"`")
}

func (b *board) endCheck(n journal.Notice) {
	t := b.of(n.Step)
	failed := n.ExitCode != nil && *n.ExitCode != 0
	switch {
	case failed:
		b.failCheck(t, n)
	case t == &b.between && len(b.sessions) == 0:
		b.settle(row{mark: good, text: t.check, facts: []string{clock(n.Time.Sub(t.checked))}})
	}
	t.check = ""
}

// failCheck shows how a check failed, with what it printed; once, if it does so again.
func (b *board) failCheck(t *task, n journal.Notice) {
	text := strings.TrimRight(n.Text, "\r\n")
	if t != &b.between && t.failed == n.Command && t.printed == text && text != "" {
		t.times++
		b.under(n.Step, row{mark: bad, depth: 1, text: failing(n) + ", as before: " + n.Command, facts: []string{fmt.Sprintf("%d times", t.times)}})
		return
	}
	t.failed, t.printed, t.times = n.Command, text, 1
	b.under(n.Step, row{mark: bad, depth: 1, text: failing(n) + ": " + n.Command})
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			b.under(n.Step, row{depth: 2, text: strings.TrimRight(line, "\r"), said: true})
		}
	}
}
