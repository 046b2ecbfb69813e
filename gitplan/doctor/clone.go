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

// ExamineClone returns who commits here, what clones lack, and the interrupted sessions.
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
	interrupted := false
	for _, p := range plans {
		branch := "on branch " + visible.OneLine(p.Branch, 200)
		for _, task := range UnfinishedTasks(c, p.Plan, p.Events) {
			interrupted = true
			s := Symptom{About: "sessions", Found: Unused,
				Text: fmt.Sprintf("the one at step %s of plan %s: interrupted", visible.OneLine(task, 80), p.Plan),
				Fix:  branch + ": git plan step goes on with it"}
			if strings.HasPrefix(task, journal.FixPrefix) {
				s.Text, s.Fix = fmt.Sprintf("a fixer of the review of plan %s: interrupted", p.Plan),
					branch+": git plan review goes on, and keeps what it left"
			}
			out = append(out, s)
		}
	}
	if !interrupted {
		out = append(out, Symptom{About: "sessions", Found: Fine, Text: "none was interrupted"})
	}
	return out, nil
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
