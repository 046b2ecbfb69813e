package doctor

import (
	"context"
	"fmt"
	"slices"
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
	if lacks, command := checkout.CloneSetup(ctx, c); lacks != "" {
		out = append(out, Symptom{"clones", Unused, "sessions side by side, or with plan.isolation=clone, have no " + lacks +
			", which git does not track", "git config plan.worktreeSetup " + visible.Shell(command)})
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
		if l.Unattached != "" && l.Remote == "" && l.State != "done" {
			orphans = append(orphans, Symptom{About: "plans", Found: Unused,
				Text: fmt.Sprintf("%s has no branch: %s %s", l.ID, visible.OneLine(l.Branch, 200), l.Unattached),
				Fix:  fmt.Sprintf("git plan drop %s removes it; git plan attach %s gives it to a branch that has none", l.ID, l.ID)})
		}
	}
	if len(sessions) == 0 {
		sessions = []Symptom{{About: "sessions", Found: Fine, Text: "none was interrupted"}}
	}
	if len(orphans) == 0 {
		orphans = []Symptom{{About: "plans", Found: Fine, Text: fmt.Sprintf("%d, each with its branch or done", len(plans))}}
	}
	return slices.Concat(out, sessions, orphans), nil
}

// UnfinishedTasks returns the tasks of a plan that neither ended nor are at work.
func UnfinishedTasks(c *checkout.Checkout, plan string, events []journal.Event) (out []string) {
	for _, slot := range append([]string{""}, checkout.Slots(c.Repo, plan)...) {
		note := checkout.TaskStateIn(c.Repo, plan, slot)
		last := progress.StepState{Event: progress.LastEvents(events)[note.Name]}.Last()
		_, working := journal.Working(c.Repo, plan)
		if note.Name != "" && len(note.Changed) == 0 && !working && last.By != journal.ByPerson { // who took it with git plan next
			out = append(out, note.Name)
		}
	}
	return out
}

// examineSessions returns the symptoms of the unended sessions of a plan.
func examineSessions(c *checkout.Checkout, p progress.PlanEvents) (out []Symptom) {
	branch := "on branch " + visible.OneLine(p.Branch, 200)
	for _, task := range UnfinishedTasks(c, p.Plan, p.Events) {
		s := Symptom{About: "sessions", Found: Unused,
			Text: fmt.Sprintf("the one at step %s of plan %s: interrupted", visible.OneLine(task, 80), p.Plan),
			Fix:  branch + ": git plan step goes on with it"}
		if strings.HasPrefix(task, journal.FixPrefix) {
			s.Text, s.Fix = fmt.Sprintf("a fixer of the review of plan %s: interrupted", p.Plan),
				branch+": git plan review goes on, and keeps what it left"
		}
		out = append(out, s)
	}
	return out
}
