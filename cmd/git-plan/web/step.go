package web

import (
	"cmp"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
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
	Attempts          []Attempt
	Earlier           int    // attempts that are not shown
	Working           string // who is at work on it, and since when
	Diff              *Diff  // what its commit changed
	Blocked, Question bool
	Answer            string // that waits until no session is at work
}

// Check is what shows that a step is done: a command, or words.
type Check struct {
	Text    string
	Command bool
}

// Attempt is one session at a step.
type Attempt struct {
	N                              int
	Again                          string // that attempts are counted from one again, as it is the first of them
	End, By, Reason, Time, Session string
	Answer                         string // of a person, after it
	Printed, See                   string // in a page that is one file: as in Session
}

// stepOf returns a step with at most so many attempts, the newest.
func stepOf(s views.Step, at standing.Step, co *checkout.Checkout, most int) Step {
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
			N: a.Attempt, Again: views.BeginsAgain(s.Sessions, i), End: a.End, By: line(cmp.Or(a.Agent, a.By)), Reason: visible.OneLine(a.Reason, mostReason),
			Time: clock(a.Time), Session: line(a.Session), Answer: line(a.Answer),
		})
	}
	return out
}
