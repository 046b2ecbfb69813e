package reviewers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// last is the ledger of the branch's last review.
func (b *feature) last() *ledger.Ledger {
	b.T.Helper()
	co := b.opened()
	l, err := ledger.Last(b.T.Context(), co.Store, co.Doc, "feature")
	if err != nil || l == nil {
		b.T.Fatalf("%+v, %v", l, err)
	}
	return l
}

// A review that a signal ends during a fix keeps its findings: they can be read, and the next review fixes
// them without asking reviewers again.
func TestInterruptedReviewKeepsItsFindings(t *testing.T) {
	b := configured(t)
	b.planned("true")
	b.Commit("a.txt", "a BUG\n")
	began := filepath.Join(t.TempDir(), "began")
	b.Git("config", "plan.fixer.agent", "slow")
	b.Git("config", "planAgent.slow.command", "touch '"+began+"'; exec sleep 300")
	ctx, interrupt := context.WithCancelCause(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				interrupt(errors.New("signal"))
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	r := New(b.worker())
	if out, err := r.Review(ctx); err == nil {
		t.Fatalf("%+v", out)
	}
	l := b.last()
	if !l.Interrupted() || len(l.Blocking()) != 1 || l.Blocking()[0].Status != finding.Confirmed {
		t.Errorf("%s, %s: %+v", l.End, l.Reason, l.Findings)
	}
	b.Git("config", "--unset", "plan.fixer.agent")
	if out := b.ends(ledger.Clean, nil); len(out.Ledger.Rounds) != 2 || len(out.Ledger.With(finding.Fixed)) != 1 {
		t.Errorf("%+v", out.Ledger)
	}
}

// A verdict of this clone is added to a ledger that lacks it, after a crash between the two.
func TestVerdictWithoutItsLedger(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "all is well\n")
	b.ends(ledger.Clean, nil)
	r := New(b.worker())
	if err := os.Remove(reviewFile(r.Checkout, journal.ReviewFile)); err != nil {
		t.Fatal(err)
	}
	if out := b.ends(ledger.Clean, nil); !out.Earlier || len(out.Ledger.Rounds) > 0 {
		t.Errorf("%+v", out)
	}
	if l := b.last(); l.End != ledger.Clean || l.Head != b.Git("rev-parse", "HEAD") || len(l.Rounds) != 0 {
		t.Errorf("%+v", l)
	}
	// A verdict is about two trees: a secret in a message between them is not covered.
	b.Git("commit", "-q", "--allow-empty", "-m", "gh"+"p_"+"a8Kd03LmQz7VxTn2"+"RbYc5WjFs9HuEg1PqOiX")
	if out, err := b.reviewed(func(r *Branch) { r.NoFix = true }); err != nil || out.Earlier || out.Ledger.End.Passes() {
		t.Errorf("%+v, %v", out, err)
	}
}

// Statistics count a review that a person's commit helped, but not commits of steps or fixers.
func TestInterventionsInReviews(t *testing.T) {
	for name, tt := range map[string]struct {
		message string
		want    bool
	}{
		"a person":  {"By hand", true},
		"a fixer":   {"Fix\n\nPlan-Review: x/1", false},
		"a session": {"One\n\nPlan-Step: %s/a", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := configured(t)
			doc := b.planned("true")
			b.Commit("a.txt", "a BUG\n")
			b.ends(ledger.Found, func(r *Branch) { r.NoFix = true })
			b.Commit("a.txt", "fine\n")
			message := tt.message
			if strings.Contains(message, "%s") {
				message = fmt.Sprintf(message, doc.ID)
			}
			b.Git("commit", "-q", "--amend", "-m", message)
			if _, err := b.reviewed(func(r *Branch) { r.NoFix = true }); err != nil {
				t.Fatal(err)
			}
			events := b.opened().Doc.Events
			if got := events[len(events)-1]; got.Kind != journal.Reviewed || got.Unstuck != tt.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What a review would refuse is reported before the first step: a setting, or a reviewer of the repository,
// wherever the branch left its base.
func TestReviewPrerequisites(t *testing.T) {
	b := configured(t)
	b.planned("true")
	b.Commit("a.txt", "fine\n")
	refused := func() error { return Unreviewable(t.Context(), b.worker()) }
	if err := refused(); err != nil {
		t.Error(err)
	}
	for key, value := range map[string]string{"plan.reviewRounds": "many", "plan.verifier.timeout": "soon", "plan.reviewers": "nobody", "plan.reviewer.timeout": "5"} {
		b.Git("config", key, value)
		if err := refused(); err == nil {
			t.Errorf("%s=%s is not refused", key, value)
		}
		b.Git("config", "--unset", key)
		b.Git("config", "plan.reviewers", "quality")
	}
	b.Commit(personaFolder+"/own.md", "no front matter")
	if err := refused(); err != nil {
		t.Errorf("the branch's own reviewers do not judge it: %v", err)
	}
	b.Git("switch", "-q", "main")
	b.Commit(personaFolder+"/bad.md", "no front matter")
	b.Git("switch", "-q", "feature")
	b.Git("reset", "-q", "--hard", "HEAD~1")
	b.Git("rebase", "-q", "main")
	if err := refused(); !errors.Is(err, fault.ErrReviewerFile) {
		t.Errorf("%v", err)
	}
}

// An unreadable history is an error, and no pass is recorded for it.
func TestUnreadableHistoryPassesNothing(t *testing.T) {
	b := configured(t)
	b.Commit("gone.txt", "only once\n")
	blob := b.Git("rev-parse", "HEAD:gone.txt")
	b.Git("rm", "-q", "gone.txt")
	b.Git("commit", "-q", "-m", "Remove it")
	b.Commit("a.txt", "all is well\n")
	b.ends(ledger.Clean, nil)
	note := reviewFile(New(b.worker()).Checkout, journal.ReviewFile)
	for _, path := range []string{note, filepath.Join(b.Dir, ".git", "objects", blob[:2], blob[2:])} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := b.reviewed(nil); err == nil {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("a ledger was written")
	}
}
