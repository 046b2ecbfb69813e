package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Step is a step and its state.
type Step struct {
	Of       *Page
	Is       views.Step
	Reason   string
	Doubts   []string  // weaknesses of the proof that it is done
	Attempts []Attempt // the newest ones
	Earlier  int       // number of attempts before those
	Working  string    // agent or person at work, and since when; "" for none
	Since    time.Time // start of that work
	Diff     *Diff     // changes by its commit

	// Blocked, because its session asked (Question), or changed nothing (Unchanged).
	Blocked, Question, Unchanged bool

	Answer string   // a person's answer, until no session is at work
	Newest bool     // done last of all steps
	Used   []string // cells of git plan log --stats
	Spans  []Span
	Broken bool // Spans are drawn shorter than they were
	Rail   Rail
	Events []Event // newest first
}

// Attempt is one session at a step.
type Attempt struct {
	Is      views.Session
	Printed string // end of the output of the program that failed
	See     string // command that shows all of the output
}

// print fills in Printed and See.
func (a *Attempt) print(co *checkout.Checkout) {
	said, see := checkout.FailureOutput(co, *a.Is.Event)
	a.Printed, a.See = ends(said), see
}

// stepOf returns a step with its newest attempts, most of them at most.
func (p *Page) stepOf(s views.Step, at status.Step, co *checkout.Checkout, most int) Step {
	out := Step{Of: p, Is: s, Reason: visible.OneLine(at.Reason, mostReason), Blocked: at.State == progress.StateBlocked,
		Doubts: views.Doubts(co, at)}
	out.Unchanged = co.Progress.Steps[s.ID].Unchanged()
	if out.Question = out.Blocked && co.Progress.Steps[s.ID].Last().Question; out.Question {
		out.Reason = at.Reason
	}
	if at.Running != nil {
		out.Working, out.Since = at.Running.String(), at.Running.Since
	}
	out.Earlier = max(0, len(s.Sessions)-most)
	for _, a := range s.Sessions[out.Earlier:] {
		out.Attempts = append(out.Attempts, Attempt{Is: a})
	}
	return out
}

// Session is an attempt with its transcript, if this clone has one.
type Session struct {
	Attempt
	Plan    *plan.Plan
	At      string // ID of a plan of another branch; "" for the one checked out
	Step    views.Step
	Parts   []Part
	Earlier int   // number of parts before those
	Diff    *Diff // its changes
}

// Part is a part of a transcript: a text, or a call with its answer.
type Part struct {
	Word, Rest, Text string // heading (its first word and the rest), and the text below
	Time, Answer     string
	Long, Answered   bool // Long parts are folded
}

// sessionOf returns a session at a step; nil if the plan has none of that name. at is as in Session.
func sessionOf(ctx context.Context, co *checkout.Checkout, at, step, name string) any {
	s, ok := co.Doc.Plan.Step(step)
	if !ok || name == "" {
		return nil
	}
	out := &Session{Plan: co.Doc.Plan, At: at, Step: views.AllSteps(co)[s.N-1]}
	i := slices.IndexFunc(out.Step.Sessions, func(a views.Session) bool { return a.Session == name })
	if i < 0 {
		return nil
	}
	if out.Is = out.Step.Sessions[i]; out.Is.End == "failed" {
		out.print(co)
	} else if out.Is.Commit != "" {
		out.Diff, _, _ = diffOf(ctx, co, out.Is.Commit, mostDiff)
	}
	f, err := checkout.OpenTranscript(co, name)
	if err != nil {
		return out // without a transcript
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, out.add)
	return out
}

func (s *Session) add(p agent.TranscriptPart) {
	word, rest, _ := strings.Cut(p.Heading, " ")
	switch {
	case strings.Contains(p.Heading, "session "+s.Is.Session): // its beginning
		return
	case p.Diff:
		if patch := git.ReadPatch(p.Text); len(patch.Files) > 0 {
			s.Diff, _ = shown(patch, mostDiff)
			return
		}
	case word == "answer":
		call := slices.IndexFunc(s.Parts,
			func(c Part) bool { return c.Word == "calls" && !c.Answered && strings.HasSuffix(c.Rest, rest) })
		if call >= 0 {
			s.Parts[call].Answer, s.Parts[call].Answered = ends(p.Text), true
			return
		}
	}
	if len(s.Parts) == mostParts {
		s.Parts, s.Earlier = slices.Delete(s.Parts, 0, 1), s.Earlier+1
	}
	s.Parts = append(s.Parts, Part{Word: word, Rest: rest, Text: ends(p.Text), Time: p.Time, Long: len(p.Text) > longPart})
}

// Diff is the difference between a commit and its first parent.
type Diff struct {
	Plan  *plan.Plan
	At    string // as in Session
	Step  views.Step
	Files []DiffFile
	Cut   bool         // lines were left out
	Steps []views.Step // all steps of the plan

	Added, Removed int // lines shown
}

type DiffFile struct {
	Is             git.FileDiff
	Added, Removed int // lines shown
}

// diffOf returns the diff of a commit, and its number of lines, at most most.
func diffOf(ctx context.Context, co *checkout.Checkout, commit string, most int) (*Diff, int, error) {
	c, err := co.Repo.ReadCommit(ctx, commit)
	if err != nil {
		return nil, 0, err
	}
	all, err := git.DiffTrees(ctx, co.Repo, checkout.ParentOf(c), c.OID)
	if err != nil {
		return nil, 0, err
	}
	d, lines := shown(all, most)
	return d, lines, nil
}

// shown returns a diff for the page, and its number of lines, at most most.
func shown(all *git.Diff, most int) (*Diff, int) {
	d, lines := &Diff{}, 0
	for _, f := range all.Files {
		out := DiffFile{Is: f}
		for i := range f.Hunks {
			h := &f.Hunks[i]
			if room := most - lines; len(h.Lines) > room {
				h.Lines, d.Cut = h.Lines[:room], true
			}
			lines += len(h.Lines)
			for _, l := range h.Lines {
				switch l.Kind {
				case '+':
					out.Added++
				case '-':
					out.Removed++
				}
			}
		}
		d.Added, d.Removed = d.Added+out.Added, d.Removed+out.Removed
		d.Cut = d.Cut || f.Cut
		d.Files = append(d.Files, out)
	}
	return d, lines
}

// Review is the last review of a branch.
type Review struct {
	End, Why string
	Rounds   []ledger.Round

	Blocking, Open, Settled []Finding
}

// Finding is a finding beside the code that it quotes.
type Finding struct {
	Is   *finding.Finding
	ID   string     // short, as a person types it
	Word string     // status for a person
	Kept string     // a fixer's reason to leave the code as it is
	Then string     // the verifier's answer to that reason
	Code []CodeLine // the quote and the lines around it, at the commit judged last
}

type CodeLine struct {
	N      int
	Text   string
	Quoted bool
}

// reviewOf returns the last review; nil without one, or if it is unreadable.
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
				files[f.File] = nil // if it is not there, or large
				if o, err := co.Repo.ReadIf(ctx, "blob", l.Head+":"+f.File); err == nil && len(o.Data) <= mostFile {
					files[f.File] = strings.Split(string(o.Data), "\n")
				}
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

// around returns a finding's quote and the lines around it; only the quote if the file no longer has it.
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
