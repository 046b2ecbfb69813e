package reviewers

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// found is a branch whose review has one blocking finding, and the finding's id.
func found(t *testing.T) (b *feature, id string) {
	t.Helper()
	b = configured(t)
	b.planned("true")
	b.Commit("a.txt", "a BUG\n")
	out := b.ends(ledger.Found, func(r *Branch) { r.NoFix = true })
	blocking := out.Ledger.Blocking()
	if len(blocking) != 1 {
		t.Fatalf("%+v", out.Ledger.Findings)
	}
	return b, blocking[0].ID
}

// passes checks whether the files of HEAD have passed a review.
func (b *feature) passes(want bool) {
	b.T.Helper()
	co := b.opened()
	v, err := Known(b.T.Context(), co, co.Doc, "main", "HEAD")
	if err != nil || v.Passes() != want {
		b.T.Errorf("passes is %v, %v; want %v", v.Passes(), err, want)
	}
}

// A review passes once a person has dismissed its blocking finding, and no longer once they have revoked
// that.
func TestPersonDismissesABlockingFinding(t *testing.T) {
	b, id := found(t)
	b.passes(false)
	settled, err := Dismiss(t.Context(), b.opened(), id[:4], "the word is\x1b[2J meant")
	if err != nil || !settled.Passes || settled.Blocking != 0 || settled.Finding.By != "A Tester <tester@example.com>" {
		t.Fatalf("%+v, %v", settled, err)
	}
	b.passes(true)
	l := b.last()
	if f := l.Finding(id); l.End != ledger.Explained || f.Status != finding.Dismissed || f.Because != "the word is[2J meant" {
		t.Errorf("%s: %+v", l.End, f)
	}
	if _, err := Dismiss(t.Context(), b.opened(), id, "again"); !errors.Is(err, fault.ErrSettled) {
		t.Errorf("what is dismissed is dismissed again: %v", err)
	}
	settled, err = Restore(t.Context(), b.opened(), id)
	if err != nil || settled.Blocking != 1 || settled.Finding.Status != finding.Confirmed {
		t.Fatalf("%+v, %v", settled, err)
	}
	b.passes(false)
	if _, err := Restore(t.Context(), b.opened(), id); !errors.Is(err, fault.ErrSettled) {
		t.Errorf("what is open is restored: %v", err)
	}
	if _, err := Answer(t.Context(), b.opened(), id, "the second"); !errors.Is(err, fault.ErrSettled) {
		t.Errorf("what nothing asked is answered: %v", err)
	}
}

// The files differ from those that were reviewed: they must be reviewed first.
func TestDismissalDoesNotPassUnreviewedFiles(t *testing.T) {
	b, id := found(t)
	b.Commit("b.txt", "more\n")
	settled, err := Dismiss(t.Context(), b.opened(), id, "meant")
	if err != nil || settled.Passes || settled.Blocking != 0 {
		t.Errorf("%+v, %v", settled, err)
	}
	b.passes(false)
	b.ends(ledger.Clean, func(r *Branch) { r.NoFix = true })
	b.passes(true)
}

// A reviewer of the last round has not reviewed anything while a finding blocked: it must be asked first.
func TestDismissalStillNeedsTheLastRound(t *testing.T) {
	b := configured(t)
	b.Git("switch", "-q", "main")
	b.Commit(personaFolder+"/last.md", "---\nname: last\nrounds: last\n---\nLook once more.\n")
	b.Git("switch", "-q", "feature")
	b.Git("rebase", "-q", "main")
	b.Git("config", "plan.reviewers", "quality,last")
	b.planned("true")
	b.Commit("a.txt", "a BUG\n")
	id := b.ends(ledger.Found, func(r *Branch) { r.NoFix = true }).Ledger.Blocking()[0].ID
	co := b.opened()
	settled, err := Dismiss(t.Context(), co, id, "meant")
	if err != nil || settled.Passes {
		t.Errorf("%+v, %v", settled, err)
	}
	if l, err := ledger.Last(t.Context(), co.Store, co.Doc, co.Branch); err != nil || l.End != ledger.Found || !strings.HasPrefix(l.Reason, "dismissed by ") {
		t.Errorf("%+v, %v", l, err)
	}
	b.passes(false)
}

func TestFindingsAreNamedByTheBeginningOfTheirIDs(t *testing.T) {
	b := configured(t)
	b.planned("true")
	b.Commit("a.txt", "a BUG\n", "b.txt", "another BUG\n")
	if _, err := Dismiss(t.Context(), b.opened(), "abc", "meant"); !errors.Is(err, fault.ErrNotReviewed) {
		t.Errorf("nothing was reviewed: %v", err)
	}
	b.ends(ledger.Found, func(r *Branch) { r.NoFix = true })
	for _, id := range []string{"", "zzz"} { // one is a prefix of both names, the other of none
		if _, err := Dismiss(t.Context(), b.opened(), id, "meant"); !errors.Is(err, fault.ErrUnknownFinding) {
			t.Errorf("%q: %v", id, err)
		}
	}
	l := b.last()
	l.Findings = append(l.Findings, l.Findings[0])
	l.Findings[0].ID, l.Findings[1].ID = "abcd00000000", "abcd11111111"
	co := b.opened()
	if err := keepLedger(t.Context(), co, l, journal.Event{Kind: journal.Reviewed, By: journal.ByPerson, Head: l.Head}); err != nil {
		t.Fatal(err)
	}
	_, err := Dismiss(t.Context(), b.opened(), "abcd", "meant")
	if f, ok := errors.AsType[*fault.Fault](err); !ok || !errors.Is(err, fault.ErrUnknownFinding) || !strings.Contains(f.Cause.Error(), "abcd00000000 a.txt:1: ") || !strings.Contains(f.Cause.Error(), "abcd11111111 ") {
		t.Errorf("two are named: %v", err)
	}
}

// Without a plan the clone stores it for the branch.
func TestDismissalWithoutAPlan(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "a BUG\n")
	id := b.ends(ledger.Found, func(r *Branch) { r.NoFix = true }).Ledger.Blocking()[0].ID
	if settled, err := Dismiss(t.Context(), b.opened(), id, "meant"); err != nil || !settled.Passes {
		t.Fatalf("%+v, %v", settled, err)
	}
	if all := Dismissed(b.opened(), nil, "feature"); all[id].Why != "meant" {
		t.Errorf("%+v", all)
	}
	if l := b.last(); l.Finding(id).Status != finding.Dismissed {
		t.Errorf("%+v", l.Findings)
	}
}
