package progress

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Transition is the state into which an event brings a step, whatever its state was before.
type Transition struct {
	Event journal.Kind
	To    State
	By    string // what makes the event, and what else counts
}

// Transitions is the state machine of a step: its last event that counts decides. What the branch
// has must agree: see state.
var Transitions = []Transition{
	{journal.Started, StateOpen, "a session begins it, or git plan next; it is running until that ends"},
	{journal.Failed, StateOpen, "an attempt failed or was stopped, or git plan next --drop"},
	{journal.Checked, StateOpen, "its checks passed; it is done as soon as a commit of the branch names it"},
	{journal.Done, StateDone, "its work is committed, it had none, or its box was ticked; it is reopened if that commit is no longer on the branch, or was reverted (git plan undo)"},
	{journal.Blocked, StateBlocked, "its attempts are used up, its session asks something, or git plan block"},
	{journal.Skipped, StateSkipped, "git plan skip"},
	{journal.Reopened, StateReopened, "its box was unticked, or git plan reopen or git plan answer"},
	{journal.Replanned, StateOpen, "git plan replan wrote it again"},
}

// after returns the state into which an event brings a step.
func after(event journal.Kind) State {
	for _, t := range Transitions {
		if t.Event == event {
			return t.To
		}
	}
	return StateOpen
}

// States prints the state machine, a paragraph for each event.
func States() string {
	var b strings.Builder
	b.WriteString("A step begins open. The last of these events decides its state; open and reopened\n" +
		"steps can run, done and skipped ones are what other steps need.\n")
	for _, t := range Transitions {
		fmt.Fprintf(&b, "\n%s -> %s\n    %s\n", t.Event, t.To, t.By)
	}
	return b.String()
}

// State is what has become of a step, as `git plan status --porcelain` prints it.
type State string

// The states of a step.
const (
	StateOpen     State = "open"
	StateDone     State = "done"
	StateBlocked  State = "blocked"
	StateSkipped  State = "skipped"
	StateRunning  State = "running"
	StateReopened State = "reopened" // was done, and its commit is gone or taken back
)
