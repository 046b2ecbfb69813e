package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// board is what a terminal shows of the work under way, made from notices and the steps of
// the plan: rows that stand, each handed out once, and rows that still change. What happens
// in a task stands below its heading, so it is handed out when the task ends.
// Taking a notice costs next to nothing; texts are cleaned when they are drawn.
type board struct {
	start    *journal.Notice // of a run whose heading is not shown yet
	heading  string          // of the run; set with the notice that it stands before
	task     *task           // the step or review round under way; nil between
	sessions []*session      // under way, in the order in which they began
	check    string          // the command that runs now, and what for
	checked  time.Time       // since when
	failed   string          // the last check that failed, at this step
	printed  string          // what it printed
	times    int             // so often in a row, at this step
	why      string          // the reason for which its last attempt failed
	git      string          // what git is doing now, if that takes a while
	beaten   string          // why the last executor session ended without work
	stopping bool
	unkept   bool // a session that may write left work that is not committed yet
	settled  []row

	plan   []Step         // of the plan; empty if it is not known
	places map[string]int // where a step stands in plan

	began   time.Time
	done    int // steps
	blocked []string
	commits int
	commit  string // the last one
	held    int    // sessions
	used    usage
}

// task is a step, or a round of the review.
type task struct {
	step    string // empty: a round of the review
	text    string
	began   time.Time
	attempt int
	used    usage // by its sessions that ended
	below   []row // what happened in it
}

// add takes note of what happened.
func (b *board) add(n journal.Notice) {
	if b.began.IsZero() {
		b.began = n.Time
	}
	b.git = ""
	if b.head(n); b.heading != "" {
		b.settle(row{text: b.heading, whole: true})
		if n.Kind == journal.SandboxKind {
			return // the heading has it
		}
	}
	switch n.Kind {
	case journal.SessionStart:
		b.unkept = n.Role.Writes()
	case journal.StepDone, journal.StepBlocked, journal.FixEnd:
		b.unkept = false
	}
	switch n.Kind {
	case journal.SessionStart, journal.SessionText, journal.SessionTool, journal.SessionUsage, journal.SessionEnd:
		b.addSession(n)
	case journal.CheckStart, journal.SetupStart:
		b.check, b.checked = purpose(n)+": "+n.Command, n.Time
	case journal.CheckEnd, journal.SetupEnd:
		b.endCheck(n)
	case journal.SandboxKind, journal.StepNote, journal.BudgetWarn, journal.FindingSeen:
		b.remark(n)
	case journal.StepStart, journal.StepFailed, journal.StepBlocked, journal.StepDone:
		b.addStep(n)
	case journal.ReviewRound, journal.ReviewerEnd, journal.FixEnd, journal.ReviewEnd:
		b.addReview(n)
	}
}

// head finds the heading of a run: it stands before whatever happens first in the run, with
// the sandbox if that is known by then.
func (b *board) head(n journal.Notice) {
	b.heading = ""
	switch {
	case n.Kind == journal.RunStart:
		b.start = &n
	case b.start != nil && n.Kind != journal.RunEnd:
		b.heading, b.start = heading(*b.start, n), nil
	}
}

func (b *board) settle(r row) { b.settled = append(b.settled, r) }

// under settles a row that stands below the heading of the task under way.
func (b *board) under(r row) {
	if b.task == nil {
		b.settle(r)
		return
	}
	b.task.below = append(b.task.below, r)
}

// take returns the rows that stand since the last call.
func (b *board) take() []row {
	out := b.settled
	b.settled = nil
	return out
}

func (b *board) remark(n journal.Notice) {
	switch text := n.Text; n.Kind {
	case journal.SandboxKind:
		b.settle(row{text: sandboxOf(n), whole: true})
	case journal.BudgetWarn:
		b.settle(row{mark: waits, text: "warning: " + text, whole: true})
	default:
		b.under(row{depth: 1, text: text, whole: true})
	}
}

func (b *board) addStep(n journal.Notice) {
	switch n.Kind {
	case journal.StepStart:
		b.blocked = slices.DeleteFunc(b.blocked, func(step string) bool { return step == n.Step }) // its plan was written again
		b.task, b.beaten = &task{step: n.Step, text: b.name(n.Step, n.Text), began: n.Time}, ""
		b.failed, b.printed, b.times, b.why = "", "", 0, ""
	case journal.StepFailed:
		if n.Final { // the next notice says how the step ended
			return
		}
		why := n.Reason
		if b.checkTold(why) {
			why = "the check above"
		}
		b.under(row{mark: bad, depth: 1, text: fmt.Sprintf("attempt %d failed: %s", n.Attempt, why), whole: true})
		b.beaten, b.why = "", n.Reason
	case journal.StepBlocked:
		b.blocked = append(b.blocked, n.Step)
		b.settleStep(n.Step)
		b.close(row{mark: bad, text: n.Step, more: "blocked"}, n.Time)
		if !b.told(n.Reason) {
			b.settle(row{mark: bad, depth: 1, text: n.Reason, whole: true})
		}
	case journal.StepDone:
		b.done++
		b.settleStep(n.Step)
		if n.Commit != journal.None && n.Commit != "" {
			b.commits, b.commit = b.commits+1, visible.Short(n.Commit)
		}
		r := row{mark: good, text: n.Step, more: Committed(n.Commit)}
		if n.Total > 0 && b.number(n.Step) == 0 {
			r.facts = []string{fmt.Sprintf("%d/%d", n.Done, n.Total)}
		}
		b.close(r, n.Time)
		if n.Text != "" {
			b.settle(row{depth: 1, text: n.Text, whole: true})
		}
	}
}

// told reports whether a reason is printed above: as a check, or as why the last attempt
// failed.
func (b *board) told(reason string) bool { return b.checkTold(reason) || reason == b.why }

// checkTold reports whether a reason is a check that stands above, with what it
// printed.
func (b *board) checkTold(reason string) bool {
	return b.failed != "" && strings.HasPrefix(reason, "`"+b.failed+"`")
}

// close settles the task under way: its heading, and below it what happened.
func (b *board) close(r row, now time.Time) {
	var below []row
	if t := b.task; t != nil {
		r.text, r.facts = t.text, slices.Insert(t.used.facts(now.Sub(t.began)), 1, r.facts...)
		below = t.below
	}
	b.task = nil
	b.settle(r)
	b.settled = append(b.settled, below...)
}

func (b *board) addReview(n journal.Notice) {
	switch n.Kind {
	case journal.ReviewRound:
		if b.task != nil {
			b.close(row{mark: good}, n.Time)
		}
		b.task = &task{text: fmt.Sprintf("review, round %d", roundOf(n)), began: n.Time}
	case journal.ReviewEnd:
		b.close(row{text: "review", more: n.Text}, n.Time)
	default:
		r := row{mark: good, depth: 1, text: n.Text, whole: true}
		if n.Kind == journal.FixEnd && n.Commit != "" {
			b.commits, b.commit = b.commits+1, visible.Short(n.Commit)
		} else if n.Reason != "" || n.Kind == journal.FixEnd {
			r.mark = bad
		}
		b.under(r)
	}
}

func (b *board) endCheck(n journal.Notice) {
	failed := n.ExitCode != nil && *n.ExitCode != 0
	switch {
	case failed:
		b.failCheck(n)
	case b.task == nil && len(b.sessions) == 0:
		b.settle(row{mark: good, text: b.check, facts: []string{clock(n.Time.Sub(b.checked))}})
	}
	b.check = ""
}

// failCheck shows how a check failed, with what it printed; once, if it does so again.
func (b *board) failCheck(n journal.Notice) {
	text := strings.TrimRight(n.Text, "\r\n")
	if b.task != nil && b.failed == n.Command && b.printed == text && text != "" {
		b.times++
		b.under(row{mark: bad, depth: 1, text: failing(n) + ", as before: " + n.Command, facts: []string{fmt.Sprintf("%d times", b.times)}})
		return
	}
	b.failed, b.printed, b.times = n.Command, text, 1
	b.under(row{mark: bad, depth: 1, text: failing(n) + ": " + n.Command})
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			b.under(row{depth: 2, text: strings.TrimRight(line, "\r"), said: true})
		}
	}
}

// busy reports whether something is under way, so that the clock must move.
func (b *board) busy() bool { return b.task != nil || len(b.sessions) > 0 || b.check != "" }

// rows returns what still changes, at most room of them if that can be: the task with what
// happened in it lately, and the sessions that are not the step's own.
func (b *board) rows(now time.Time, room int) []row {
	sign := working
	if b.stopping {
		sign = halted
	}
	var head, others, below []row
	depth := 0
	if b.task != nil {
		head, below, depth = []row{b.taskRow(sign, now)}, b.task.below, 1
	}
	for _, s := range b.sessions {
		if !b.ofTask(s) {
			others = append(others, row{mark: sign, depth: depth, text: s.name, facts: s.used.facts(now.Sub(s.began)), more: s.doing(now)})
		}
	}
	if b.check != "" && (b.task == nil || b.task.step == "") {
		others = append(others, row{mark: sign, depth: depth, text: b.check, facts: []string{clock(now.Sub(b.checked))}})
	}
	room -= len(head) + len(others)
	below = slices.Clone(below[len(below)-max(min(len(below), room), 0):])
	for i := range below {
		below[i].live = true
	}
	return slices.Concat(head, below, others)
}

// ofTask reports whether a session is the one of the step under way, which its row speaks of.
func (b *board) ofTask(s *session) bool {
	return b.task != nil && b.task.step != "" && s.step == b.task.step
}

// taskRow is the row of the task under way: what its session does now, or its check, or git.
func (b *board) taskRow(sign mark, now time.Time) row {
	t := b.task
	r := row{mark: sign, text: t.text}
	used := t.used
	for _, s := range b.sessions {
		used = used.add(s.used)
		if b.ofTask(s) {
			r.more = s.doing(now)
		}
	}
	if t.step != "" && b.check != "" {
		r.more = b.check
	}
	if b.git != "" {
		r.more = b.git
	}
	if t.attempt > 1 {
		r.more = strings.TrimSuffix(fmt.Sprintf("attempt %d: %s", t.attempt, r.more), ": ")
	}
	r.facts = used.facts(now.Sub(t.began))
	return r
}

// summary says what was done and what it cost; "" if no session ran.
func (b *board) summary(now time.Time) string {
	if b.held == 0 {
		return ""
	}
	var parts []string
	if b.done > 0 {
		parts = append(parts, Count(b.done, "step")+" done")
	}
	if len(b.blocked) > 0 {
		parts = append(parts, Count(len(b.blocked), "step")+" blocked")
	}
	parts = append(parts, Count(b.held, "session")+" in "+clock(now.Sub(b.began)), b.used.sum(), b.used.cost())
	return strings.Join(parts, ", ")
}

// stops says what Ctrl-C does now.
func (b *board) stops() string {
	const again = "Ctrl-C again ends at once"
	if b.unkept {
		return "stopping: what the session did is kept; " + again
	}
	return "stopping; " + again
}
