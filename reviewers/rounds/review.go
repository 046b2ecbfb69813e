package rounds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Loop is a review to be run by Reviewers, and by the built-in rules, which always judge.
type Loop struct {
	Repo       *git.Repo
	Base       string // the commit where the work left its base, or the empty tree
	Plan       *plan.Plan
	Progress   *progress.Progress // of the plan
	PlanID     string
	Guidelines string // the repository's own instructions, as its base has them
	Reviewers  []panel.Reviewer
	Verifier   panel.Verifier

	// Fix has findings repaired: a fixer session, its checks, the guard, and one commit.
	Fix func(ctx context.Context, repair Repair) FixResult

	// Broken returns a hit for each check of a done step that fails on HEAD; it may be nil.
	Broken func(ctx context.Context, round int) ([]rules.Hit, error)

	NoFix     bool
	Rounds    int               // plan.reviewRounds
	BlockOn   finding.Severity  // plan.blockOn; empty: High
	Earlier   *ledger.Ledger    // of an earlier review of this branch; may be nil
	Dismissed ledger.Dismissals // by a person, in this clone

	// Resume is where a review of Subject stopped; nil, or another subject, begins from the start. Keep may be nil; it
	// is called with where the review is, by one goroutine at a time.
	Subject string
	Resume  *Progress
	Keep    func(*Progress)
	Report  func(journal.Notice) // may be nil; never called by two goroutines at once
}

// Progress is how far a review has come; the round under way is repeated with the answers that there are.
type Progress struct {
	Schema     int
	Subject    string // who judges which change; another subject is another review
	Next       Do     // Judge: the round is under way; Fix: it was judged, and a fixer is at work
	State      State
	First      string // HEAD when the review began
	Before     string // the head of the round before
	Secret     []string
	Reports    []panel.Report // usable ones of the round under way
	Ledger     *ledger.Ledger // its Head is where HEAD was
	Unreported []journal.RoleUsage
}

// Repair is what a fixer is asked to do.
type Repair struct {
	Round      int
	Base, Head string
	Findings   []finding.Finding
	Tried      string // what fixers of earlier rounds did to the files of findings that still stand
	File       string // JSON of Findings, outside of any tree; gone when Fix returns
	Resumed    bool   // a fixer was asked for this before, and did not come to its end
}

// FixResult is the outcome of a repair; Head is empty if nothing was committed.
type FixResult struct {
	Head         string
	Dispositions []agent.Disposition
	Status       agent.Status
	Reason       string
	Waits        error  // why what passed its checks is not committed yet: the next review does it
	Agent        string // that repaired, with its model, as "openai/gpt-5.6"; empty without a repair
	Sessions     int
	Tokens       agent.Tokens
	Cost         agent.Cost
}

// running is a review under way.
type running struct {
	*Loop
	branch      string
	first, head string // HEAD when the review and when the round began
	before      string // the head of the round before; empty in the first
	state       State
	ledger      *ledger.Ledger
	secret      map[string]bool
	target      *panel.Target // of the round under way
	blocking    []finding.Finding
	verified    panel.Use // of the round's verifier

	reports []panel.Report // usable ones of the round under way
	resumed bool           // this is not its beginning
	fixing  bool           // a fixer of this round was interrupted
	later   error          // why an agent could not answer now
}

// moved returns how the branch was moved from outside; "" if it was not.
func (r *running) moved(ctx context.Context, want string) (string, error) {
	branch, err := r.Repo.Branch(ctx)
	if err != nil {
		return "", err
	}
	if branch != r.branch {
		return fmt.Sprintf("the branch was switched from %s to %s", named(r.branch), named(branch)), nil
	}
	head, err := r.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return "", err
	}
	if head != want {
		return fmt.Sprintf("HEAD was moved from %.10s to %.10s meanwhile", want, head), nil
	}
	return "", nil
}

func named(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return finding.ShowPath(branch)
}

func (r *running) notify(n journal.Notice) {
	if r.Report != nil {
		r.Report(n)
	}
}

// roundStarted says who is asked in a round, unless that is known from its beginning.
func roundStarted(round int, asks []string, resumed bool) journal.Notice {
	n := journal.Notice{Kind: journal.ReviewRound, Round: &round}
	if len(asks) > 0 {
		n.Text = "asks " + strings.Join(asks, ", ")
	}
	if resumed {
		n.Text = "goes on where it stopped"
	}
	return n
}

func reviewerEnded(round int, r panel.Report) journal.Notice {
	n := journal.Notice{Kind: journal.ReviewerEnd, Round: &round, Reviewer: r.Reviewer, Reason: r.Incomplete}
	n.Text = fmt.Sprintf("%s: %s, %s judged", r.Reviewer, finding.Count(len(r.Findings), "finding"), finding.Count(len(r.Covered), "file"))
	if r.Incomplete != "" {
		n.Text = fmt.Sprintf("%s gave no answer: %s", r.Reviewer, r.Incomplete)
	}
	return n
}

func findingSeen(round int, f finding.Finding, blocks bool) journal.Notice {
	state := string(f.Status)
	if slices.Contains(finding.Standing, f.Status) {
		state = ledger.Weight(f, blocks)
	}
	if f.Round > 0 && f.Round < round && !f.Unquoted() {
		state += fmt.Sprintf(", as in round %d", f.Round)
	}
	return journal.Notice{Kind: journal.FindingSeen, Round: &round, Finding: &f,
		Text: fmt.Sprintf("%s: %s %s: %s (%s)", finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title, state)}
}

// FixEnded says what a fixer did; round 0 is the fix of a verification.
func FixEnded(round int, m FixResult) journal.Notice {
	n := journal.Notice{Kind: journal.FixEnd, Round: &round, Commit: m.Head, Reason: m.Reason, Text: "fixer: nothing committed"}
	if m.Head != "" {
		n.Text = fmt.Sprintf("fixer: committed %.10s", m.Head)
	} else if m.Reason != "" {
		n.Text += ": " + finding.Line(m.Reason, finding.MaxTitle)
	}
	return n
}
