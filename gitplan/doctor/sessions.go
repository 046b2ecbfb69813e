package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

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

// slotsOf returns the places in which a session of a plan may have been.
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
		return note.Name, attempts.WaitingReason
	}
	return note.Name, journal.Interrupted
}

// examineSession returns the symptom of an unended session.
func examineSession(c *checkout.Checkout, p progress.Past) (out []Symptom) {
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

// examineClones finds the clones of sessions that no step would find: half-made ones, and those
// of plans that are gone.
func examineClones(c *checkout.Checkout, plans []progress.Past, fix bool) (out []Symptom) {
	folders, _ := filepath.Glob(c.Repo.PlanDir("*", "clone"))
	for _, folder := range folders {
		id, slot := setup.OfSlot(filepath.Base(filepath.Dir(folder)))
		top, gitDir, err := checkout.ClonePlace(c.Repo, id, slot)
		if _, held := journal.Working(c.Repo, id); err != nil || held {
			continue
		}
		_, err = checkout.TaskNote(c.Repo, id, slot).Read()
		known := slices.ContainsFunc(plans, func(p progress.Past) bool { return p.Plan == id })
		s := Symptom{Found: Unused, Text: fmt.Sprintf("a clone for plan %s was left half made: %s", id, top),
			Fix: "git plan doctor --fix removes it; so does the next git plan step"}
		switch {
		case err == nil && known:
			continue // examineSession reports it
		case err == nil:
			s.Text = fmt.Sprintf("plan %s is gone, and what its last session did is in %s", id, top)
			s.Fix = fmt.Sprintf("take what you want of it, then: rm -r '%s' '%s'", filepath.Dir(top), filepath.Dir(folder))
		case fix:
			lock, err := journal.Acquire(c.Repo, id, "doctor")
			if err != nil {
				s.Fix = err.Error()
				break
			}
			place.DiscardCloneAt(top, gitDir)
			lock.Release()
			s.Fix = "it was removed"
		}
		out = append(out, s)
	}
	return out
}

// examineSetAside finds what --autostash set aside and no command has restored.
func examineSetAside(ctx context.Context, c *checkout.Checkout, p progress.Past) []Symptom {
	_, entry := site.SetAside(ctx, c, p.Plan)
	if _, working := journal.Working(c.Repo, p.Plan); entry == "" || working {
		return nil
	}
	return []Symptom{{About: "autostash", Found: Unused, Text: fmt.Sprintf("your changes, set aside for plan %s, are %s of git's stash", p.Plan, entry),
		Fix: "on branch " + visible.OneLine(p.Branch, 200) + ": the next git plan step or run brings them back at its end"}}
}
