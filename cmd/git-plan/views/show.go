package views

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Far is status.Plan under another name, since Plan would hide the field Plan.
type Far = status.Plan

// Plan is a whole plan, as show --json prints it: its status and its text.
type Plan struct {
	Far
	Summary       string         `json:"summary"`
	Sections      []plan.Section `json:"sections"`
	Goal          string         `json:"goal,omitempty"`
	Rules         string         `json:"rules"`
	Prerequisites []plan.Check   `json:"prerequisites"`
	Checks        []plan.Check   `json:"checks"`
	Verification  []plan.Check   `json:"verification"`
	Steps         []Step         `json:"steps"`
}

// Step is a step of a plan and its state.
type Step struct {
	Schema int `json:"schema,omitempty"` // set if the step is printed alone
	status.Step
	Line     int          `json:"line"`
	Files    []string     `json:"files"`
	Needs    []string     `json:"needs"`
	Creates  []string     `json:"creates,omitempty"` // files that must exist afterwards
	Do       string       `json:"do,omitempty"`
	Action   string       `json:"action,omitempty"`
	Run      string       `json:"run,omitempty"`
	Checks   []plan.Check `json:"checks"`
	Agent    string       `json:"agent,omitempty"`
	Model    string       `json:"model,omitempty"`
	Effort   string       `json:"effort,omitempty"`
	Timeout  string       `json:"timeout,omitempty"`
	Attempts int          `json:"attempts,omitempty"`
	Estimate string       `json:"estimate,omitempty"`
	For      string       `json:"for,omitempty"`
	Ask      bool         `json:"ask,omitempty"`
	Text     string       `json:"text"`
	Enables  []string     `json:"enables"`  // the steps that need it
	Sessions []Session    `json:"sessions"` // the attempts, oldest first
}

// Session is one attempt at a step.
type Session struct {
	Attempt int    `json:"attempt"` // the number among all attempts, even after the step was reopened
	End     string `json:"end"`     // running, stopped, asked, failed or done
	By      string `json:"by"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Commit  string `json:"commit,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Kept    string `json:"kept,omitempty"`
	Answer  string `json:"answer,omitempty"` // a person's later answer, cut if it is long

	Time time.Time `json:"time"` // its end or, if it runs, its start

	Event   *journal.Event `json:"-"` // the event of Time
	Restore []string       `json:"-"` // commands that restore files of the user's that it changed
	Then    string         `json:"-"` // the event that reopened the step afterwards, in words
}

// Tries returns how many attempts there were; one that was stopped and made again is one.
func (s Step) Tries() (n int) {
	for _, a := range s.Sessions {
		n = max(n, a.Attempt)
	}
	return n
}

func WholePlan(s *status.Plan, co *checkout.Checkout) Plan {
	p, far := co.Doc.Plan, *s
	far.Proposals, far.Manual, far.Left = nil, nil, nil
	return Plan{
		Far: far, Summary: p.Summary, Rules: p.Rules, Goal: p.Goal, Sections: orEmpty(p.Sections), Steps: orEmpty(AllSteps(co)),
		Prerequisites: orEmpty(p.Prerequisites), Checks: orEmpty(p.Checks), Verification: orEmpty(p.Verification),
	}
}

// AllSteps returns the steps of the plan; that of number N is at N-1.
func AllSteps(co *checkout.Checkout) (out []Step) {
	events, enables := map[string][]*journal.Event{}, co.Doc.Plan.Enables()
	for i := range co.Doc.Events {
		e := &co.Doc.Events[i]
		for _, id := range e.Steps {
			events[id] = append(events[id], e)
		}
	}
	for i := range co.Doc.Plan.Steps {
		s := &co.Doc.Plan.Steps[i]
		out = append(out, Step{
			Step: status.StepOf(s, co.Progress.Steps[s.ID]), Line: s.Line,
			Files: orEmpty(s.Files), Creates: s.Creates, Needs: orEmpty(s.Needs), Do: s.Do, Action: s.Action, Run: s.Run,
			Checks: orEmpty(s.Checks),
			Agent:  s.Agent, Model: s.Model, Effort: s.Effort, Timeout: s.Timeout, Attempts: s.Attempts,
			Estimate: s.Estimate, For: s.For, Ask: s.Ask, Text: s.Text,
			Enables: orEmpty(enables[s.ID]), Sessions: sessionsAt(events[s.ID]),
		})
	}
	return out
}

func sessionsAt(events []*journal.Event) []Session {
	out := []Session{}
	running, numbers := false, progress.Numbering{}
	for _, e := range events {
		again := slices.Contains([]journal.Kind{journal.Reopened, journal.Undone, journal.Replanned, journal.Planned}, e.Kind)
		if again && len(out) > 0 {
			last := &out[len(out)-1]
			last.Then = strings.TrimSuffix(string(e.Kind)+": "+e.Reason, ": ")
			if e.Kind == journal.Reopened && e.Answers > 0 {
				last.Answer, last.Then = strings.TrimPrefix(e.Reason, journal.AnswerPrefix), e.Reason
			}
		}
		numbers.Add(*e)
		begins := e.Kind == journal.Started
		if e.Attempt == 0 || !begins && !progress.EndsAttempt(*e) {
			continue
		}
		if running { // this is how it ended
			out = out[:len(out)-1]
		}
		s := Session{Attempt: numbers.Last, End: "failed", By: e.By, Agent: e.Agent, Session: e.Session, Reason: e.Reason,
			Kept: e.Kept, Time: e.Time, Event: e}
		for _, ref := range e.Originals {
			s.Restore = append(s.Restore, workspace.BringBack(ref))
		}
		switch {
		case begins:
			s.End = "running"
		case e.Stopped:
			s.End = "stopped"
		case e.Kind == journal.Failed && e.Question:
			s.End = "asked"
		case e.Kind == journal.Done:
			s.End = "done"
			if e.Head != journal.None {
				s.Commit = e.Head
			}
		}
		running = begins
		out = append(out, s)
	}
	return out
}

// orEmpty returns an empty list for nil, so that JSON has [] rather than null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// JSON writes a value, with all that a terminal would obey escaped.
func JSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	text := obeyed().ReplaceAllStringFunc(b.String(), func(c string) string { return fmt.Sprintf(`\u%04x`, []rune(c)[0]) })
	_, failed := io.WriteString(w, text)
	return cmp.Or(err, failed)
}

// obeyed matches controls that JSON may hold as they are, and what changes the direction of text.
var obeyed = visible.NewPattern(`[\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// StepState prints what a step needs and enables, and its state.
func StepState(w io.Writer, co *checkout.Checkout, s Step) {
	withState := func(ids []string) string {
		var out []string
		for _, id := range ids {
			out = append(out, fmt.Sprintf("%s (%s)", id, co.Progress.Steps[id].State))
		}
		return strings.Join(out, ", ")
	}
	say(w, "state: %s", s.State)
	for _, line := range [][2]string{{"needs", withState(s.Needs)}, {"enables", withState(s.Enables)},
		{"commit", visible.Short(s.Commit)}} {
		if line[1] != "" {
			say(w, "%s: %s", line[0], line[1])
		}
	}
	for _, line := range s.Weakened {
		say(w, "weakened: %s", line)
	}
	for _, a := range s.Sessions {
		line := fmt.Sprintf("attempt %d: %s", a.Attempt, a.End)
		if who := cmp.Or(a.Agent, a.By); who != "" {
			line += " (" + who + ")"
		}
		say(w, "%s%s", strings.TrimSuffix(line+": "+a.Reason, ": "), work.ShowKept(co, a.Kept))
		for _, command := range a.Restore {
			terminal.Println(w, "your files as they were before it: "+command)
		}
		if a.Then != "" {
			say(w, "%s", visible.Line(a.Then))
		}
	}
	if len(s.Sessions) > 0 {
		say(w, "what the session did and said: git plan log %s", s.ID)
	}
}
