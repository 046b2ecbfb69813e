package reviewers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// The text of a pull request lists the checks as they were when they ran: an edited check has not passed.
func TestPullRequestListsChecksAsTheyRan(t *testing.T) {
	b := configured(t)
	b.planned("true")
	b.Commit("a.txt", "fine\n")
	b.ends(ledger.Clean, nil)
	co := b.opened()
	head, _ := co.Repo.Resolve(t.Context(), "HEAD")
	done := journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{"b"}, Head: head, Attempt: 1, By: journal.ByAgent}}
	edited := journal.Change{Event: journal.Event{Kind: journal.Edited, By: journal.ByPerson}, Edit: func(text []byte) ([]byte, error) {
		return bytes.ReplaceAll(text, []byte("`true`"), []byte("`make later`")), nil
	}}
	for _, c := range []journal.Change{done, edited} {
		if err := co.Store.Apply(t.Context(), co.Doc, co.Branch, c); err != nil {
			t.Fatal(err)
		}
	}
	text, err := PullRequest(t.Context(), b.opened())
	if err != nil {
		t.Fatal(err)
	}
	for want, there := range map[string]bool{"# Sums\n": true, "- [x] Write b": true, "- `true`\n": true, "make later": false} {
		if strings.Contains(string(text), want) != there {
			t.Errorf("%q: want it there: %v\n%s", want, there, text)
		}
	}
}
