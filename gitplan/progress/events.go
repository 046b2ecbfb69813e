package progress

import (
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// LastEvents returns the last event that counts for each step. Events about the text, and
// about rewritten history, do not count. They are those of the slice.
func LastEvents(events []journal.Event) map[string]*journal.Event {
	last := map[string]*journal.Event{}
	for i := range events {
		if e := &events[i]; counts(e) {
			for _, id := range e.Steps {
				last[id] = e
			}
		}
	}
	return last
}

// counts reports whether an event decides the state of its steps.
func counts(e *journal.Event) bool {
	return slices.ContainsFunc(Transitions, func(t Transition) bool { return t.Event == e.Kind })
}

// Taken returns the step that a person began, and has not ended.
func Taken(events []journal.Event) (step string, ok bool) {
	var taken []string // nearly always empty
	for i := range events {
		e := &events[i]
		begins := e.Kind == journal.Started && e.By == journal.ByPerson
		if len(taken) > 0 && counts(e) {
			taken = slices.DeleteFunc(taken, func(id string) bool { return slices.Contains(e.Steps, id) })
		}
		if begins {
			taken = append(taken, e.Steps...)
		}
	}
	if len(taken) == 0 {
		return "", false
	}
	return taken[0], true
}

// Undone returns the steps that git plan undo took back since they were last done, each with
// its commit.
func Undone(events []journal.Event) map[string]string {
	out := map[string]string{}
	for i := range events {
		switch e := &events[i]; e.Kind {
		case journal.Undone:
			out[e.Step()] = e.Head
		case journal.Done, journal.Reopened:
			for _, id := range e.Steps {
				delete(out, id)
			}
		}
	}
	return out
}

// Accepted returns the checks of the plan that a person accepted as failing and that did not pass
// since, by their names in events.
func Accepted(events []journal.Event) map[string]bool {
	out := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case journal.Accepted:
			out[e.Check] = true
		case journal.Required:
			delete(out, e.Check)
		}
	}
	return out
}

// Rewrites returns the rewrites of all events, by the new commit.
func Rewrites(events []journal.Event) map[string][]journal.Rewrite {
	out := map[string][]journal.Rewrite{}
	for _, e := range events {
		for _, r := range e.Rewrites {
			out[r.New] = append(out[r.New], r)
		}
	}
	return out
}

// Fold returns what several rewrites did together; the last one counts.
func Fold(all []journal.Rewrite) map[string]bool {
	out := map[string]bool{}
	for _, r := range all {
		maps.Copy(out, r.Did)
	}
	return out
}
