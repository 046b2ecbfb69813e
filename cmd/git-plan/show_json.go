package main

import (
	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// planJSON is a whole plan, as show --json prints it.
type planJSON struct {
	Schema        int                    `json:"schema"`
	Plan          string                 `json:"plan"`
	Branch        string                 `json:"branch"`
	Base          string                 `json:"base"`
	Title         string                 `json:"title"`
	Summary       string                 `json:"summary"`
	State         standing.State         `json:"state"`
	Progress      standing.Progress      `json:"progress"`
	Review        standing.Review        `json:"review"`
	Sections      []sectionJSON          `json:"sections"`
	Requirements  []standing.Requirement `json:"requirements,omitempty"`
	Rules         string                 `json:"rules"`
	Prerequisites []checkJSON            `json:"prerequisites"`
	Checks        []checkJSON            `json:"checks"`
	Verification  []checkJSON            `json:"verification"`
	Steps         []stepJSON             `json:"steps"`
}

type sectionJSON struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Line  int    `json:"line"`
}

// checkJSON is a command, or a criterion in words where that is empty.
type checkJSON struct {
	Text    string `json:"text"`
	Command string `json:"command"`
	Line    int    `json:"line"`
}

type stepJSON struct {
	Schema   int         `json:"schema,omitempty"` // of a step by itself
	N        int         `json:"n"`
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	State    string      `json:"state"`
	Commit   string      `json:"commit"`
	Reason   string      `json:"reason,omitempty"`
	Line     int         `json:"line"`
	Files    []string    `json:"files"`
	Needs    []string    `json:"needs"`
	Do       string      `json:"do,omitempty"`
	Action   string      `json:"action,omitempty"`
	Run      string      `json:"run,omitempty"`
	Checks   []checkJSON `json:"checks"`
	Agent    string      `json:"agent,omitempty"`
	Model    string      `json:"model,omitempty"`
	Effort   string      `json:"effort,omitempty"`
	Timeout  string      `json:"timeout,omitempty"`
	Attempts int         `json:"attempts,omitempty"`
	Estimate string      `json:"estimate,omitempty"`
	For      string      `json:"for,omitempty"`
	Ask      bool        `json:"ask,omitempty"`
	Text     string      `json:"text"`
}

func wholePlan(s *standing.Plan, co *checkout.Checkout) planJSON {
	p := co.Doc.Plan
	out := planJSON{
		Schema: 1, Plan: s.Plan, Branch: s.Branch, Base: s.Base, Title: s.Title, Summary: p.Summary, State: s.State,
		Progress: s.Progress, Review: s.Review, Requirements: s.Requirements, Rules: p.Rules, Sections: []sectionJSON{}, Steps: []stepJSON{},
		Prerequisites: checksJSON(p.Prerequisites), Checks: checksJSON(p.Checks), Verification: checksJSON(p.Verification),
	}
	for _, sec := range p.Sections {
		out.Sections = append(out.Sections, sectionJSON(sec))
	}
	for i := range p.Steps {
		out.Steps = append(out.Steps, oneStep(&p.Steps[i], co.Progress.Steps[p.Steps[i].ID]))
	}
	return out
}

func oneStep(s *plan.Step, st progress.StepState) stepJSON {
	out := stepJSON{
		N: s.N, ID: s.ID, Title: s.Title, State: string(st.State), Commit: st.Commit, Line: s.Line,
		Files: orEmpty(s.Files), Needs: orEmpty(s.Needs), Do: s.Do, Action: s.Action, Run: s.Run, Checks: checksJSON(s.Checks),
		Agent: s.Agent, Model: s.Model, Effort: s.Effort, Timeout: s.Timeout, Attempts: s.Attempts,
		Estimate: s.Estimate, For: s.For, Ask: s.Ask, Text: s.Text,
	}
	if st.Commit == journal.None {
		out.Commit = ""
	}
	if st.State != progress.StateDone {
		out.Reason = st.Reason
	}
	return out
}

func checksJSON(checks []plan.Check) []checkJSON {
	out := []checkJSON{}
	for _, c := range checks {
		out = append(out, checkJSON(c))
	}
	return out
}

// orEmpty makes an empty list of none, which in JSON is not null then.
func orEmpty(list []string) []string { return append([]string{}, list...) }
