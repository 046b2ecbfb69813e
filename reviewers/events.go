package reviewers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rounds"
)

// report reports to people and programs what happens in the review.
func (b *Branch) report(e rounds.Event) {
	n := journal.Notice{Round: &e.Round}
	switch e.Kind {
	case rounds.RoundStarted:
		n.Kind = journal.ReviewRound
		if len(e.Asks) > 0 {
			n.Text = "asks " + strings.Join(e.Asks, ", ")
		}
		if e.Resumed {
			n.Text = "goes on where it stopped"
		}
	case rounds.ReviewerEnded:
		n.Kind, n.Reviewer, n.Reason = journal.ReviewerEnd, e.Reviewer.Reviewer, e.Reviewer.Incomplete
		n.Text = fmt.Sprintf("%s: %s, %s judged", e.Reviewer.Reviewer, finding.Count(len(e.Reviewer.Findings), "finding"), finding.Count(len(e.Reviewer.Covered), "file"))
		if e.Reviewer.Incomplete != "" {
			n.Text = fmt.Sprintf("%s gave no answer: %s", e.Reviewer.Reviewer, e.Reviewer.Incomplete)
		}
	case rounds.FindingSeen:
		state := string(e.Finding.Status)
		if slices.Contains(finding.Standing, e.Finding.Status) {
			state = ledger.Weight(*e.Finding, e.Blocks)
		}
		if e.Finding.Round > 0 && e.Finding.Round < e.Round && !e.Finding.Unquoted() {
			state += fmt.Sprintf(", as in round %d", e.Finding.Round)
		}
		n = seen(e.Round, e.Finding, state)
	case rounds.FixEnded:
		n.Kind, n.Commit, n.Reason = journal.FixEnd, e.Result.Head, e.Result.Reason
		switch {
		case n.Commit != "":
			n.Text = fmt.Sprintf("fixer: committed %.10s", n.Commit)
		case n.Reason != "":
			n.Text = "fixer: nothing committed: " + finding.Line(n.Reason, finding.MaxTitle)
		default:
			n.Text = "fixer: nothing committed"
		}
	case rounds.ReviewEnded:
		code := e.Outcome.End.Code()
		n.Round, n.End, n.ExitCode, n.Commit = nil, string(e.Outcome.End), &code, e.Outcome.Ledger.Head
		n.Kind, n.Text, n.Reason = journal.ReviewEnd, fmt.Sprintf("%s: %s", e.Outcome.End, e.Outcome.Reason), e.Outcome.Reason
	}
	b.Runner.Report(n)
}

// seen says what became of a finding in a round.
func seen(round int, f *finding.Finding, state string) journal.Notice {
	return journal.Notice{Kind: journal.FindingSeen, Round: &round, Finding: f,
		Text: fmt.Sprintf("%s: %s %s: %s (%s)", finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title, state)}
}
