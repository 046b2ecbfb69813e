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
	Of                *Page
	Is                views.Step
	Reason            string
	Doubts            []string  // whether it is done, although it counts as done
	Attempts          []Attempt // the newest of them
	Earlier           int       // attempts that are not shown
	Working           string    // who is at work on it, and since when
	Since             time.Time // of that
	Diff              *Diff     // what its commit changed
	Blocked, Question bool
	Unchanged         bool     // its session changed nothing: a person says whether it is done
	Answer            string   // that waits until no session is at work
	Newest            bool     // it was done last
	Used              []string // by its sessions, as git plan log --stats has it
	Spans             []Span
	Broken            bool // they took longer than is drawn
	Rail              Rail
	Events            []Event // the newest first
}

// Attempt is one session at a step.
type Attempt struct {
	Is           views.Session
	Printed, See string // what failed it printed last, and the command that shows all of that
}

// print fills in what was printed by what failed the attempt.
func (a *Attempt) print(co *checkout.Checkout) {
	said, see := checkout.FailureOutput(co, *a.Is.Event)
	a.Printed, a.See = ends(said), see
}

// stepOf returns a step with at most so many attempts, the newest.
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

// Session is an attempt with what it did, as far as this clone keeps a transcript.
type Session struct {
	Attempt
	Plan    *plan.Plan
	At      string // the ID of the plan if it is that of another branch
	Step    views.Step
	Parts   []Part
	Earlier int   // parts that are not shown
	Diff    *Diff // what it changed
}

// Part is one thing that it did, said or was answered. An answer stands at its call.
type Part struct {
	Word, Rest, Text string // heading, and what is below it
	Time             string
	Long, Answered   bool // it is folded
	Answer           string
}

// sessionOf returns what a session at a step did; nil if the plan knows of none. at is the plan's ID if it is elsewhere.
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
		return out // none is kept
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

// Diff is what a commit changed.
type Diff struct {
	Plan  *plan.Plan
	At    string // as in a Session
	Step  views.Step
	Files []DiffFile
	Cut   bool         // there is more of it
	Steps []views.Step // of the plan

	Added, Removed int // lines, of those that are shown
}

type DiffFile struct {
	Is             git.FileDiff
	Added, Removed int // lines, of those that are shown
}

// diffOf returns at most so many lines of what a commit changed in its first parent, and how many they are.
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

// shown returns at most so many lines of a difference, and how many they are.
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
