package rounds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

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

func reviewEnded(o *ledger.Outcome) journal.Notice {
	code := o.End.Code()
	return journal.Notice{Kind: journal.ReviewEnd, End: string(o.End), ExitCode: &code, Commit: o.Ledger.Head,
		Reason: o.Reason, Text: fmt.Sprintf("%s: %s", o.End, o.Reason)}
}
