package ledger

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/branches"
)

// The last review of a branch is stored with its plan, and without a plan in this clone.
func TestTheLastLedger(t *testing.T) {
	b := branches.New(t)
	s := journal.NewStore(b.Repo)
	if l, err := Last(t.Context(), s, nil, "feature"); l != nil || err != nil {
		t.Errorf("without a review: %+v, %v", l, err)
	}
	own := filepath.Join(integrity.ReviewDir(b.Repo, "feature"), journal.ReviewFile)
	if err := journal.WriteFile(own, []byte(`{"schema": 1, "end": "notes"}`)); err != nil {
		t.Fatal(err)
	}
	if l, err := Last(t.Context(), s, nil, "feature"); err != nil || l.End != Notes {
		t.Errorf("%+v, %v", l, err)
	}
	doc, err := s.Create(t.Context(), []byte("# P\n\n## Steps\n\n- [ ] One {#one}\n"), "feature", "main", journal.Event{Start: b.Git("rev-parse", "main"), By: journal.ByPerson})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := Last(t.Context(), s, doc, "feature"); l != nil || err != nil {
		t.Errorf("the plan was not reviewed: %+v, %v", l, err)
	}
	err = s.Apply(t.Context(), doc, "feature", journal.Change{
		Event: journal.Event{Kind: journal.Reviewed, Head: b.Git("rev-parse", "HEAD"), By: journal.ByAgent},
		Files: map[string][]byte{journal.ReviewFile: []byte(`{"schema": 1, "end": "clean"}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := Last(t.Context(), s, doc, "feature"); err != nil || l.End != Clean {
		t.Errorf("%+v, %v", l, err)
	}
	if err := os.WriteFile(own, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Last(t.Context(), s, nil, "feature"); err == nil {
		t.Errorf("read as %+v", l)
	}
}
