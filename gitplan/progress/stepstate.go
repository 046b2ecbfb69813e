package progress

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// StepState is what is known about one step.
type StepState struct {
	State   State
	Commit  string // that did it; None if it needed none; for a reopened step, the lost one
	Reason  string
	Summary string         // what its session reported
	Event   *journal.Event // the last event that counts, which nobody changes; nil without one
	Heal    bool           // done by its commit, but the plan does not say so yet
	Pull    string         // the git pull that brings the commit of a reopened step, which was done elsewhere
}

// Last returns the last event that counts; a zero one without one.
func (s StepState) Last() journal.Event {
	if s.Event == nil {
		return journal.Event{}
	}
	return *s.Event
}

// state returns what has become of a step by its last event, or nil: what Transitions says, if the
// branch has the commit.
func (h *history) state(s *plan.Step, last *journal.Event) StepState {
	st := StepState{Event: last}
	e := st.Last()
	st.State, st.Summary, st.Reason = after(e.Kind), e.Summary, e.Reason
	switch e.Kind {
	case journal.Done:
		commit, ok := h.proof(s.ID, e)
		st.Commit = commit
		if !ok {
			st.State = StateReopened
			st.Commit, st.Reason = h.lost(s.ID, e.Head)
		}
	case journal.Checked:
		// Only a commit made after the check heals: the same step may have
		// been done, and reopened, before.
		if commit := h.done[s.ID]; commit != "" && commit != e.Head && !h.below(e.Head, commit) {
			st.State, st.Commit, st.Heal = StateDone, commit, true
		}
	case journal.Replanned:
		st.Reason = "" // it says why the plan was, not what became of an attempt
	case journal.Reopened:
		st.Commit = e.Head
	}
	// The text's own word, for a plan whose events are not here.
	if e.Kind == "" {
		switch s.Status.Word {
		case "blocked":
			st.State, st.Reason = StateBlocked, s.Status.Reason
		case "skipped":
			st.State, st.Reason = StateSkipped, s.Status.Reason
		}
	}
	return st
}

// proof returns the commit that shows that a step is still done whose last event is done.
func (h *history) proof(step string, e journal.Event) (commit string, ok bool) {
	if e.Head == journal.None {
		return journal.None, true
	}
	commit = h.done[step]
	return commit, commit != ""
}

// IsGone is the reason for reopening a step whose commit is gone without a revert.
const IsGone = "is no longer on the branch"

// lost returns the commit of a step that no longer counts, and why: the one of its done
// event, or the one that replaced that and was reverted.
func (h *history) lost(step, commit string) (oid, why string) {
	if c := h.taken[step]; c != "" {
		if merge := h.dropped[dropped{h.steps[step], h.place[c]}]; merge != "" {
			return c, fmt.Sprintf("was dropped by the merge %.10s", merge)
		}
		return c, "was taken back"
	}
	if _, here := h.place[commit]; here {
		return commit, "was taken back"
	}
	return commit, IsGone
}
