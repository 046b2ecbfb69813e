package web

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// ended adds how attempts at the first step ended, in order.
func (s *site) ended(events ...journal.Event) {
	s.Helper()
	for _, e := range events {
		if e.Head = journal.None; e.Steps == nil {
			e.Steps = []string{"one"}
		}
		must(s.TB, s.co.Store.Apply(s.Context(), s.co.Doc, "work", journal.Change{Event: e}))
	}
}

// A session that asked has not failed; its question stands with the answer, and where attempts are counted
// from one again, that is said.
func TestAQuestionAndItsAnswer(t *testing.T) {
	s := serve(t, "# Walls\n\n## Steps\n\n- [ ] **One** {#one}\n", nil)
	s.ended(
		journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1, Reason: "which <colour>?", Question: true},
		journal.Event{Kind: journal.Blocked, By: journal.ByAgent, Attempt: 1, Reason: "which <colour>?", Question: true},
		journal.Event{Kind: journal.Reopened, By: journal.ByPerson, Reason: checkout.Answered + "<white>"},
		journal.Event{Kind: journal.Failed, By: journal.ByAgent, Attempt: 1, Reason: "no"},
	)
	_, page := s.ask("GET", s.look+"main", nil)
	_, attempts, _ := strings.Cut(page, `class="attempts"`)
	for _, want := range []string{`<li class="asked">`, "which &lt;colour&gt;?", "<b>answered:</b> &lt;white&gt;", "reopened or planned again", `<li class="failed">`} {
		_, rest, ok := strings.Cut(attempts, want)
		if !ok {
			t.Fatalf("no %s, in order: %s", want, page)
		}
		attempts = rest
	}
}
