package web

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Review is the last review of a branch.
type Review struct {
	End, Why string
	Rounds   []ledger.Round

	Blocking, Open, Settled []Finding
}

// Finding is a finding beside the code that it quotes.
type Finding struct {
	Is   *finding.Finding
	ID   string     // as a person types it
	Word string     // its state
	Kept string     // why a fixer left the code as it is
	Then string     // what the verifier answered to that
	Code []CodeLine // around the quote, at the commit that was judged last
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
	end, _, _ := strings.Cut(strings.TrimPrefix(s.Review.String(), "review: "), "; ") // the reason counts what blocks
	out := &Review{End: end, Why: visible.OneLine(l.Reason, mostReason), Rounds: l.Rounds}
	blocking := l.Blocking()
	files := map[string][]string{}
	for i := range l.Findings {
		f := &l.Findings[i]
		shown := Finding{Is: f, ID: ledger.Short(f.ID), Word: string(f.Status)}
		shown.Kept, shown.Then = l.Refused(f.ID)
		if f.Status == finding.Open && f.Unquoted() {
			shown.Word = "not counted: " + f.Unplaced()
		}
		if f.Line > 0 {
			if _, read := files[f.File]; !read {
				files[f.File] = linesAt(ctx, co.Repo, l.Head, f.File)
			}
			shown.Code = around(files[f.File], *f)
		}
		switch {
		case slices.ContainsFunc(blocking, func(b finding.Finding) bool { return b.ID == f.ID }):
			out.Blocking = append(out.Blocking, shown)
		case f.Status == finding.Fixed, f.Status == finding.Dismissed, f.Status == finding.Refuted:
			out.Settled = append(out.Settled, shown)
		default:
			out.Open = append(out.Open, shown)
		}
	}
	return out
}

// mostFile bounds a file whose lines are shown, in bytes.
const mostFile = 4 << 20

// linesAt returns the lines of a file in a commit; nil if the file is not there.
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
			out = append(out, CodeLine{Text: visible.Cut(l, 400), Quoted: true})
		}
		return out
	}
	first := max(1, f.Line-(mostCode-1)/2)
	last := min(len(file), f.Line+min(len(quote), mostCode)-1+(mostCode-1)/2)
	for n := first; n <= last; n++ {
		out = append(out, CodeLine{N: n, Text: visible.Cut(file[n-1], 400), Quoted: n >= f.Line && n < f.Line+len(quote)})
	}
	return out
}
