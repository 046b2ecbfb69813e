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
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
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
	said, see := checkout.FailureOutput(co, journal.Event{Session: a.Is.Session, Reason: a.Is.Reason, Kept: a.Is.Kept})
	a.Printed, a.See = ends(said), see
}

// stepOf returns a step with at most so many attempts, the newest.
func (p *Page) stepOf(s views.Step, at status.Step, co *checkout.Checkout, most int) Step {
	out := Step{Of: p, Is: s, Reason: visible.OneLine(at.Reason, mostReason), Blocked: at.State == progress.StateBlocked,
		Doubts: views.Doubts(co, at)}
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
