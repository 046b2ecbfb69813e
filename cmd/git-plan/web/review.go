package web

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Review is the last review of a branch.
type Review struct {
	End, Why string
	Rounds   []Round
	Findings []Finding // what blocks first, then what is open, then the rest
}

type Round struct {
	N                 int
	Head              string // short
	Reviewers         []Reviewer
	Verifier, Fixed   string
	Blocking, NotSent int
}

type Reviewer struct{ Name, Agent, Said, Used string }

// Finding is a finding beside the code that it quotes.
type Finding struct {
	ID, Place, Severity, Category, Status, Title string
	Detail, Trigger, Because, By, Reviewers      string
	Round                                        int
	Blocks                                       bool
	Code                                         []CodeLine // around the quote, at the commit that was judged last
}

type CodeLine struct {
	N      int
	Text   string
	Quoted bool
}

// reviewOf returns the last review; nil if there was none, or it cannot be read.
func reviewOf(ctx context.Context, co *checkout.Checkout, s *status.Plan) *Review {
	l, err := ledger.Last(ctx, co.Store, co.Doc, co.Branch)
	if err != nil || l == nil {
		return nil
	}
	out := &Review{End: s.Review.String(), Why: visible.OneLine(l.Reason, mostReason)}
	for _, r := range l.Rounds {
		out.Rounds = append(out.Rounds, roundOf(r))
	}
	blocks := map[string]bool{}
	for _, f := range l.Blocking() {
		blocks[f.ID] = true
	}
	files := map[string][]string{}
	for _, f := range l.Findings {
		shown := Finding{
			ID: ledger.Short(f.ID), Place: line(f.Place()), Severity: string(f.Severity), Category: line(f.Category), Status: string(f.Status), Title: line(f.Title),
			Detail: text(f.Detail), Trigger: text(f.Trigger), Because: text(f.Because), By: line(f.By), Reviewers: line(strings.Join(f.Reviewers, ", ")),
			Round: f.Round, Blocks: blocks[f.ID],
		}
		if f.Line > 0 {
			if _, read := files[f.File]; !read {
				files[f.File] = linesAt(ctx, co.Repo, l.Head, f.File)
			}
			shown.Code = around(files[f.File], f)
		}
		out.Findings = append(out.Findings, shown)
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int { return rank(a) - rank(b) })
	return out
}

// rank orders findings by what a reader has to do about them.
func rank(f Finding) int {
	switch finding.Status(f.Status) {
	case finding.Fixed, finding.Dismissed, finding.Refuted:
		return 2
	}
	if f.Blocks {
		return 0
	}
	return 1
}

func roundOf(r ledger.Round) Round {
	out := Round{N: r.N, Head: visible.Short(r.Head), Blocking: len(r.Blocking), NotSent: len(r.NotSent)}
	for _, v := range r.Reviewers {
		said := fmt.Sprintf("%d of %d files, findings: %d", len(v.Covered), r.Files, len(v.Findings))
		if v.Incomplete != "" {
			said = "no answer: " + visible.OneLine(v.Incomplete, mostReason)
		}
		out.Reviewers = append(out.Reviewers, Reviewer{Name: line(v.Name), Agent: line(v.Agent), Said: said, Used: v.Tokens.String()})
	}
	if v := r.Verifier; v != nil {
		out.Verifier = line(v.Agent)
		if v.Incomplete != "" {
			out.Verifier += ": no answer: " + visible.OneLine(v.Incomplete, mostReason)
		}
	}
	if f := r.Fix; f != nil {
		out.Fixed = string(f.Status)
		switch {
		case f.Head != r.Head && f.Head != "":
			out.Fixed = "committed " + visible.Short(f.Head)
		case f.Status == agent.Done:
			out.Fixed = "no change"
		}
		if f.Reason != "" {
			out.Fixed += ": " + visible.OneLine(f.Reason, mostReason)
		}
	}
	return out
}

// mostFile bounds a file whose lines are shown, in bytes.
const mostFile = 4 << 20

// linesAt returns the lines of a file in a commit; nil if it has none.
func linesAt(ctx context.Context, repo *git.Repo, commit, path string) []string {
	if strings.ContainsAny(path, "\n\x00") {
		return nil
	}
	o, err := repo.ReadIf(ctx, "blob", commit+":"+path)
	if err != nil || len(o.Data) > mostFile {
		return nil
	}
	return strings.Split(string(o.Data), "\n")
}

// around returns the lines around a finding's quote, or only the quote if it is gone.
func around(file []string, f finding.Finding) (out []CodeLine) {
	quote := strings.Split(strings.TrimSpace(f.Quote), "\n")
	if f.Line > len(file) || !strings.Contains(file[f.Line-1], strings.TrimSpace(quote[0])) {
		for _, l := range quote[:min(len(quote), mostCode)] {
			out = append(out, CodeLine{Text: visible.Text(visible.Cut(l, 400)), Quoted: true})
		}
		return out
	}
	quoted := len(quote)
	first := max(1, f.Line-(mostCode-1)/2)
	last := min(len(file), f.Line+min(quoted, mostCode)-1+(mostCode-1)/2)
	for n := first; n <= last; n++ {
		out = append(out, CodeLine{N: n, Text: visible.Text(visible.Cut(file[n-1], 400)), Quoted: n >= f.Line && n < f.Line+quoted})
	}
	return out
}
