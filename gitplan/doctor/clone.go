package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// mostSymptoms is how many of one kind are listed.
const mostSymptoms = 10

// ExamineClone looks for sessions that were interrupted, and for plans and branches that lost one
// another. With fix it removes the keys of branches whose plans are gone.
func ExamineClone(ctx context.Context, c *checkout.Checkout, fix bool) ([]Symptom, error) {
	plans, err := progress.AllEvents(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	branches, err := branchesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	orphans, err := examineBindings(ctx, c, plans, branches, fix)
	if err != nil {
		return nil, err
	}
	var sessions []Symptom
	for _, p := range plans {
		sessions = append(sessions, examineSessions(c, p)...)
		orphans = append(orphans, orphan(p, branches)...)
	}
	out := listed("sessions", "none was interrupted", sessions)
	return append(out, listed("plans", fmt.Sprintf("%d, each with its branch", len(plans)), orphans)...), nil
}

// listed returns the symptoms of one kind, or one that says that all is fine.
func listed(about, fine string, found []Symptom) []Symptom {
	if len(found) == 0 {
		found = []Symptom{{Found: Fine, Text: fine}}
	}
	if n := len(found); n > mostSymptoms {
		found = append(found[:mostSymptoms:mostSymptoms], Symptom{Found: Unused, Text: fmt.Sprintf("and %d more", n-mostSymptoms)})
	}
	for i := range found {
		found[i].About = about
	}
	return found
}

// branchesOf returns the branches, each with the id of its plan or "". The current branch is
// one of them even if it has no commit yet.
func branchesOf(ctx context.Context, c *checkout.Checkout) (map[string]string, error) {
	refs, err := c.Repo.Refs(ctx, "refs/heads/")
	out := map[string]string{}
	if c.Branch != "" {
		out[c.Branch], _ = c.Bound()
	}
	for _, r := range refs {
		name := strings.TrimPrefix(r.Name, "refs/heads/")
		out[name], _ = c.Config.Get(integrity.PlanKey(name))
	}
	return out, err
}

// examineBindings finds the branches whose plan is gone, and sets their plan in branches to
// "".
func examineBindings(ctx context.Context, c *checkout.Checkout, plans []progress.PlanEvents, branches map[string]string, fix bool) (out []Symptom, err error) {
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		id := branches[name]
		if id == "" || slices.ContainsFunc(plans, func(p progress.PlanEvents) bool { return p.Plan == id }) {
			continue
		}
		branches[name] = ""
		s := Symptom{Found: Unused, Text: fmt.Sprintf("branch %s names plan %s, which is gone", visible.OneLine(name, 200), visible.OneLine(id, 80)),
			Fix: "git plan doctor --fix removes that key; the branch has no plan either way"}
		if fix {
			if err := c.Repo.UnsetConfig(ctx, integrity.PlanKey(name)); err != nil {
				return nil, err
			}
			s.Fix = "that key was removed"
		}
		out = append(out, s)
	}
	return out, nil
}

// orphan returns the symptom of a plan that no branch has. branches has the plan of each
// branch.
func orphan(p progress.PlanEvents, branches map[string]string) []Symptom {
	own, there := branches[p.Branch]
	if there && own == "" {
		return nil // the next command there finds it
	}
	for _, id := range branches {
		if id == p.Plan {
			return nil
		}
	}
	why := "is gone"
	if there {
		why = "has another plan"
	}
	return []Symptom{{Found: Unused, Text: fmt.Sprintf("%s has no branch: %s %s", p.Plan, cmp.Or(visible.OneLine(p.Branch, 200), "its own"), why),
		Fix: fmt.Sprintf("git plan drop %s removes it; git plan attach %s gives it to a branch that has none", p.Plan, p.Plan)}}
}

// Left is a task that neither ended nor is at work, and why: a crash ended its session, or what
// that did in a clone waits to be committed.
type Left struct{ Task, Why string }

// Unended returns the tasks of a plan that neither ended nor are at work, by the notes that they
// left.
func Unended(c *checkout.Checkout, plan string, events []journal.Event) (out []Left) {
	for _, slot := range slotsOf(c, plan) {
		if task, why := unendedIn(c, plan, slot, events); why != "" {
			out = append(out, Left{task, why})
		}
	}
	return out
}

// slotsOf returns the workspaces in which a session of a plan may have been.
func slotsOf(c *checkout.Checkout, plan string) []string {
	return append([]string{""}, checkout.Slots(c.Repo, plan)...)
}

func unendedIn(c *checkout.Checkout, plan, slot string, events []journal.Event) (step, why string) {
	data, err := checkout.TaskNote(c.Repo, plan, slot).Read()
	var note checkout.TaskState
	if err != nil || journal.DecodeNote(data, &note) != nil || len(note.Changed) > 0 {
		return "", ""
	}
	last := progress.LastOf(events, note.Name)
	if _, working := journal.Working(c.Repo, plan); working || last.By == journal.ByPerson {
		return "", "" // at work, or open by next
	}
	if note.Waits() {
		return note.Name, checkout.WaitingReason
	}
	return note.Name, journal.Interrupted
}

// examineSessions returns the symptoms of the unended sessions of a plan.
func examineSessions(c *checkout.Checkout, p progress.PlanEvents) (out []Symptom) {
	branch := "on branch " + visible.OneLine(p.Branch, 200)
	for _, slot := range slotsOf(c, p.Plan) {
		step, why := unendedIn(c, p.Plan, slot, p.Events)
		switch {
		case why == "":
		case strings.HasPrefix(step, journal.FixPrefix):
			out = append(out, Symptom{Found: Unused, Text: fmt.Sprintf("a fixer of the review of plan %s: %s", p.Plan, why),
				Fix: branch + ": git plan review goes on, and keeps what it left"})
		default:
			out = append(out, Symptom{Found: Unused, Text: fmt.Sprintf("the one at step %s of plan %s: %s", visible.OneLine(step, 80), p.Plan, why),
				Fix: branch + ": git plan step goes on with it"})
		}
	}
	return out
}
