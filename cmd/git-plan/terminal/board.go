package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// board is what a terminal shows of the work under way, made from notices and the steps of
// the plan: rows that stand, each handed out once, and rows that still change. What happens
// in a task is below its heading, so it is handed out when the task ends.
// Taking a notice costs next to nothing; texts are cleaned when they are drawn.
type board struct {
	start    *journal.Notice // of a run whose heading is not shown yet
	heading  string          // of the run; set with the notice that comes after it
	agent    string          // of the run
	tasks    []*task         // the steps or the review round under way, in the order in which they began
	several  bool            // steps may be at work at once
	between  task            // what belongs to none: a check
	sessions []*session      // under way, in the order in which they began
	stopping bool
	unkept   bool // a session that may write left work that is not committed yet
	settled  []row

	plan   []Step          // of the plan; empty if it is not known
	places map[string]int  // numbers of steps in plan
	over   map[string]bool // steps that are no longer to come, whatever plan says

	began   time.Time
	done    int // steps
	blocked []string
	commits int
	commit  string // the last one
	held    int    // sessions
	used    usage
}

// add takes note of what happened.
func (b *board) add(n journal.Notice) {
	if b.began.IsZero() {
		b.began = n.Time
	}
	t := b.of(n.Step)
	if t.git = ""; n.Kind != journal.SessionText {
		t.lands = ""
	}
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
		t := b.of(n.Step)
		t.check, t.checked = purpose(n)+": "+n.Command, n.Time
	case journal.CheckEnd, journal.SetupEnd:
		b.endCheck(n)
	case journal.SandboxKind, journal.StepNote, journal.BudgetWarn, journal.FindingSeen:
		b.remark(n)
	case journal.StepStart, journal.StepLands, journal.StepFailed, journal.StepBlocked, journal.StepDone:
		b.addStep(n)
	case journal.ReviewRound, journal.ReviewerEnd, journal.FixEnd, journal.ReviewEnd:
		b.addReview(n)
	}
}

// head finds the heading of a run: it is before whatever happens first in the run, with
// the sandbox if that is known by then.
func (b *board) head(n journal.Notice) {
	b.heading = ""
	switch {
	case n.Kind == journal.RunStart:
		b.start, b.agent = &n, n.Agent
	case b.start != nil && n.Kind != journal.RunEnd:
		b.heading, b.start = heading(*b.start, n), nil
	}
}

func (b *board) settle(r row) { b.settled = append(b.settled, r) }

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
		b.under(n.Step, row{depth: 1, text: text, whole: true, asks: n.Kind == journal.StepNote})
	}
}

func (b *board) addStep(n journal.Notice) {
	switch n.Kind {
	case journal.StepStart:
		b.begin(n)
	case journal.StepLands:
		t := b.of(n.Step)
		t.lands, t.waits = cmp.Or(n.Reason, "is being committed"), n.Reason != ""
	case journal.StepFailed:
		t := b.of(n.Step)
		if n.Final { // if a notice follows, it says how the step ended
			t.over = n.Reason
			return
		}
		why := n.Reason
		if t.checkTold(why) {
			why = "the check above"
		}
		r := row{mark: bad, depth: 1, text: fmt.Sprintf("attempt %d failed: %s", n.Attempt, why), whole: true}
		if n.Question {
			r.mark, r.text = asks, asked(n)
		}
		b.under(n.Step, r)
		t.beaten, t.why = "", n.Reason
	case journal.StepBlocked:
		reported := b.of(n.Step).reported(n.Reason)
		b.blocked = append(b.blocked, n.Step)
		b.settleStep(n.Step)
		switch {
		case n.Question:
			b.close(n.Step, row{mark: asks, text: n.Step, more: "waits for an answer"}, n.Time)
			b.settle(row{mark: asks, depth: 1, text: "asked: " + n.Reason, whole: true})
		case reported:
			b.close(n.Step, row{mark: bad, text: n.Step, more: "blocked"}, n.Time)
		default:
			b.close(n.Step, row{mark: bad, text: n.Step, more: "blocked"}, n.Time)
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
		b.close(n.Step, r, n.Time)
		if n.Text != "" {
			b.settle(row{depth: 1, text: n.Text, whole: true})
		}
	}
}

func (b *board) addReview(n journal.Notice) {
	switch n.Kind {
	case journal.ReviewRound:
		if len(b.tasks) > 0 {
			b.close("", row{mark: good}, n.Time)
		}
		b.tasks = []*task{{text: fmt.Sprintf("review, round %d", roundOf(n)), began: n.Time}}
	case journal.ReviewEnd:
		r := row{text: "review", more: n.Text}
		if slices.Contains([]string{"clean", "notes", "dismissed"}, n.End) { // it passed
			r.mark = good
		}
		b.close("", r, n.Time)
	default:
		r := row{mark: good, depth: 1, text: n.Text, whole: true}
		if n.Kind == journal.FixEnd && n.Commit != "" {
			b.commits, b.commit = b.commits+1, visible.Short(n.Commit)
		} else if n.Reason != "" || n.Kind == journal.FixEnd {
			r.mark = bad
		}
		b.under("", r)
	}
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
