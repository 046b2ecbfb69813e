package plan

import (
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// NoStep returns the error for a name that no step has, and names the step that may be meant.
func (p *Plan) NoStep(name string) error {
	var ids []string
	for _, s := range p.Steps {
		ids = append(ids, s.ID)
	}
	text := "the plan has no step " + visible.OneLine(name, 80)
	if near := markdown.Nearest(name, ids); near != "" {
		text += "; did you mean " + near + "?"
	}
	return &fault.Fault{Kind: fault.ErrUnknownStep, Text: text}
}
