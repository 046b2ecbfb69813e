package plan

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// AddAnswer adds a question and its answer to the end of a step, a bullet each: whoever does
// the step next reads them with its text. Both are in one line. Nothing else of the plan
// changes its meaning by that.
func AddAnswer(src []byte, id, question, answer string) ([]byte, error) {
	p, s, err := FindStep(src, id)
	if err != nil {
		return nil, err
	}
	d := markdown.New(p.Source)
	indent := p.indent(s, d)
	last := s.At.Item.From + len(strings.TrimRight(string(p.Source[s.At.Item.From:s.At.Item.To]), " \t\r\n"))
	lines := indent + "- Answer: " + answer
	if question != "" {
		lines = indent + "- Question: " + question + markdown.LineEnd(src) + lines
	}
	out := markdown.Splice(p.Source, p.lineAt(d.NextLine(max(last-1, 0)), lines))
	q, now, err := FindStep(out, s.ID)
	if err != nil {
		return nil, err
	}
	if now.Run != s.Run || len(now.Checks) != len(s.Checks) || len(now.Files) != len(s.Files) || len(q.Steps) != len(p.Steps) ||
		!strings.Contains(now.Approved(), "- Answer: "+answer) {
		return nil, fmt.Errorf("step %s: no place for an answer at the end of its text; write it there yourself: git plan edit %[1]s", s.ID)
	}
	return out, nil
}
