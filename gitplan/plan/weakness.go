package plan

import (
	"bytes"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Weakness is something that is wrong or weak in a plan.
type Weakness struct {
	Rule  string `json:"rule"`           // stable: a lintRule's, "same-model", "base", a name of a part of the plan, or a Problem's
	File  string `json:"file,omitempty"` // of a queue folder
	Line  int    `json:"line"`           // from 1; 0 for the whole
	Step  string `json:"step,omitempty"`
	Text  string `json:"text"` // the weakness
	Fix   string `json:"mend,omitempty"`
	Error bool   `json:"error"` // the plan cannot be used at all
}

// HidesTask reports that a line may be a task to a person but is text to Markdown.
func (w Weakness) HidesTask() bool { return w.Rule == RuleUnread || w.Swallows() }

// Swallows reports that a fence or comment turns tasks into text, perhaps intentionally.
func (w Weakness) Swallows() bool { return w.Rule == RuleSwallowed }

// Weaknesses returns the problems of a plan that cannot be used.
func Weaknesses(e *ParseError) (out []Weakness) {
	for _, p := range e.Problems {
		out = append(out, Weakness{Rule: p.Rule, Line: p.Line, Text: p.Message, Error: true})
	}
	return out
}

// Approvable returns ErrHidden for a plan with text that a person cannot see and a session would read.
func (p *Plan) Approvable() error {
	found := p.Hidden()
	if len(found) == 0 {
		return nil
	}
	text := fmt.Sprintf("line %d of the plan holds %s", found[0].Line, found[0].Message)
	if more := len(found) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more lines do)", more)
	}
	return &fault.Fault{Kind: fault.ErrHidden, Text: text + ", so it cannot be approved", Next: "take it out: git plan edit (git plan lint names each line)"}
}

// Hidden returns the lines with invisible characters in the text that approval covers.
func (p *Plan) Hidden() []Problem {
	if visible.All(string(p.Source)) {
		return nil
	}
	text := bytes.Clone(p.Source)
	for _, e := range p.meaningEdits() {
		for i := e.From; i < e.To; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return HiddenIn(text)
}

// HiddenIn returns the lines of a text that have invisible characters, except a byte order mark at the start.
func HiddenIn(text []byte) []Problem {
	var out []Problem
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		n++
		if what := visible.Describe(string(line)); what != "" {
			out = append(out, Problem{n, "hidden", "invisible characters: " + what})
		}
	}
	return out
}

// LintHidden returns such lines as weaknesses.
func LintHidden(found []Problem) []Weakness {
	out := Weaknesses(&ParseError{found})
	for i := range out {
		out[i].Fix = "remove it: it cannot be approved"
	}
	return out
}
