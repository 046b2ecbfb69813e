package progress

import (
	"maps"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// LastEvents returns the last event that counts for each step. Events about the text, and
// about rewritten history, do not count. They are those of the slice.
func LastEvents(events []journal.Event) map[string]*journal.Event {
	counts := map[journal.Kind]bool{}
	for _, t := range Transitions {
		counts[t.Event] = true
	}
	last := map[string]*journal.Event{}
	for i := range events {
		if e := &events[i]; counts[e.Kind] {
			for _, id := range e.Steps {
				last[id] = e
			}
		}
	}
	return last
}

// Undone returns the steps that git plan undo took back since they were last done, each with
// its commit.
func Undone(events []journal.Event) map[string]string {
	out := map[string]string{}
	for _, e := range events {
		switch e.Kind {
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
