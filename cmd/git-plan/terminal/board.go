package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// board is the state of the work under way, made from notices alone.
type board struct {
	start *journal.Notice // start of a run, until its heading is printed
	tasks []*task         // in the order in which they began
	jobs  bool            // steps may run side by side
	keys  string          // help for keys in the last row

	stopping bool

	began    time.Time
	done     int      // steps that this run did
	blocked  []string // steps that this run left blocked
	ticked   int      // steps of the plan that are done, of total
	total    int
	goal     string // values of Done when
	skipped  int
	notes    map[string]int // number of times that each was given
	fixer    *task          // the fixer's session, once it has ended
	round    *round         // nil before the review, and once its row is drawn
	rounds   int
	fixes    int
	ending   string // end of the review
	why      string // reason for ending
	code     int    // exit code of the run
	sessions int
	commands int // sessions that are the command of a step with Run
	used     usage
}

// task is a step at work, or a session or check that belongs to none.
type task struct {
	step, session string
	name          string
	began         time.Time
	attempt       int
	started       bool  // began with step.start, so ends with the step
	used          usage // by sessions that ended
	using         usage // by the session at work
	doing         string
	until         *time.Time // end of a wait
	said          string     // last words of its session
	failed        string     // last check that failed
}

// add updates the board by a notice. If the notice ends a step, add returns the step's task.
func (b *board) add(n journal.Notice) (ended *task) {
	if b.began.IsZero() {
		b.began = n.Time
	}
	if n.Total > 0 {
		b.ticked, b.total, b.skipped = n.Done, n.Total, n.Skipped
	}
	b.goal = cmp.Or(n.Goal, b.goal)
	switch n.Kind {
	case journal.StepNote:
		if n.Total > 0 { // the plan was planned again, with blocked steps
			b.blocked = nil
		}
	case journal.StepStart:
		b.begin(n)
	case journal.SessionStart, journal.SessionText, journal.SessionTool, journal.SessionUsage, journal.SessionEnd:
		b.addSession(n)
	case journal.CheckStart, journal.SetupStart:
		t := b.taskOf(n)
		t.doing, t.until = purpose(n)+": "+asPlanned(n.Command), nil
	case journal.CheckEnd, journal.SetupEnd:
		t := b.taskOf(n)
		t.doing = ""
		if n.ExitCode != nil && *n.ExitCode != 0 {
			t.failed, _ = plan.Split(n.Command)
		}
		b.endUnlessStarted(t)
	case journal.StepLands:
		b.taskOf(n).doing = cmp.Or(n.Reason, "is being committed")
	case journal.StepDone:
		b.done++
		return b.end(n.Step)
	case journal.StepBlocked:
		b.blocked = plan.Unique(append(b.blocked, n.Step))
		return b.end(n.Step)
	case journal.FixEnd:
		if n.Commit != "" {
			b.fixes++
		}
		b.endUnlessStarted(b.taskOf(journal.Notice{})) // git, which committed
	case journal.ReviewRound:
		b.rounds++
		b.round = &round{n: b.rounds, began: n.Time}
		if n.Round != nil {
			b.round.n = *n.Round
		}
	case journal.ReviewerEnd:
		if b.round != nil {
			name := n.Reviewer
			if n.Reason != "" {
				name, b.round.silent = name+" (no answer)", true
			}
			b.round.reviewers = append(b.round.reviewers, name)
		}
	case journal.ReviewEnd:
		b.ending, b.why = strings.TrimSuffix(n.Text, ": "+n.Reason), n.Reason
	case journal.RunEnd:
		if n.ExitCode != nil {
			b.code = *n.ExitCode
		}
	}
	return nil
}

// heading returns the parts of a run's first line, once: at the first notice after run.start, except notes.
func (b *board) heading(n journal.Notice) []string {
	start := b.start
	if n.Kind == journal.RunStart {
		b.start = &n
		return nil
	}
	if start == nil || n.Kind == journal.RunEnd || n.Kind == journal.StepNote {
		return nil
	}
	b.start = nil
	parts := []string{visible.OneLine(start.Text, 100), visible.Line(start.Branch)}
	if start.Agent != "" {
		parts = append(parts, because(linef("agent %s", agentOf(*start)), start.Reason))
	}
	if n.Kind == journal.SandboxKind {
		parts = append(parts, Lines(n))
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// lines returns the text of a notice, with its step if named is set.
func (b *board) lines(n journal.Notice, named bool) string {
	line := Lines(n)
	if below, ok := strings.CutPrefix(line, "  "); ok && named && n.Step != "" {
		return "  " + n.Step + ": " + strings.TrimLeft(below, " ")
	}
	return line
}

// repeats reports whether a notice is a note given before. The verdict counts them.
func (b *board) repeats(n journal.Notice) bool {
	if n.Kind != journal.StepNote {
		return false
	}
	if b.notes == nil {
		b.notes = map[string]int{}
	}
	b.notes[n.Text]++
	return b.notes[n.Text] > 1
}

// begin adds a step. Steps that the notice does not list as running with it have ended.
func (b *board) begin(n journal.Notice) {
	b.blocked = slices.DeleteFunc(b.blocked, func(id string) bool { return id == n.Step }) // its plan was rewritten
	b.jobs = len(n.Steps) > 0
	b.tasks = slices.DeleteFunc(b.tasks, func(t *task) bool {
		return t.step != n.Step && !slices.Contains(n.Steps, t.step)
	})
	t := b.taskOf(n)
	t.name, t.started, t.doing = n.Step+": "+n.Text, true, ""
}

// taskOf returns the task of a notice, new if necessary.
func (b *board) taskOf(n journal.Notice) *task {
	t := &task{step: n.Step, name: n.Step, began: n.Time}
	if n.Step == "" && n.Session != "" {
		t.session, t.name = n.Session, named(n)
	}
	if i := slices.IndexFunc(b.tasks, func(o *task) bool { return o.step == t.step && o.session == t.session }); i >= 0 {
		return b.tasks[i]
	}
	b.tasks = append(b.tasks, t)
	return t
}

// end removes and returns the task of a step; nil if it has none.
func (b *board) end(step string) *task {
	i := slices.IndexFunc(b.tasks, func(t *task) bool { return t.step == step })
	if i < 0 {
		return nil
	}
	t := b.tasks[i]
	b.tasks = slices.Delete(b.tasks, i, i+1)
	return t
}

// endUnlessStarted removes a task without a step.start: no later notice ends it.
func (b *board) endUnlessStarted(t *task) {
	if !t.started {
		b.tasks = slices.DeleteFunc(b.tasks, func(o *task) bool { return o == t })
	}
}

func (b *board) addSession(n journal.Notice) {
	t := b.taskOf(n)
	switch n.Kind {
	case journal.SessionStart:
		t.attempt, t.doing, t.until = n.Attempt, "", nil
	case journal.SessionText:
		t.doing, t.until = n.Reason, n.Until
		if n.Session != "" && n.Reason != "" { // else git is at work
			t.doing = "waiting: " + n.Reason
		}
	case journal.SessionTool:
		t.doing, t.until = Called(n), nil
	case journal.SessionUsage:
		t.using = usageOf(n)
	case journal.SessionEnd:
		used := usageOf(n)
		t.said = n.Reason
		t.used, t.using, t.doing, t.until = t.used.add(used), usage{}, "", nil
		b.used = b.used.add(used)
		if b.round != nil {
			b.round.used = b.round.used.add(used)
		}
		if n.Session != "" { // else an earlier process ran it
			b.sessions++
			b.commands += min(len(n.Command), 1)
		}
		if n.Role == agent.Fixer {
			b.fixer = t
		}
		b.endUnlessStarted(t)
	}
}

type usage struct {
	tokens agent.Tokens
	cost   agent.Cost // known if a session reported a price
	gap    bool       // a session used tokens and reported none
}

func usageOf(n journal.Notice) (u usage) {
	if n.Tokens != nil {
		u.tokens = *n.Tokens
	}
	if n.Cost != nil {
		u.cost = agent.Cost{USD: *n.Cost, Known: true}
	}
	u.gap = n.Cost == nil && u.tokens != (agent.Tokens{})
	return u
}

func (u usage) add(o usage) usage {
	return usage{u.tokens.Add(o.tokens), u.cost.Add(o.cost), u.gap || o.gap}
}

// Tokens returns a number of tokens for people: 12.0k tokens (6.7k cached).
func Tokens(t agent.Tokens) string {
	n := t.In + t.Out
	if n == 0 {
		return t.String()
	}
	text := Thousands(n) + " tokens"
	if t.Cached > 0 {
		text += " (" + Thousands(t.Cached) + " cached)"
	}
	return text
}

func (u usage) total() string {
	switch known := (agent.Cost{USD: u.cost.USD, Known: true}).String(); {
	case u.cost.Known && u.gap:
		return "at least " + known
	case u.cost.Known || !u.gap: // a command uses nothing that costs
		return known
	}
	return "cost unknown"
}

func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Thousands returns a number in few digits: 105.6k.
func Thousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}
