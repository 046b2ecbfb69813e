package planner

import (
	"cmp"
	"slices"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// MaxCandidates is how many plans for one goal are made at most.
const MaxCandidates = 9

// Candidate is one of several plans for a goal, each made by a session of its own.
type Candidate struct {
	N     int        `json:"-"`                     // from 1
	Who   string     `json:"who"`                   // the agent or model that was asked for; "": as configured
	At    *float64   `json:"temperature,omitempty"` // that was asked for; nil: as configured
	Text  string     `json:"text"`
	Again bool       `json:"-"` // made before, by a command that did not finish
	Plan  *plan.Plan `json:"-"`
	Score Score      `json:"-"`
}

// Score says what speaks against a plan, and how it can be worked on.
type Score struct {
	Weak       int // what lint finds weak
	Uncovered  int // requirements that no step serves
	Required   int // requirements
	Steps      int
	Deep, Wide int // the longest chain of steps, and how many can be done at once at most
}

// Points returns what speaks against a plan as a number: the lower, the better. A missed
// requirement weighs more than any weakness, and a weakness more than a longer chain of steps.
func (s Score) Points() int { return 10*s.Uncovered + 3*s.Weak + s.Steps + s.Deep }

// ScoreOf scores a plan by what lint finds in it.
func ScoreOf(p *plan.Plan, found []plan.Weakness) Score {
	s := Score{Steps: len(p.Steps), Required: len(p.Requirements)}
	for _, w := range plan.Weak(found) {
		if w.Rule != "requirement" && !slices.Contains(notPlanners, w.Rule) { // the former is counted below
			s.Weak++
		}
	}
	for _, steps := range p.Serving() {
		if len(steps) == 0 {
			s.Uncovered++
		}
	}
	level, at := map[string]int{}, map[int]int{}
	for range p.Steps { // needs may come later in the text; a plan that parses has no circle
		for i := range p.Steps {
			deep := 1
			for _, need := range p.Steps[i].Needs {
				deep = max(deep, level[need]+1)
			}
			level[p.Steps[i].ID] = deep
		}
	}
	for _, deep := range level {
		at[deep]++
		s.Deep, s.Wide = max(s.Deep, deep), max(s.Wide, at[deep])
	}
	return s
}

// Best returns the candidate with the fewest points; the first of several.
func Best(list []Candidate) Candidate {
	return slices.MinFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Score.Points(), b.Score.Points()), cmp.Compare(a.N, b.N))
	})
}

// Own returns what only this candidate names: files, and commands that check it.
func (c Candidate) Own(all []Candidate) (files, commands []string) {
	others := map[string]bool{}
	for _, o := range all {
		if o.N != c.N {
			f, k := named(o.Plan)
			for _, name := range append(f, k...) {
				others[name] = true
			}
		}
	}
	files, commands = named(c.Plan)
	known := func(name string) bool { return others[name] }
	return slices.DeleteFunc(files, known), slices.DeleteFunc(commands, known)
}

func named(p *plan.Plan) (files, commands []string) {
	for _, s := range p.Steps {
		files = append(files, s.Files...)
	}
	commands = everyCommand(p)
	slices.Sort(files)
	slices.Sort(commands)
	return slices.Compact(files), slices.Compact(commands)
}
