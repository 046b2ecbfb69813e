package reviewers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/runner"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/testdata/branches"
)

// feature is a checked-out branch.
type feature struct{ *branches.Branch }

// configured is a branch with one configured reviewer, and an agent that finds, confirms and fixes the word
// BUG.
func configured(t *testing.T) *feature {
	t.Helper()
	b := &feature{branches.New(t)}
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "OPENAI_API_KEY": "", "GIT_PLAN_DEPTH": ""} {
		t.Setenv(name, value)
	}
	for key, value := range map[string]string{
		"plan.agent": "fake", "planAgent.fake.command": branches.Script(t, "agent.sh"), "plan.reviewers": "quality", "plan.sandbox": "none",
		"user.name": "A Tester", "user.email": "tester@example.com",
	} {
		b.Git("config", key, value)
	}
	t.Chdir(b.Dir)
	return b
}

// planned gives the branch a plan with one done step, and a verification.
func (b *feature) planned(verification string) *journal.Document {
	b.T.Helper()
	co := b.opened()
	text := "# Sums\n\nAdd *them* for @somebody.\n\n## Assumptions\n\nNumbers are small.\n\n## Steps\n\n- [x] Write a {#a}\n  - Check: `true`\n- [ ] Write b {#b}\n\n## Verification\n\n- `" + verification + "`\n"
	doc, err := co.Store.Create(b.T.Context(), []byte(text), "feature", "main", journal.Event{Start: b.Git("rev-parse", "main"), By: journal.ByPerson})
	if err != nil {
		b.T.Fatal(err)
	}
	b.Git("config", "branch.feature.plan", doc.ID)
	return doc
}

func (b *feature) opened() *checkout.Checkout {
	b.T.Helper()
	co, err := checkout.Open(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(co.Close)
	if err := co.Load(b.T.Context()); err != nil && !errors.Is(err, fault.ErrNoPlan) {
		b.T.Fatal(err)
	}
	return co
}

// worker is the worker of a review of the checked-out branch.
func (b *feature) worker() *work.Worker {
	b.T.Helper()
	return work.New(&runner.Runner{Checkout: b.opened()})
}

// reviewed runs the review of the checked-out branch, like git plan review.
func (b *feature) reviewed(change func(*Branch)) (*ledger.Outcome, error) {
	b.T.Helper()
	r := New(b.worker())
	if change != nil {
		change(r)
	}
	return r.Review(b.T.Context())
}

func (b *feature) ends(end ledger.End, change func(*Branch)) *ledger.Outcome {
	b.T.Helper()
	out, err := b.reviewed(change)
	if err != nil || out.Ledger.End != end {
		b.T.Fatalf("%+v, %v; want %s", out, err, end)
	}
	return out
}

func TestBranchIsFixedUntilItIsClean(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "a BUG\n")
	b.ends(ledger.Clean, nil)
	if got := b.Git("log", "--format=%s %(trailers:key=Plan-Review,separator=)", "main.."); !strings.Contains(got, "Fix what the review found in round 1 Plan-Review: feature/1") {
		t.Errorf("the fix is not committed:\n%s", got)
	}
	co := b.opened()
	l, err := ledger.Last(t.Context(), co.Store, nil, "feature")
	if err != nil || l == nil || l.End != ledger.Clean || len(l.Rounds) != 2 || len(l.With(finding.Fixed)) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if v, err := Known(t.Context(), co, nil, "main", "HEAD"); err != nil || !v.Passes() {
		t.Errorf("verdict %+v, %v", v, err)
	}
	if out := b.ends(ledger.Clean, nil); !out.Earlier || len(out.Ledger.Rounds) == 0 {
		t.Errorf("the same files are judged again: %+v", out)
	}
	if out := b.ends(ledger.Clean, func(r *Branch) { r.Force = true }); out.Earlier {
		t.Error("they are not, although that was asked for")
	}
}

func TestBaseWithoutACommonCommitIsAnError(t *testing.T) {
	b := configured(t)
	b.Git("switch", "-q", "--orphan", "other")
	b.Commit("x.txt", "x\n")
	_, err := b.reviewed(func(r *Branch) { r.Base = "main" })
	if !errors.Is(err, fault.ErrNoBase) || !strings.Contains(err.Error(), "no commit in common with main") {
		t.Error(err)
	}
}

// What a report finds is no pass, here or for the next review.
func TestReportKeepsItsFindings(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "a BUG\n")
	head := b.Git("rev-parse", "HEAD")
	out := b.ends(ledger.Found, func(r *Branch) { r.NoFix = true })
	if b.Git("rev-parse", "HEAD") != head || len(out.Ledger.Blocking()) != 1 {
		t.Errorf("%+v", out.Ledger)
	}
	if v, err := Known(t.Context(), b.opened(), nil, "main", "HEAD"); err != nil || v.Passes() {
		t.Errorf("verdict %+v, %v", v, err)
	}
	b.Commit("a.txt", "fixed by hand\n")
	b.ends(ledger.Clean, func(r *Branch) { r.NoFix = true })
}

func TestTheVerificationOfAPlanIsFixedFirst(t *testing.T) {
	b := configured(t)
	doc := b.planned("test -f verified.txt")
	b.Commit("a.txt", "all is well\n")
	b.Git("config", "plan.attempts", "1")
	if _, err := b.reviewed(func(r *Branch) { r.NoFix = true }); !errors.Is(err, fault.ErrVerification) {
		t.Errorf("a report of what does not verify: %v", err)
	}
	b.ends(ledger.Clean, nil)
	if subject := b.Git("log", "-1", "--format=%s"); subject != "Make the plan's verification pass" {
		t.Errorf("the last commit: %s", subject)
	}
	co := b.opened()
	l, err := ledger.Last(t.Context(), co.Store, co.Doc, co.Branch)
	if err != nil || l == nil || l.Plan != doc.ID || l.End != ledger.Clean {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestMissingAgentsAreReported(t *testing.T) {
	b := configured(t)
	b.Commit("a.txt", "a\n")
	if _, err := b.reviewed(func(r *Branch) { r.Only = []string{"nobody"} }); !errors.Is(err, fault.ErrNoSuchReviewer) {
		t.Errorf("%v", err)
	}
	b.Git("config", "plan.agent", "none-such")
	if _, err := b.reviewed(nil); err == nil {
		t.Error("an agent that is not set up reviews")
	}
	b.Git("config", "plan.blockOn", "hihg")
	if err := Unreviewable(t.Context(), b.worker()); err == nil || !strings.Contains(err.Error(), "hihg") {
		t.Errorf("%v", err)
	}
}

// A repository's own reviewers and guidelines are read from its base.
func TestReviewersComeFromTheBase(t *testing.T) {
	b := configured(t)
	persona := "---\nname: sql\n---\nLook at the queries.\n"
	b.Commit(personaFolder+"/sql.md", persona, "REVIEW.md", "Be kind.\n")
	b.Git("config", "plan.reviewers", "sql")
	co := b.opened()
	if _, err := Configured(t.Context(), co, "main", nil, nil); !errors.Is(err, fault.ErrAgentSetup) {
		t.Errorf("a branch brings its own judge: %v", err)
	}
	all, err := Configured(t.Context(), co, "HEAD", nil, nil)
	if err != nil || len(all) != 1 || all[0].Name != "sql" {
		t.Errorf("%v, %v", all, err)
	}
	if main, head := guidelines(t.Context(), b.Repo, "main"), guidelines(t.Context(), b.Repo, "HEAD"); main != "" || !strings.Contains(head, "Be kind.") {
		t.Errorf("%q, %q", main, head)
	}
	for _, text := range []string{persona, "no front matter"} { // a name that sql.md has, and none
		b.Commit(personaFolder+"/two.md", text)
		if _, err := Configured(t.Context(), co, "HEAD", nil, nil); !errors.Is(err, fault.ErrReviewerFile) {
			t.Errorf("%v", err)
		}
	}
}

func TestRulesAlone(t *testing.T) {
	b := branches.New(t)
	b.Commit("a.txt", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
	for _, what := range []string{"HEAD", "main..HEAD", "main.."} {
		found, err := RulesAlone(t.Context(), b.Repo, what, finding.High)
		if err != nil || found.End.Passes() || found.Findings[0].File != "a.txt" {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
	}
	if found, err := RulesAlone(t.Context(), b.Repo, "staged", finding.High); err != nil || len(found.Findings) > 0 {
		t.Errorf("nothing is staged: %+v, %v", found, err)
	}
	if _, err := RulesAlone(t.Context(), b.Repo, "none..HEAD", finding.High); err == nil {
		t.Error("a missing commit has findings")
	}
}

// A killed review leaves the names of its sessions, which are then ended.
func TestSessionsOfAKilledReviewAreForgotten(t *testing.T) {
	b := configured(t)
	r := New(b.worker())
	r.recordSession("reviewer-1-abc")
	name := reviewFile(r.Checkout, "sessions")
	if data, err := os.ReadFile(name); err != nil || string(data) != "reviewer-1-abc\n" {
		t.Errorf("%q, %v", data, err)
	}
	r.endLeftoverSessions()
	if _, err := os.Stat(name); err == nil {
		t.Error("the record of sessions was not removed")
	}
	if filepath.Base(filepath.Dir(name)) == "feature" { // two branches never share a folder
		t.Errorf("%s", name)
	}
	if out := finding.Text(finding.Finding{ID: "abc", Severity: finding.High, File: "a.txt", Quote: "a BUG"}); !strings.Contains(out, "The code: a BUG") || strings.Contains(out, "The verifier") {
		t.Errorf("%s", out)
	}
	if h := r.runSession("none-such")(t.Context(), agent.Session{Role: agent.Reviewer}); h.Status != agent.Failed {
		t.Errorf("%+v", h)
	}
}
