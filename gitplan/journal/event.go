package journal

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Kind is what happened to a plan.
type Kind string

// The events, as the trailer Plan-Event names them.
const (
	Created    Kind = "created"
	Edited     Kind = "edited"
	Approved   Kind = "approved"
	Revoked    Kind = "revoked" // the approval was taken back
	Started    Kind = "started"
	Checked    Kind = "checked"
	Failed     Kind = "failed"
	Done       Kind = "done"
	Blocked    Kind = "blocked"
	Skipped    Kind = "skipped"
	Reopened   Kind = "reopened"
	Reviewed   Kind = "reviewed"
	Replanned  Kind = "replanned" // the steps named were tried before and begin again
	Planned    Kind = "planned"   // replanned within the Bounds of the plan, toward its goal
	Undone     Kind = "undone"    // which steps it reopens is derived from the branch
	Accepted   Kind = "accepted"  // a check of the plan may fail
	Required   Kind = "required"  // a check that was accepted passes, and must from now on
	Dismissed  Kind = "dismissed" // a person says that nothing is to be done about a finding
	Answered   Kind = "answered"  // a person answers a fixer that asked about a finding
	Restored   Kind = "restored"  // a person takes that back
	Confirmed  Kind = "confirmed" // a person found that a criterion in words holds
	Unreviewed Kind = "unreviewed"
	Rewritten  Kind = "rewritten" // commits took the place of others, by rebase or amend
)

// Who caused an event, and other words in its fields.
const (
	ByPerson = "person"
	ByAgent  = "agent"
	ByBounds = "bounds" // the plan's Bounds, which a person signed, approve the event

	None        = "none"        // stands for a commit: nothing was committed, or none existed
	Interrupted = "interrupted" // the reason of an attempt or a review that was stopped
)

// OrNone returns the name of a commit as an event has it: None for "".
func OrNone(oid string) string { return cmp.Or(oid, None) }

// Event is one commit on a plan's chain: what happened, in trailers of its message.
type Event struct {
	Kind      Kind
	Steps     []string // step IDs; usually one, none for events of the whole plan
	Head      string   // the commit of the branch after the event, or None
	Tree      string   // started, checked: the tree of the work tree; blocked: the unchanged tree that passed
	Start     string   // created: the commit of the branch, or None
	Imported  string   // created: the path of the imported file in the repository
	Attempt   int
	By        string // ByPerson, ByAgent or ByBounds
	Agent     string // agent and model, such as "openai/gpt-5.6"
	Tokens    agent.Tokens
	Cost      agent.Cost
	Took      time.Duration
	Reason    string          // why the step failed, is blocked, or was done without a commit
	Summary   string          // the session's report, which later sessions read
	Kept      string          // the ref that keeps an unfinished attempt
	Question  bool            // failed, blocked: Reason is a question from the session to a person
	Stopped   bool            // failed: the work was interrupted, so the same attempt is made again
	Answers   int             // created, replanned, reopened: how many questions a person answered
	Unstuck   bool            // reviewed: a person committed a fix for what the previous review left open
	Check     string          // accepted, required, confirmed: the result of NameOfCheck
	Finding   string          // dismissed, restored, answered: the ID of the finding
	Usage     []RoleUsage     // the sessions, if the event covers several; Tokens and Cost are their sums
	Proposal  string          // the session's proposed change of the plan
	Assumed   string          // done: the session's assumptions where the step left something open
	Drift     []string        // done: changed files that the step does not name, with the reasons
	Session   string          // the ID of the attempt's session, for git plan log --session
	Unchecked bool            // done: no command checked the step, or none that ran a test
	Weakened  []string        // done: tests and checks that the session weakened, with the reasons
	Originals []string        // refs that keep the user's files as they were before the session changed them
	Measured  []Measured      // planned, checked: the results of the commands under Done when
	Rewrites  []Rewrite       // rewritten: the replaced commits and their successors, oldest first
	With      []git.RefChange // further ref changes in the transaction that writes the event

	// Set by parse, from the commit itself.
	Commit   string // the object ID of the event's commit on the chain
	Time     time.Time
	Headline string // the subject of its message
}

// Step returns the id of the only step, or empty.
func (e Event) Step() string {
	if len(e.Steps) == 1 {
		return e.Steps[0]
	}
	return ""
}

// TickedByHand reports whether a person said that the step is done, without a checked attempt.
func (e Event) TickedByHand() bool { return e.Kind == Done && e.By == ByPerson && e.Attempt == 0 }

// subject returns what happened in a few words, for the subject of the commit.
func (e Event) subject() string {
	happened := string(e.Kind)
	switch {
	case e.Stopped: // nothing failed
		happened = "stopped"
	case e.Question && e.Kind == Failed:
		happened = "asked"
	}
	switch {
	case len(e.Steps) > 0:
		return "step " + strings.Join(e.Steps, ", ") + ": " + happened
	case e.Check != "":
		return fmt.Sprintf("check %s: %s", visible.OneLine(e.Check, 60), e.Kind)
	case e.Finding != "":
		return fmt.Sprintf("finding %.7s: %s", e.Finding, e.Kind)
	case e.Kind == Reviewed:
		return "review: " + e.Reason
	case len(e.Usage) > 0 && (e.Kind == Failed || e.Kind == Checked): // a session of the plan, not of a step
		return string(e.Usage[0].Role) + ": " + happened
	}
	return "plan: " + happened
}

// message returns the commit message of the event on the chain of plan id.
func (e Event) message(id, branch string, done, total int) string {
	var b strings.Builder
	branch = cmp.Or(branch, "(detached)")
	fmt.Fprintf(&b, "%s %d/%d %s\n\n", branch, done, total, e.subject())
	for _, t := range trailers {
		for _, value := range t.values(&e, id) {
			if value != "" {
				fmt.Fprintf(&b, "%s: %s\n", t.key, visible.OneLine(value, 2000))
			}
		}
	}
	return b.String()
}

// parse reads an event back from a commit of the chain of plan id.
func (e *Event) parse(id string, c git.Commit) {
	*e = Event{Commit: c.OID, Time: c.Time, Headline: visible.Line(c.Subject())}
	for line := range strings.SplitSeq(c.Message, "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok && byKey[key].read != nil {
			byKey[key].read(e, id, value)
		}
	}
	// Older versions wrote only the words.
	e.Stopped = e.Stopped || e.Kind == Failed && e.Reason == Interrupted
	if e.Kind == Reopened && strings.HasPrefix(e.Reason, AnswerPrefix) {
		e.Answers = max(e.Answers, 1)
	}
}

// AnswerPrefix begins the reason of an event that reopens a step with an answer.
const AnswerPrefix = "answered: "

// importedPath returns p if it is a path inside the repository that fits in one line, else "".
func importedPath(p string) string {
	if !fs.ValidPath(p) || p == "." || visible.OneLine(p, 2000) != p {
		return ""
	}
	return p
}

// NameOfCheck returns a command of the plan as events name it: in one line.
func NameOfCheck(command string) string { return visible.OneLine(command, 2000) }

// Describe returns the event's own fields in one line, without the commit's subject.
func (e Event) Describe() string {
	text := strings.TrimSpace(string(e.Kind) + " " + strings.Join(e.Steps, ", ") + e.Check) // one of the two
	if e.By != "" {
		text += ", by " + string(e.By)
	}
	if e.Head != "" {
		text += fmt.Sprintf(", at %.10s", e.Head)
	}
	return visible.OneLine(text, 200)
}

// Notice is one line of --json-events; readers ignore fields and kinds they do not know. What lasts is an [Event].
type Notice struct {
	Time     time.Time     `json:"time"`
	Kind     string        `json:"event"`
	Plan     string        `json:"plan"` // plan ID; empty for a branch without a plan
	Branch   string        `json:"branch"`
	Step     string        `json:"step,omitempty"`
	Steps    []string      `json:"steps,omitempty"` // step.start: all steps that run side by side
	Attempt  int           `json:"attempt,omitempty"`
	Role     agent.Role    `json:"role,omitempty"`
	Agent    string        `json:"agent,omitempty"` // the name of the configured agent
	Model    string        `json:"model,omitempty"` // empty if unknown
	Session  string        `json:"session,omitempty"`
	Command  string        `json:"command,omitempty"`
	ExitCode *int          `json:"exitCode,omitempty"`
	Text     string        `json:"text,omitempty"`
	Tokens   *agent.Tokens `json:"tokens,omitempty"`
	Cost     *float64      `json:"cost,omitempty"`
	Commit   string        `json:"commit,omitempty"`
	Done     int           `json:"done,omitempty"` // run.start, step.done, planning: the number of done steps, of Total
	Total    int           `json:"total,omitempty"`
	Skipped  int           `json:"skipped,omitempty"` // the number of skipped steps, which Total counts and Done does not
	Goal     string        `json:"goal,omitempty"`    // how many commands of Done when pass, and a number's course
	Round    *int          `json:"round,omitempty"`   // the round of a review; 0 is the plan's verification
	Reviewer string        `json:"reviewer,omitempty"`
	Finding  any           `json:"finding,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Also     []string      `json:"also,omitempty"`     // step.failed, step.blocked, fix.end: more reasons
	Question bool          `json:"question,omitempty"` // step.failed, step.blocked: Reason is a question of the session
	Final    bool          `json:"final,omitempty"`    // step.failed: no attempt follows
	End      string        `json:"end,omitempty"`      // review.end: the ledger's End
	Until    *time.Time    `json:"until,omitempty"`    // the end of a wait; nil if unknown
}

// The kinds of notices, as --json-events prints them.
const (
	RunStart     = "run.start"
	StepStart    = "step.start"
	StepNote     = "step.note"
	SandboxKind  = "sandbox" // reported once per run: what confines commands and checks, and why nothing stronger
	SessionStart = "session.start"
	SessionText  = "session.text"
	SessionTool  = "session.tool"
	SessionUsage = "session.usage" // the session's usage so far, before each further model call
	SessionEnd   = "session.end"
	CheckStart   = "check.start"
	CheckEnd     = "check.end"
	SetupStart   = "setup.start" // the command plan.worktreeSetup, which is no check
	SetupEnd     = "setup.end"
	StepLands    = "step.lands" // steps side by side: the work passed and is committed now or, with a reason, later
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

// About returns a notice about the task of a name: a step's ID, or FixName of a review round.
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
	n.Also = slices.Clone(n.Also)
	for i, text := range n.Also {
		n.Also[i] = visible.OneLine(text, maxText)
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

// FixPrefix begins the names of fixers' tasks.
const FixPrefix = "_review/"

// FixName returns the task name of a review round's fixer, which cannot be a step's ID.
func FixName(round int) string { return FixPrefix + strconv.Itoa(round) }

// Dollars returns a cost in US dollars for JSON; nil if it is unknown.
func Dollars(c agent.Cost) *float64 {
	if !c.Known {
		return nil
	}
	usd := agent.Dollars(c.USD)
	return &usd
}
