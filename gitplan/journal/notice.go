package journal

import (
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Notice is one line of --json-events; readers ignore fields and kinds they do not know. What lasts is an [Event].
type Notice struct {
	Time     time.Time     `json:"time"`
	Kind     string        `json:"event"`
	Plan     string        `json:"plan"` // empty without one
	Branch   string        `json:"branch"`
	Step     string        `json:"step,omitempty"`
	Steps    []string      `json:"steps,omitempty"` // with step.start: those at work beside each other
	Attempt  int           `json:"attempt,omitempty"`
	Role     agent.Role    `json:"role,omitempty"`
	Agent    string        `json:"agent,omitempty"` // as configured
	Model    string        `json:"model,omitempty"` // if that is known
	Session  string        `json:"session,omitempty"`
	Command  string        `json:"command,omitempty"`
	ExitCode *int          `json:"exitCode,omitempty"`
	Text     string        `json:"text,omitempty"`
	Tokens   *agent.Tokens `json:"tokens,omitempty"`
	Cost     *float64      `json:"cost,omitempty"`
	Commit   string        `json:"commit,omitempty"`
	Done     int           `json:"done,omitempty"` // with run.start, step.done and planning: so many steps are done, of Total
	Total    int           `json:"total,omitempty"`
	Skipped  int           `json:"skipped,omitempty"` // of Total, and not of Done
	Goal     string        `json:"goal,omitempty"`    // how many commands of Done when pass, and the course of a number
	Round    *int          `json:"round,omitempty"`   // of a review; 0 is the plan's verification
	Reviewer string        `json:"reviewer,omitempty"`
	Finding  any           `json:"finding,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	// with step.failed and step.blocked: the reason is a question of the session
	Question bool       `json:"question,omitempty"`
	Final    bool       `json:"final,omitempty"` // with step.failed: no attempt follows
	End      string     `json:"end,omitempty"`   // of a review: its verdict
	Until    *time.Time `json:"until,omitempty"` // of a wait, if that is known
}

// The kinds of notices, as --json-events prints them.
const (
	RunStart     = "run.start"
	StepStart    = "step.start"
	StepNote     = "step.note"
	SandboxKind  = "sandbox" // once a run: what confines commands and checks, and why nothing stronger
	SessionStart = "session.start"
	SessionText  = "session.text"
	SessionTool  = "session.tool"
	SessionUsage = "session.usage" // its usage so far, before each further model call
	SessionEnd   = "session.end"
	CheckStart   = "check.start"
	CheckEnd     = "check.end"
	SetupStart   = "setup.start" // plan.worktreeSetup, which judges nothing
	SetupEnd     = "setup.end"
	StepLands    = "step.lands" // with steps side by side: its work passed, and is committed now or, with a reason, later
	StepDone     = "step.done"
	StepFailed   = "step.failed"
	StepBlocked  = "step.blocked"
	ReviewRound  = "review.round"
	ReviewerEnd  = "reviewer.end"
	FindingSeen  = "finding"
	FixEnd       = "fix.end"
	ReviewEnd    = "review.end"
	BudgetWarn   = "budget.warn"
	RunEnd       = "run.end"
)

// About returns a notice about a task by its name: a step, or a round of the review.
func About(name string, role agent.Role, attempt int) Notice {
	n := Notice{Role: role, Attempt: attempt}
	if round, ok := strings.CutPrefix(name, FixPrefix); ok {
		r, _ := strconv.Atoi(round)
		n.Role, n.Round = agent.Fixer, &r
		return n
	}
	n.Step = name
	return n
}

// endsStep reports whether work on the step has ended.
func (n Notice) endsStep() bool {
	return n.Kind == StepDone || n.Kind == StepBlocked || n.Kind == StepFailed && n.Final
}

// maxText bounds a text of a notice, in bytes.
const maxText = 4000

// Safe returns the notice as it may be shown: each text in one line, except the output of a check.
func (n Notice) Safe() Notice {
	for _, text := range []*string{&n.Reason, &n.Command, &n.Model, &n.Agent} {
		*text = visible.OneLine(*text, maxText)
	}
	if n.Kind == CheckEnd || n.Kind == SetupEnd {
		n.Text = visible.Text(n.Text)
	} else {
		n.Text = visible.OneLine(n.Text, maxText)
	}
	return n
}

// Of returns a notice of a kind about the same task.
func (n Notice) Of(kind, text string) Notice {
	n.Kind, n.Text = kind, text
	return n
}

const FixPrefix = "_review/"

// FixName returns the name of the task of a review round's fixer; no step has it.
func FixName(round int) string { return FixPrefix + strconv.Itoa(round) }

// Dollars returns a cost for programs; nil if it is unknown.
func Dollars(c agent.Cost) *float64 {
	if !c.Known {
		return nil
	}
	usd := agent.Dollars(c.USD)
	return &usd
}
