package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ExamineClone returns the interrupted sessions and the plans without a branch.
func ExamineClone(ctx context.Context, c *checkout.Checkout) (out []Symptom, err error) {
	plans, err := progress.AllEvents(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if err := c.Store.KnowsWho(ctx); err != nil {
		out = append(out, Symptom{"identity", Wrong, err.Error(), "git config user.name NAME; git config user.email MAIL"})
	}
	listed, err := c.Plans(ctx)
	if err != nil {
		return nil, err
	}
	var sessions, orphans []Symptom
	for _, p := range plans {
		sessions = append(sessions, examineSessions(c, p)...)
	}
	for _, l := range listed {
		if l.NoBranch && l.Remote == "" {
			orphans = append(orphans, Symptom{About: "plans", Found: Unused, Text: fmt.Sprintf("%s has no branch: %s is gone, or has another plan", l.ID, visible.OneLine(l.Branch, 200)),
				Fix: fmt.Sprintf("git plan drop %s removes it; git plan attach %s gives it to a branch that has none", l.ID, l.ID)})
		}
	}
	if len(sessions) == 0 {
		sessions = []Symptom{{About: "sessions", Found: Fine, Text: "none was interrupted"}}
	}
	if len(orphans) == 0 {
		orphans = []Symptom{{About: "plans", Found: Fine, Text: fmt.Sprintf("%d, each with its branch", len(plans))}}
	}
	return append(sessions, orphans...), nil
}

// Unfinished is a task that neither ended nor is at work, and why.
type Unfinished struct{ Task, Why string }

// UnfinishedTasks returns the tasks of a plan that neither ended nor are at work.
func UnfinishedTasks(c *checkout.Checkout, plan string, events []journal.Event) (out []Unfinished) {
	for _, slot := range append([]string{""}, checkout.Slots(c.Repo, plan)...) {
		if task, why := unendedIn(c, plan, slot, events); why != "" {
			out = append(out, Unfinished{task, why})
		}
	}
	return out
}

func unendedIn(c *checkout.Checkout, plan, slot string, events []journal.Event) (task, why string) {
	note := checkout.TaskStateIn(c.Repo, plan, slot)
	if note.Name == "" || len(note.Changed) > 0 {
		return "", ""
	}
	last := progress.StepState{Event: progress.LastEvents(events)[note.Name]}.Last()
	if _, working := journal.Working(c.Repo, plan); working || last.By == journal.ByPerson {
		return "", "" // at work, or open by next
	}
	if note.AwaitsCommit() {
		return note.Name, checkout.WaitingReason
	}
	return note.Name, journal.Interrupted
}

// examineSessions returns the symptoms of the unended sessions of a plan.
func examineSessions(c *checkout.Checkout, p progress.PlanEvents) (out []Symptom) {
	branch := "on branch " + visible.OneLine(p.Branch, 200)
	for _, left := range UnfinishedTasks(c, p.Plan, p.Events) {
		s := Symptom{About: "sessions", Found: Unused, Text: fmt.Sprintf("the one at step %s of plan %s: %s", visible.OneLine(left.Task, 80), p.Plan, left.Why),
			Fix: branch + ": git plan step goes on with it"}
		if strings.HasPrefix(left.Task, journal.FixPrefix) {
			s.Text, s.Fix = fmt.Sprintf("a fixer of the review of plan %s: %s", p.Plan, left.Why), branch+": git plan review goes on, and keeps what it left"
		}
		out = append(out, s)
	}
	return out
}
