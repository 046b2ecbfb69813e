package reviewers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/work"
)

// configured is a branch whose configuration names one reviewer, and an agent that finds,
// confirms and fixes the word BUG.
func configured(t *testing.T) *branch {
	t.Helper()
	b := newBranch(t)
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "OPENAI_API_KEY": "", "GIT_PLAN_DEPTH": ""} {
		t.Setenv(name, value)
	}
	for key, value := range map[string]string{
		"plan.agent": "fake", "planAgent.fake.command": script(t, "agent.sh"), "plan.reviewers": "quality", "plan.sandbox": "none",
		"user.name": "A Tester", "user.email": "tester@example.com",
	} {
		b.git("config", key, value)
	}
	t.Chdir(b.dir)
	return b
}

// planned gives the branch a plan with one step that is done, and a verification.
func (b *branch) planned(verification string) *journal.Document {
	b.t.Helper()
	co := b.opened()
	text := "# Sums\n\nAdd *them* for @somebody.\n\n## Assumptions\n\nNumbers are small.\n\n## Steps\n\n- [x] Write a {#a}\n  - Check: `true`\n- [ ] Write b {#b}\n\n## Verification\n\n- `" + verification + "`\n"
	doc, err := co.Store.Create(b.t.Context(), []byte(text), "feature", "main", journal.Event{Start: b.git("rev-parse", "main"), By: journal.ByPerson})
	if err != nil {
		b.t.Fatal(err)
	}
	b.git("config", "branch.feature.plan", doc.ID)
	return doc
}

func (b *branch) opened() *checkout.Checkout {
	b.t.Helper()
	co, err := checkout.Open(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(co.Close)
	if err := co.Load(b.t.Context()); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		b.t.Fatal(err)
	}
	return co
}

// reviewed runs the review of the branch that is checked out, as git plan review does.
func (b *branch) reviewed(change func(*Branch)) (*BranchOutcome, error) {
	b.t.Helper()
	r := &Branch{Worker: &work.Worker{Place: place.Place{Checkout: b.opened()}}}
	if change != nil {
		change(r)
	}
	return r.Review(b.t.Context())
}

func (b *branch) ends(end End, change func(*Branch)) *BranchOutcome {
	b.t.Helper()
	out, err := b.reviewed(change)
	if err != nil || out.End != end {
		b.t.Fatalf("%+v, %v; want %s", out, err, end)
	}
	return out
}

func TestABranchIsFixedUntilItIsClean(t *testing.T) {
	b := configured(t)
	b.commit("a.txt", "a BUG\n")
	b.ends(Clean, nil)
	if got := b.git("log", "--format=%s %(trailers:key=Plan-Review,separator=)", "main.."); !strings.Contains(got, "Fix what the review found in round 1 Plan-Review: feature/1") {
		t.Errorf("the fix is not committed:\n%s", got)
	}
	co := b.opened()
	l, err := LastLedger(t.Context(), co.Store, nil, "feature")
	if err != nil || l == nil || l.End != Clean || len(l.Rounds) != 2 || len(l.with(Fixed)) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if v, err := Known(t.Context(), co, nil, "main", "HEAD"); err != nil || !v.Passes() {
		t.Errorf("verdict %+v, %v", v, err)
	}
	if out := b.ends(Clean, nil); !out.Earlier || out.Outcome == nil {
		t.Errorf("the same files are judged again: %+v", out)
	}
	if out := b.ends(Clean, func(r *Branch) { r.Force = true }); out.Earlier {
		t.Error("they are not, although that was asked for")
	}
}

// What a report finds is no pass, here or for the next review.
func TestAReportLeavesWhatItFound(t *testing.T) {
	b := configured(t)
	b.commit("a.txt", "a BUG\n")
	head := b.git("rev-parse", "HEAD")
	out := b.ends(Found, func(r *Branch) { r.NoFix = true })
	if b.git("rev-parse", "HEAD") != head || len(out.Outcome.Ledger.Blocking()) != 1 {
		t.Errorf("%+v", out.Outcome.Ledger)
	}
	if v, err := Known(t.Context(), b.opened(), nil, "main", "HEAD"); err != nil || v.Passes() {
		t.Errorf("verdict %+v, %v", v, err)
	}
	b.commit("a.txt", "fixed by hand\n")
	b.ends(Clean, func(r *Branch) { r.NoFix = true })
}

func TestTheVerificationOfAPlanIsFixedFirst(t *testing.T) {
	b := configured(t)
	doc := b.planned("test -f verified.txt")
	b.commit("a.txt", "all is well\n")
	b.git("config", "plan.attempts", "1")
	if _, err := b.reviewed(func(r *Branch) { r.NoFix = true }); !errors.Is(err, fault.ErrVerification) {
		t.Errorf("a report of what does not verify: %v", err)
	}
	b.ends(Notes, nil)
	if subject := b.git("log", "-1", "--format=%s"); subject != "Make the plan's verification pass" {
		t.Errorf("the last commit: %s", subject)
	}
	co := b.opened()
	l, err := LedgerOf(t.Context(), co.Store, co.Doc)
	if err != nil || l == nil || l.Plan != doc.ID || l.End != Notes {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestWhoeverIsAskedMustBeThere(t *testing.T) {
	b := configured(t)
	b.commit("a.txt", "a\n")
	if _, err := b.reviewed(func(r *Branch) { r.Only = []string{"nobody"} }); !errors.Is(err, fault.ErrNoSuchReviewer) {
		t.Errorf("%v", err)
	}
	b.git("config", "plan.agent", "none-such")
	if _, err := b.reviewed(nil); err == nil {
		t.Error("an agent that is not set up judges")
	}
	b.git("config", "plan.blockOn", "hihg")
	if err := Unreviewable(t.Context(), &work.Worker{Place: place.Place{Checkout: b.opened()}}); err == nil || !strings.Contains(err.Error(), "hihg") {
		t.Errorf("%v", err)
	}
}

// A repository's own reviewers and guidelines are those of the base.
func TestReviewersComeFromTheBase(t *testing.T) {
	b := configured(t)
	persona := "---\nname: sql\n---\nLook at the queries.\n"
	b.commit(personaFolder+"/sql.md", persona, "REVIEW.md", "Be kind.\n")
	b.git("config", "plan.reviewers", "sql")
	co := b.opened()
	if _, err := Configured(t.Context(), co, "main", nil, nil); !errors.Is(err, fault.ErrAgentSetup) {
		t.Errorf("a branch brings its own judge: %v", err)
	}
	all, err := Configured(t.Context(), co, "HEAD", nil, nil)
	if err != nil || len(all) != 1 || all[0].Name() != "sql" {
		t.Errorf("%v, %v", all, err)
	}
	if main, head := guidelines(t.Context(), b.repo, "main"), guidelines(t.Context(), b.repo, "HEAD"); main != "" || !strings.Contains(head, "Be kind.") {
		t.Errorf("%q, %q", main, head)
	}
	b.commit(personaFolder+"/sql.md", "no front matter")
	if _, err := Configured(t.Context(), co, "HEAD", nil, nil); !errors.Is(err, fault.ErrReviewerFile) {
		t.Errorf("%v", err)
	}
}

func TestTheRulesAlone(t *testing.T) {
	b := newBranch(t)
	b.commit("a.txt", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
	for _, what := range []string{"HEAD", "main..HEAD", "main.."} {
		found, err := RulesAlone(t.Context(), b.repo, what)
		if err != nil || len(found) == 0 || found[0].File != "a.txt" {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
	}
	if found, err := RulesAlone(t.Context(), b.repo, Staged); err != nil || len(found) > 0 {
		t.Errorf("nothing is staged: %+v, %v", found, err)
	}
	if _, err := RulesAlone(t.Context(), b.repo, "none..HEAD"); err == nil {
		t.Error("a commit that is not there has findings")
	}
}

// The text for a pull request shows what others wrote, and lets none of it do anything.
func TestAPullRequestQuotesWhatOthersWrote(t *testing.T) {
	b := configured(t)
	doc := b.planned("true")
	co := b.opened()
	var text strings.Builder
	pr := &PullRequest{Plan: doc.Plan, Progress: co.Progress, HeadTree: "t"}
	if _, err := pr.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	pr.Ledger = &Ledger{
		End: Stalemate, Reason: "closes #1", HeadTree: "other",
		Rounds: []Round{
			{N: 1, Reviewers: []Reviewed{{Name: "quality", Covered: []string{"a.txt"}}}},
			{N: 1, Earlier: true, Reviewers: []Reviewed{{Name: "rules"}, {Name: "security", Incomplete: "timeout"}}},
		},
		Findings: []Finding{
			{ID: "1", File: "a`b.txt", Severity: High, Category: "correctness", Title: "<b>wrong</b>", Status: Confirmed},
			{ID: "2", File: "a.txt", Severity: Low, Category: "style", Title: "old", Because: "@me", Status: Dismissed},
		},
	}
	text.Reset()
	if _, err := pr.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"# Sums\n", "Add *them* for @<!-- -->somebody.", "## Done: ", "of 2 steps", "Ended stalemate: closes \\#1.", "The branch has changed since.",
		"2 rounds of 2 reviews", "quality", "### Found and dismissed", "(@<!-- -->me)", "### Open", "``a`b.txt``", "&lt;b>wrong", "## Assumptions",
	} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, text.String())
		}
	}
}

// A review that was killed leaves what its sessions were called, and they are ended.
func TestSessionsOfAKilledReviewAreForgotten(t *testing.T) {
	b := configured(t)
	r := &Branch{Worker: &work.Worker{Place: place.Place{Checkout: b.opened()}}}
	r.began("reviewer-1-abc")
	name := r.reviewFile("sessions")
	if data, err := os.ReadFile(name); err != nil || string(data) != "reviewer-1-abc\n" {
		t.Errorf("%q, %v", data, err)
	}
	r.endLeftBehind()
	if _, err := os.Stat(name); err == nil {
		t.Error("they are not forgotten")
	}
	if filepath.Base(filepath.Dir(name)) == "feature" { // two branches never share a folder
		t.Errorf("%s", name)
	}
	if out := findingsText([]Finding{{ID: "abc", Severity: High, File: "a.txt", Quote: "a BUG"}}); !strings.Contains(out, "The code: a BUG") || strings.Contains(out, "The verifier") {
		t.Errorf("%s", out)
	}
	if h := r.hold("none-such")(t.Context(), agent.Session{Role: agent.Reviewer}); h.Status != agent.Failed {
		t.Errorf("%+v", h)
	}
}
