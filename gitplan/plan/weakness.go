package plan

import "github.com/git-plan/git-plan/gitplan/markdown"

// Weakness is something that is wrong or weak in a plan.
type Weakness struct {
	Rule  string `json:"rule"`           // stable: a lintRule's, "same-model", "base", that of a part of the plan, or that of a Problem
	File  string `json:"file,omitempty"` // of a queue folder
	Line  int    `json:"line"`           // from 1; 0 for the whole
	Step  string `json:"step,omitempty"`
	Text  string `json:"text"` // what is weak
	Fix   string `json:"mend,omitempty"`
	Error bool   `json:"error"`          // the plan cannot be used at all
	Note  bool   `json:"note,omitempty"` // no weakness, but what a reader should know
}

// HidesTask reports that a line may be a task to a person but is text to Markdown.
func (w Weakness) HidesTask() bool { return w.Rule == markdown.RuleUnread || w.Swallows() }

// Swallows reports that a fence or comment turns tasks into text. Only a person can say
// whether it is meant to.
func (w Weakness) Swallows() bool { return w.Rule == markdown.RuleSwallowed }

// Weaknesses returns the problems of a plan that cannot be used.
func Weaknesses(e *markdown.ParseError) []Weakness {
	var out []Weakness
	for _, p := range e.Problems {
		out = append(out, Weakness{Rule: p.Rule, Line: p.Line, Text: p.Message, Error: true})
	}
	return out
}

// Weak returns the weaknesses and errors among what was found, without the notes.
func Weak(found []Weakness) []Weakness {
	var out []Weakness
	for _, w := range found {
		if !w.Note {
			out = append(out, w)
		}
	}
	return out
}
