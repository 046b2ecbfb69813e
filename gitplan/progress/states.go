package progress

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Transitions is the state machine of a step: whatever its state was, the last event of a kind in this map decides, if
// the commits of the branch agree. gitplan-format(5) says what causes each event.
var Transitions = map[journal.Kind]State{
	journal.Started:   StateOpen, // it is running until the session ends
	journal.Failed:    StateOpen,
	journal.Checked:   StateOpen, // it is done as soon as a commit of the branch names it
	journal.Done:      StateDone, // it is reopened if that commit left the branch or was reverted
	journal.Blocked:   StateBlocked,
	journal.Skipped:   StateSkipped,
	journal.Reopened:  StateReopened,
	journal.Replanned: StateOpen,
	journal.Planned:   StateOpen,
}

// State is the state of a step, as `git plan status --porcelain` prints it.
type State string

// The states of a step.
const (
	StateOpen     State = "open"
	StateDone     State = "done"
	StateBlocked  State = "blocked"
	StateSkipped  State = "skipped"
	StateRunning  State = "running"
	StateReopened State = "reopened" // was done and its commit is gone or taken back, or was blocked and got an answer
)

// StepState is everything known about one step.
type StepState struct {
	State    State
	Commit   string // the commit that completed it; None if it needed none; if reopened, the lost commit
	Reason   string
	Summary  string         // the report of its session
	Event    *journal.Event // its last event of a kind in Transitions, read-only; nil without one
	Unticked bool           // done by its commit, but not ticked in the plan's text
	Pull     string         // if done in another clone and reopened here: the git pull that brings its commit
}

// CommitOID returns the object ID of Commit, "" if the step needed none.
func (s StepState) CommitOID() string { return strings.TrimPrefix(s.Commit, journal.None) }

// Last returns *s.Event, or the zero Event.
func (s StepState) Last() journal.Event {
	if s.Event == nil {
		return journal.Event{}
	}
	return *s.Event
}

// Unchecked reports whether an agent did the step and no command of the plan checked it.
func (s StepState) Unchecked(p *plan.Plan, step string) bool {
	return s.State == StateDone && s.Last().By == journal.ByAgent && (s.Last().Unchecked || p.Unchecked(step))
}

// Unchanged reports whether a step is blocked only because its session changed nothing and its own check had
// passed before: a person decides whether it is right, and what needs it goes on.
func (s StepState) Unchanged() bool { return s.State == StateBlocked && s.Last().Tree != "" }

// state returns the state of a step by its last event, or nil, and the commits of the branch.
func (h *history) state(s *plan.Step, last *journal.Event) StepState {
	st := StepState{Event: last}
	e := st.Last()
	st.State = cmp.Or(Transitions[e.Kind], StateOpen)
	st.Summary, st.Reason = e.Summary, e.Reason
	switch e.Kind {
	case journal.Done:
		switch done, reverted := h.done[s.ID], h.reverted[s.ID]; {
		case e.Head == journal.None:
			st.Commit = journal.None
		case done != "":
			st.Commit = done
		case reverted != "":
			st.State, st.Commit, st.Reason = StateReopened, reverted, "was taken back"
		default:
			st.State, st.Commit, st.Reason = StateReopened, e.Head, IsGone
		}
	case journal.Checked:
		// Only a commit made after the check heals: the step may have been done and reopened before.
		if commit := h.done[s.ID]; commit != "" && h.after(commit, e.Head) {
			st.State, st.Commit, st.Unticked = StateDone, commit, true
		}
	case journal.Replanned, journal.Planned:
		st.Reason = "" // it says why the plan was changed, not how an attempt ended
	case journal.Reopened:
		st.Commit = e.Head
	}
	// The status in the text decides for a plan whose events are not in this clone.
	if word := State(s.Status.Word); e.Kind == "" && (word == StateBlocked || word == StateSkipped) {
		st.State, st.Reason = word, s.Status.Reason
	}
	return st
}

// IsGone is the reason for reopening a step whose commit is gone without a revert.
const IsGone = "is no longer on the branch"

// Unblock returns the advice for a blocked step; last is the event that blocked it.
func Unblock(step string, last journal.Event) string {
	switch {
	case last.Question:
		return fmt.Sprintf(`git plan answer %s "your answer"`, step)
	case last.Tree != "":
		return fmt.Sprintf("git plan done %s, if it is right as it is; to have it done again: git plan reopen %s", step, step)
	}
	return fmt.Sprintf("see why: git plan log %s; if the step is wrong: git plan edit %s; to try again: git plan reopen %s", step, step, step)
}
