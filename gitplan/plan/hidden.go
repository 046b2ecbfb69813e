package plan

import (
	"bytes"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Approvable returns ErrHidden for a plan with text that a person cannot see: a session
// would read more than was approved.
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

// Hidden returns the lines with invisible characters among those that approval covers.
func (p *Plan) Hidden() []markdown.Problem {
	if visible.All(string(p.Source)) {
		return nil
	}
	text := bytes.Clone(p.Source)
	edits := p.frontEdits()
	for i := range p.Steps {
		edits = append(edits, p.stepEdits(&p.Steps[i])...)
	}
	for _, e := range edits {
		for i := e.From; i < e.To; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return HiddenIn(text)
}

// HiddenIn returns the lines of a text that have invisible characters. A byte order mark at
// the start is not counted.
func HiddenIn(text []byte) []markdown.Problem {
	var out []markdown.Problem
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		n++
		if what := visible.Describe(string(line)); what != "" {
			out = append(out, markdown.Wrong(n, "hidden", "invisible characters: "+what))
		}
	}
	return out
}

// LintHidden returns such lines as weaknesses.
func LintHidden(found []markdown.Problem) []Weakness {
	var out []Weakness
	for _, p := range found {
		out = append(out, Weakness{Rule: p.Rule, Line: p.Line, Text: p.Message, Fix: "take it out: nobody can approve it", Error: true})
	}
	return out
}
