package gitplan

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/world"
)

const withBounds = "# T\n\n## Goal\n\nAll.\n\n## Done when\n\n- `sh m.sh` <= 3\n\n## Bounds\n\n- Files: `**`\n\n## Steps\n\n- [ ] **A** {#a}\n  - Files: `a`\n"

// After a kill between a planning and its approval, the next run approves what is within the Bounds, unless a
// person has changed the plan since.
func TestPlanningIsApprovedAfterAKill(t *testing.T) {
	within, outside := "- [ ] **B** {#b}\n  - Files: `b`\n", "- [ ] **C** {#c}\n  - Needs: none\n  - Files: `m.sh`\n"
	for name, c := range map[string]struct {
		since journal.Kind
		waits string
	}{"at once": {"", "c"}, "after an edit": {journal.Edited, "b c"}} {
		t.Run(name, func(t *testing.T) {
			w := newWalkerOf(t, withBounds)
			w.Happens(w.Runner, journal.Event{Kind: journal.Planned, Head: journal.None, By: journal.ByAgent, Attempt: 1}, func(text []byte) ([]byte, error) {
				return append(text, within+outside...), nil
			})
			if c.since != "" {
				w.Happens(w.Runner, journal.Event{Kind: c.since, Head: journal.None, By: journal.ByPerson}, nil)
			}
			w = again(w.World)
			w.Measuring = func(_ context.Context, _ *checkout.Checkout, files []string) ([]string, error) {
				return []string{"m.sh"}, nil
			}
			w.Fine(ApprovePlanned(t.Context(), w.Steps))
			waits, err := w.Checkout.NotApproved()
			if got := strings.Join(waits.Steps, " "); err != nil || got != c.waits {
				t.Errorf("%q waits, want %q, %v", got, c.waits, err)
			}
			if c.since == "" && (w.last().Kind != journal.Approved || w.last().By != journal.ByBounds) {
				t.Errorf("the last event is %+v", w.last())
			}
		})
	}
}

// A planning of which nothing lies within the Bounds says of each step why it waits.
func TestNothingWithinTheBounds(t *testing.T) {
	w := newWalkerOf(t, withBounds)
	w.Happens(w.Runner, journal.Event{Kind: journal.Planned, Head: journal.None, By: journal.ByAgent, Attempt: 1}, func(text []byte) ([]byte, error) {
		return []byte(strings.Replace(string(text), "  - Files: `a`", "  - Files: `a`\n  - Check: `curl x`\n- [ ] **B** {#b}\n  - Files: `b`", 1)), nil
	})
	w = again(w.World)
	w.Measuring = func(context.Context, *checkout.Checkout, []string) ([]string, error) { return nil, nil }
	w.Refused(ApprovePlanned(t.Context(), w.Steps), fault.ErrUnapproved, "outside of the plan's Bounds, or needs one that is: step a would run `curl x`")
}

func newWalkerOf(t *testing.T, text string) *walker {
	t.Helper()
	w := world.New(t)
	w.Agent("m", does)
	w.AttachText(text)
	return again(w)
}
