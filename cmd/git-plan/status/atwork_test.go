package status

import (
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/repository"
)

// planned is a checkout of a branch with a plan whose first step was done by a commit.
func planned(t *testing.T) (*checkout.Checkout, string) {
	t.Helper()
	t.Chdir(repository.New(t, "-b", "main"))
	repository.Git(t, "", "commit", "-q", "--allow-empty", "-m", "begin")
	repository.Git(t, "", "switch", "-q", "-c", "work")
	co, err := checkout.Open(t.Context())
	must(t, err)
	defer co.Close()
	start := repository.Ask(t, "rev-parse", "HEAD")
	text := "# Sums\n\n## Requirements\n\n- R1: they are right\n- R2: they are fast\n\n## Steps\n\n- [ ] **A** {#a}\n  - For: R1\n- [ ] **B** {#b}\n  - For: R1\n  - Needs: none\n  - Files: `x.go`\n- [ ] **C** {#c}\n  - Needs: none\n  - Files: `x.go`\n"
	doc, err := co.Store.Create(t.Context(), []byte(text), "work", "main", journal.Event{Start: start, Head: start, By: journal.ByPerson})
	must(t, err)
	must(t, co.Attach(t.Context(), doc.ID))
	must(t, integrity.Approve(co.Repo, doc.ID, doc.Plan.Source))
	repository.Git(t, "", "commit", "-q", "--allow-empty", "-m", "Do A")
	must(t, co.Store.Apply(t.Context(), doc, "work", journal.Change{Event: journal.Event{Kind: journal.Done, Steps: []string{"a"}, Head: repository.Ask(t, "rev-parse", "HEAD"), By: journal.ByAgent}}))
	return reopened(t), start
}

// reopened is the checkout as the next command finds it.
func reopened(t *testing.T) *checkout.Checkout {
	t.Helper()
	co, err := checkout.Open(t.Context())
	must(t, err)
	t.Cleanup(co.Close)
	must(t, co.Load(t.Context()))
	return co
}

// The running sessions are known from the notices of the run.
func TestRunningSessions(t *testing.T) {
	co, _ := planned(t)
	s, err := Of(t.Context(), co)
	must(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	s.Steps[1].State = progress.StateRunning
	for _, n := range []journal.Notice{
		{Kind: journal.SessionStart, Step: "b", Agent: "early"}, // of a step that has not begun
		{Kind: journal.StepStart, Step: "a", Time: at},          // which is done
		{Kind: journal.StepStart, Step: "none", Time: at},
		{Kind: journal.StepStart, Step: "b", Time: at, Attempt: 1},
		{Kind: journal.SessionStart, Step: "b", Agent: "claude", Attempt: 2, Session: "b-2-abc", Time: at.Add(time.Minute)},
	} {
		s.runs(n)
	}
	if s.Steps[0].Running != nil || s.Steps[1].Running == nil {
		t.Fatalf("%+v", s.Steps)
	}
	for want, who := range map[string]AtWork{
		"running since 03:05:05 by claude, attempt 2": *s.Steps[1].Running,
		"running since 03:04:05":                      {By: journal.ByAgent, Since: at, Attempt: 1},
		"opened by git plan next at 2026-01-02 03:04": {By: journal.ByPerson, Since: at},
	} {
		if got := who.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestStateOfRequirements(t *testing.T) {
	co, _ := planned(t)
	all := co.Progress.Requirements(co.Doc.Plan)
	if len(all) != 2 || all[0].ID != "R1" || len(all[0].Steps) != 2 || all[0].Steps[0].State != progress.StateDone || all[0].Steps[0].Commit == "" || all[0].Steps[1].Commit != "" {
		t.Errorf("%+v", all)
	}
	if len(all[1].Steps) != 0 || all[0].State == progress.StateDone {
		t.Errorf("%+v", all)
	}
}

// The ledger of the last review says what remains; that it passed counts only if this clone knows it.
func TestStateOfTheLastReview(t *testing.T) {
	co, start := planned(t)
	tree := repository.Ask(t, "rev-parse", "HEAD^{tree}")
	head := repository.Ask(t, "rev-parse", "HEAD")
	for name, c := range map[string]struct {
		ledger ledger.Ledger
		want   func(Review) bool
	}{
		"something blocks": {ledger.Ledger{End: ledger.Found, Findings: []finding.Finding{{ID: "0123456789ab", Severity: finding.High, Status: finding.Confirmed}},
			Rounds: []ledger.Round{{N: 1, Blocking: []string{"0123456789ab"}}}},
			func(r Review) bool {
				return r.End == ledger.Found && len(r.Facts.Blocking) == 1 && r.Facts.Found && strings.HasPrefix("0123456789ab", r.Facts.Blocking[0]) && !r.Stale
			}},
		"a fixer asks": {ledger.Ledger{End: ledger.Found, Findings: []finding.Finding{{ID: "0123456789ab", Severity: finding.High, Status: finding.Asked, Because: "which one?"}},
			Rounds: []ledger.Round{{N: 1, Blocking: []string{"0123456789ab"}}}},
			func(r Review) bool { return r.Facts.Asked == "which one?" }},
		"only a person can settle it": {ledger.Ledger{End: ledger.Stalemate, Findings: []finding.Finding{{ID: "0123456789ab", Severity: finding.High, Status: finding.Confirmed, Remedy: "ask", Title: "which one?", Because: "it is so"}},
			Rounds: []ledger.Round{{N: 1, Blocking: []string{"0123456789ab"}}}},
			func(r Review) bool { return r.Facts.Asked == "which one?" }},
		"only its plan says that it passed": {ledger.Ledger{End: ledger.Clean}, func(r Review) bool { return r.PlanOnly && !r.Facts.Stopped && r.Head == head }},
		"a partial review":                  {ledger.Ledger{End: ledger.Clean, Only: []string{"sql"}}, func(r Review) bool { return !r.PlanOnly && len(r.Only) == 1 }},
		"the branch has changed":            {ledger.Ledger{End: ledger.Clean, HeadTree: start}, func(r Review) bool { return r.Stale && !r.PlanOnly }},
		"oscillation":                       {ledger.Ledger{End: ledger.Oscillation, Reason: "the tree was there"}, func(r Review) bool { return r.Facts.Why == "the tree was there" }},
	} {
		l := c.ledger
		l.Schema, l.Plan, l.Branch, l.Base, l.Head, l.BaseTree = 1, co.Doc.ID, "work", start, head, start
		if l.HeadTree == "" {
			l.HeadTree = tree
		}
		data, err := l.Bytes()
		must(t, err)
		must(t, co.Store.Apply(t.Context(), co.Doc, co.Branch, journal.Change{Event: journal.Event{Kind: journal.Dismissed, By: journal.ByPerson, Head: head}, Files: map[string][]byte{journal.ReviewFile: data}}))
		r, err := ReviewOf(t.Context(), co)
		if err != nil || !c.want(r) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	t.Setenv("PATH", repository.OnlyGit(t))
	t.Setenv("OPENAI_API_KEY", "")
	if !noReviewer(co) {
		t.Error("nothing here is an agent")
	}
	repository.Git(t, "", "config", "plan.reviewers", "mine")
	repository.Git(t, "", "config", "planReviewer.mine.command", "true")
	if noReviewer(reopened(t)) {
		t.Error("a command judges, and no agent is needed")
	}
}
