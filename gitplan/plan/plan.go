package plan

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Plan is a parsed plan. Source stays as it was written: render.go changes single lines of it, and no other byte.
type Plan struct {
	Source []byte

	ID, Branch, Base string // front matter
	Title            string // the first level-1 heading
	Summary          string // the text between the title and the first level-2 heading

	Sections []Section // all sections, in order
	Steps    []Step

	Goal          string  // the goal in the person's own words; "" without one
	Bounds        *Bounds // the limits for new steps by a planner; nil: a person approves all steps
	Learned       string
	Requirements  []Requirement
	Rules         string
	Checks        []Check
	Verification  []Check
	Prerequisites []Check

	Warnings []Weakness // the weaknesses that Parse accepts and a person should see, in line order

	FrontMatter *FrontMatter
	index       map[string]int // step ID -> index in Steps; nil if the plan was not made by Parse
}

// Section is a level-2 heading and the text below it, verbatim.
type Section struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Line  int    `json:"line"` // the heading's line, from 1

	meaning string // SectionMeaning of the title; "" for one of level 1, which is only read
}

// Step is one top-level task-list item of the section Steps.
type Step struct {
	N     int    // the step's present number, from 1
	ID    string // the ID in the text; made from the title if there is none
	Title string // the title without emphasis and ID
	Text  string // the whole item, verbatim: first line and body
	Line  int    // its first line, from 1
	Doubt bool   // a line in it looks like a task and is none, so that a tick does not make the step done
	Box   bool   // the box is ticked in the text; package progress derives whether the step is done

	Files   []string // paths or globs
	Creates []string // the part of Files that is listed under `Files to create`
	Do      string
	Action  string // create, modify, delete, or empty
	Run     string // the command to run in place of a session; "" for a session
	Checks  []Check
	Needs   []string // the IDs of needed steps, including the default

	Agent, Model, Effort string
	Timeout              string // a duration for time.ParseDuration; empty: as configured
	Attempts             int    // the maximum number; 0: as configured
	Estimate             string
	For                  string
	Ask                  bool

	Status StepStatus

	At Places // the places of its parts in Source
}

// Places are the offsets of a step's parts in the source.
type Places struct {
	Item   Span  // the whole item, up to the line of the next block
	Box    int   // the byte between the brackets
	Boxes  []int // the boxes of the nested checklist
	title  int   // end of the first line's text, without blanks after it
	Head   int   // the beginning of the line after the item's first paragraph
	fields []int // the first bytes of nested bullets
	Status Span  // the line of the Status bullet; zero without one
	needs  int   // the beginning of the line of the field Needs; 0 without one
	named  bool  // the text has an ID
}

// Ticked reports whether the box, if a person ticked it, makes the step done.
func (s *Step) Ticked() bool { return s.Box && !s.Doubt }

// ActionOn returns what the step must do to one of its Files: create, modify, delete, or "".
func (s *Step) ActionOn(file string) string {
	if slices.ContainsFunc(s.Creates, func(created string) bool { return path.Clean(created) == path.Clean(file) }) {
		return "create"
	}
	return s.Action
}

// NamesNeeds reports whether the text says what the step needs; if not, Needs holds the default.
func (s *Step) NamesNeeds() bool { return s.At.needs > 0 }

// StepStatus is the field Status of a step.
type StepStatus struct {
	Word   string // blocked, skipped, reopened, or empty
	Reason string
}

// Check is a command that must exit 0, or a criterion in words, without a Command.
type Check struct {
	Text    string `json:"text"` // the text as written, with its code span
	Command string `json:"command"`
	Line    int    `json:"line"`
}

// Commands returns the commands among checks, each once.
func Commands(checks ...[]Check) []string {
	var out []string
	for _, c := range slices.Concat(checks...) {
		if c.Command != "" {
			out = append(out, c.Command)
		}
	}
	return Unique(out)
}

// EveryCommand returns all commands of a plan, without their limits.
func (p *Plan) EveryCommand() []string {
	out := Commands(p.Prerequisites, p.Checks, p.Verification)
	for i := range p.Steps {
		out = append(out, Commands(p.Steps[i].Checks)...)
		if p.Steps[i].Run != "" {
			out = append(out, p.Steps[i].Run)
		}
	}
	for i, command := range out {
		out[i] = Unlimited(command)
	}
	return out
}

// Unique returns a list without repetitions, in the order of first occurrence.
func Unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// OnlyOfSteps reports whether a command is a check of a step, and not also the plan's.
func (p *Plan) OnlyOfSteps(command string) bool {
	among := func(checks []Check) bool { return slices.Contains(Commands(checks), command) }
	return !among(p.Checks) && slices.ContainsFunc(p.Steps, func(s Step) bool { return among(s.Checks) })
}

// Unchecked reports whether a step has no check with a command, of its own or of the plan.
func (p *Plan) Unchecked(id string) bool {
	s, ok := p.Step(id)
	return ok && s.Run == "" && len(Commands(s.Checks, p.Checks)) == 0
}

// Criteria returns the checks without a command, which people and reviewers judge.
func Criteria(checks []Check) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool { return c.Command != "" })
}

// Background returns the sections without an effect on the run: objective, requirements, context, risks.
func (p *Plan) Background() []Section {
	return slices.DeleteFunc(slices.Clone(p.Sections), func(s Section) bool {
		meaning := SectionMeaning(s.Title)
		return meaning != "" && meaning != "requirements" && meaning != "decisions" || strings.TrimSpace(s.Body) == ""
	})
}

// Enables returns the ids of the steps that need each step.
func (p *Plan) Enables() map[string][]string {
	out := map[string][]string{}
	for i := range p.Steps {
		for _, id := range p.Steps[i].Needs {
			out[id] = append(out[id], p.Steps[i].ID)
		}
	}
	return out
}

// Step finds a step by id, "#id", or its number; an id that is a number is found first.
func (p *Plan) Step(name string) (*Step, bool) {
	name = strings.TrimPrefix(name, "#")
	index := p.index
	if index == nil {
		index = indexed(p.Steps)
	}
	at, ok := index[name]
	if n, err := strconv.Atoi(name); !ok && err == nil && fmt.Sprint(n) == name && 1 <= n && n <= len(p.Steps) {
		at, ok = n-1, true
	}
	if !ok {
		return nil, false
	}
	return &p.Steps[at], true
}

// NoStep returns the error for an unknown step, with the most similar name.
func (p *Plan) NoStep(name string) error {
	var ids []string
	for _, s := range p.Steps {
		ids = append(ids, s.ID)
	}
	return fault.New(fault.ErrUnknownStep, "the plan has no step %s%s", visible.OneLine(name, 80), DidYouMean(name, ids))
}
