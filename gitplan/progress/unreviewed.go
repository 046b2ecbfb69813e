package progress

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Unreviewed returns the commit at which a person had the review of the plan left out, unless one
// has ended since.
func Unreviewed(events []journal.Event) (commit string, ok bool) {
	for _, e := range slices.Backward(events) {
		switch e.Kind {
		case journal.Reviewed:
			return "", false
		case journal.Unreviewed:
			return e.Head, true
		}
	}
	return "", false
}
