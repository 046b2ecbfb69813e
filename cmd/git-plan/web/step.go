package web

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Step is a step, and what became of it.
type Step struct {
	N                 int
	ID, Title         string
	State             string
	Do, Reason        string
	Files, Needs      []string
	Checks            []Check
	Commit            string // short
	Took              string // by its sessions; "" without any
	Attempts          []Attempt
	Earlier           int    // attempts that are not shown
	Working           string // who is at work on it, and since when
	Diff              *Diff  // what its commit changed
	Blocked, Question bool
	Answer            string // that waits until no session is at work
}

type Check struct {
	Text    string
	Command bool
}

// Attempt is one session at a step.
type Attempt struct {
	N                              int
	End, By, Reason, Time, Session string
	Answer                         string // of a person, after it
	Printed, See                   string // in a page that is one file: as in Session
}

// stepOf returns a step with at most so many attempts, the newest.
func stepOf(s views.Step, at status.Step, co *checkout.Checkout, most int) Step {
	out := Step{
		N: s.N, ID: line(s.ID), Title: line(s.Title), State: s.State, Do: text(s.Do), Reason: visible.OneLine(at.Reason, mostReason),
		Files: lines(s.Files), Needs: lines(s.Needs), Commit: visible.Short(s.Commit), Blocked: at.State == progress.StateBlocked,
	}
	out.Question = out.Blocked && co.Progress.Steps[s.ID].Last().Question
	if out.Question {
		out.Reason = text(at.Reason)
	}
	if at.Running != nil {
		out.Working = at.Running.String()
	}
	for _, c := range s.Checks {
		check := Check{Text: line(c.Text)}
		if c.Command != "" && c.Text == "`"+c.Command+"`" {
			check = Check{line(c.Command), true}
		}
		out.Checks = append(out.Checks, check)
	}
	out.Earlier = max(0, len(s.Sessions)-most)
	for i := out.Earlier; i < len(s.Sessions); i++ {
		a := s.Sessions[i]
		out.Attempts = append(out.Attempts, Attempt{
			N: a.Attempt, End: a.End, By: line(cmp.Or(a.Agent, a.By)), Reason: visible.OneLine(a.Reason, mostReason),
			Time: clock(a.Time), Session: line(a.Session), Answer: line(a.Answer),
		})
	}
	return out
}

// Session is what one did: its transcript, as far as this clone keeps one.
type Session struct {
	Printed string // by what failed its work, the end of it
	See     string // the command that shows all of that
	Parts   []Part
	Earlier int // parts that are not shown
	Name    string
}

// Part is one thing that it did, said or was answered.
type Part struct {
	Heading, Text string
	Long          bool // it is folded
}

// sessionOf returns what a session at a step did; false if the plan knows of none.
func sessionOf(ctx context.Context, co *checkout.Checkout, step, name string) (*Session, bool) {
	its := func(e journal.Event) bool { return e.Session == name && name != "" && e.Step() == step }
	i := slices.IndexFunc(co.Doc.Events, its)
	if i < 0 {
		return nil, false
	}
	out := &Session{Name: line(name)}
	for _, e := range co.Doc.Events[i:] {
		if its(e) && e.Kind == journal.Failed {
			printed, see := checkout.FailureOutput(co, e)
			out.Printed, out.See = ends(printed), line(see)
		}
	}
	f, err := checkout.OpenTranscript(co, name)
	if err != nil {
		return out, true // none is kept
	}
	defer f.Close()
	_ = agent.ReadTranscript(f, func(p agent.TranscriptPart) {
		if len(out.Parts) == mostParts {
			out.Parts, out.Earlier = slices.Delete(out.Parts, 0, 1), out.Earlier+1
		}
		out.Parts = append(out.Parts, Part{Heading: visible.OneLine(p.Heading, mostReason), Text: ends(p.Text), Long: len(p.Text) > longPart})
	})
	return out, true
}

type Diff struct {
	Lines []DiffLine
	Cut   bool // there is more of it
}

// DiffLine is a line of a diff: Kind is add, del, hunk, file or "".
type DiffLine struct{ Kind, Text string }

// diffOf returns at most so many lines of a commit's change, without external diff programs.
func diffOf(ctx context.Context, co *checkout.Checkout, commit string, most int) (*Diff, error) {
	b, err := co.Repo.Bytes(ctx, "show", "--format=", "--patch", "--stat", "--no-color", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "--end-of-options", commit)
	if err != nil {
		return nil, err
	}
	d, header := &Diff{}, false
	for l := range strings.SplitSeq(strings.Trim(string(b), "\n"), "\n") {
		if len(d.Lines) == most {
			d.Cut = true
			break
		}
		kind := kindOf(l)
		header = kind == "file" || header && kind != "hunk"
		if header && (strings.HasPrefix(l, "index ") || strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "+++ ")) {
			continue // the first line has the name
		}
		if _, name, ok := strings.Cut(l, " b/"); ok && kind == "file" {
			l = name
		}
		d.Lines = append(d.Lines, DiffLine{kind, visible.Text(visible.Cut(l, 500))})
	}
	return d, nil
}

func kindOf(l string) string {
	switch {
	case strings.HasPrefix(l, "diff "):
		return "file"
	case strings.HasPrefix(l, "@@"):
		return "hunk"
	case strings.HasPrefix(l, "+"):
		return "add"
	case strings.HasPrefix(l, "-"):
		return "del"
	}
	return ""
}
