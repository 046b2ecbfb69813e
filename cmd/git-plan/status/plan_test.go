package status

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A plan goes from unapproved to done, and then to its push, in a real repository: at each point its state
// has the next command.
func TestPlanState(t *testing.T) {
	dir := repository.New(t, "-b", "main")
	git := func(args ...string) { t.Helper(); repository.Git(t, dir, args...) }
	git("commit", "-q", "--allow-empty", "-m", "begin")
	git("switch", "-q", "-c", "work")
	t.Chdir(dir)
	co, err := checkout.Open(t.Context())
	must(t, err)
	defer func() { co.Close() }()
	start := repository.Git(t, dir, "rev-parse", "HEAD")[:40]
	doc, err := co.Store.Create(t.Context(), []byte("# Say hello\n\n## Steps\n\n- [ ] **Hello** {#hello}\n  - Run: `touch a`\n"),
		"work", "main", journal.Event{Start: start, Head: start, By: journal.ByPerson})
	must(t, err)
	must(t, co.Attach(t.Context(), doc.ID))
	stands := func(state State, text string) {
		t.Helper()
		co.Close()
		co, err = checkout.Open(t.Context()) // as the next command does
		must(t, err)
		must(t, co.Load(t.Context()))
		s, err := Of(t.Context(), co)
		must(t, err)
		if got := s.Next(t.Context(), co).String(); s.State != state || got != text {
			t.Errorf("%s: %s, want %s: %s", s.State, got, state, text)
		}
	}
	stands(Unapproved, "git plan approve")
	must(t, integrity.Approve(co.Repo, doc.ID, doc.Plan.Source))
	stands(Open, "git plan step hello, or git plan run")
	must(t, os.WriteFile(filepath.Join(co.Repo.GitDir, "MERGE_HEAD"), []byte(start+"\n"), 0o600))
	stands(Open, "git status (a merge is under way: finish or abort it first)")
	must(t, os.Remove(filepath.Join(co.Repo.GitDir, "MERGE_HEAD")))

	err = co.SetState(t.Context(), "blocked", "why not", "hello")
	must(t, err)
	stands(Blocked, progress.Unblock("hello", journal.Event{}))
	err = co.SetState(t.Context(), "skipped", "", "hello")
	must(t, err)
	git("commit", "-q", "--allow-empty", "-m", "more")
	const verify, judge = "git plan verify, then ", "; git plan review needs an agent, or a command that judges: git plan review -h"
	stands(Done, verify+"git switch main && git merge work (there is no remote to push to)"+judge)
	repository.Git(t, "", "init", "-q", "--bare", dir+".git")
	git("remote", "add", "origin", dir+".git")
	stands(Done, verify+"git push -u origin HEAD"+judge)
	git("push", "-q", "-u", "origin", "HEAD")
	stands(Done, verify+"git plan pr (the branch is on origin, but the current plan is not)"+judge)
	git("commit", "-q", "--amend", "--allow-empty", "-m", "other")
	stands(Done, verify+"git push --force-with-lease (origin has work as it was before you rewrote it)"+judge)

	co.Doc = nil
	if a, ok := AfterReview(t.Context(), co); ok {
		t.Errorf("after no review: %s", a)
	}
}

// One line says how the last review ended, and whether that counts.
func TestReviewInOneLine(t *testing.T) {
	for _, c := range []struct {
		review Review
		want   string
	}{
		{Review{End: none, Head: "-"}, ""},
		{Review{End: ledger.Clean, Head: "1234567890abcdef"}, "review: clean at 1234567890"},
		{Review{End: ledger.RoundsUp, Head: "12"}, "review: out of rounds at 12"},
		{Review{End: ledger.Clean, Head: "12", Stale: true, Only: []string{"a", "b"}}, "review: clean at 12, by a, b alone, and the branch has changed since"},
		{Review{End: ledger.Clean, Head: "12", Stale: true, LeftOut: "34"}, "review: clean at 12, and skipped since, at 34 (--no-review)"},
		{Review{End: ledger.Notes, Head: "12", PlanOnly: true, Facts: ReviewFacts{Found: true, Notes: 2}}, "review: passed with 2 notes at 12, in another clone; none has passed here; see git plan show --review"},
		{Review{End: ledger.Notes, Head: "12", Facts: ReviewFacts{Found: true, Notes: 2, Unread: 1}}, "review: passed with 2 notes, 1 file judged by no reviewer, at 12; see git plan show --review"},
		{Review{End: ledger.Explained, Head: "12", Facts: ReviewFacts{Found: true, Dismissed: 2}}, "review: passed with 2 dismissed findings at 12; see git plan show --review"},
		{Review{End: ledger.Stalemate, Head: "12", Facts: ReviewFacts{Found: true, Blocking: []string{"1"}}}, "review: waits for you at 12; blocking findings: 1; see git plan show --review"},
		{Review{End: ledger.Oscillation, Head: "12", Facts: ReviewFacts{Why: "the tree was there", Blocking: []string{"1", "2"}, Found: true}}, "review: oscillation at 12: the tree was there; blocking findings: 2; see git plan show --review"},
	} {
		if got := c.review.String(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Findings keep a plan from being done only if its steps are done, and the review is of the current branch.
func TestFindings(t *testing.T) {
	found := Review{Facts: ReviewFacts{Blocking: []string{"1", "2"}}}
	for want, plans := range map[int][]Plan{
		2: {{State: Done, Review: found}},
		0: {{State: Open, Review: found}, {State: Done}, {State: Done, Review: Review{Stale: true, Facts: found.Facts}}, {State: Done, Review: Review{LeftOut: "0123456789", Facts: found.Facts}}},
	} {
		for _, p := range plans {
			if n := p.Findings(); n != want {
				t.Errorf("%d of %+v, want %d", n, p, want)
			}
		}
	}
}

// A step that waits for approval and was skipped does not keep the plan unapproved, as seen from another branch.
func TestListOfASkippedStep(t *testing.T) {
	co, _ := planned(t)
	for edit, want := range []State{Unapproved, Open} {
		must(t, co.Store.Apply(t.Context(), co.Doc, "work", journal.Change{
			Event: journal.Event{Kind: journal.Edited, By: journal.ByAgent},
			Edit: func(text []byte) ([]byte, error) {
				if edit == 0 {
					return bytes.Replace(text, []byte("`x.go`"), []byte("`y.go`"), 1), nil
				}
				return plan.SetStatus(text, "b", plan.StepStatus{Word: "skipped"})
			}}))
		repository.Git(t, "", "switch", "-q", "main")
		other, err := checkout.Open(t.Context())
		must(t, err)
		defer other.Close()
		if list, err := List(t.Context(), other); err != nil || len(list) != 1 || list[0].State != string(want) {
			t.Errorf("%+v, %v, want %s", list, err, want)
		}
		repository.Git(t, "", "switch", "-q", "work")
	}
}
