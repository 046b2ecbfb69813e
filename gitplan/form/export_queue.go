package form

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// exportQueue writes scope.md with everything but the rules and the steps, rules.md, and a
// file for each step: `# title {#id}`, with a ticked box before the title if the step is done.
func (d *draft) exportQueue() *Exported {
	scope := *d
	scope.sections = nil
	var rules lines
	for i := range len(d.sections) + 1 {
		if i == d.at {
			scope.sections = append(scope.sections, draftSection{2, "Steps", lines{{text: queueSteps}}})
		}
		if i == len(d.sections) {
			break
		}
		if s := d.sections[i]; s.level == 2 && plan.SectionMeaning(s.title) == "rules" {
			rules = joinLines(rules, s.body)
		} else {
			scope.sections = append(scope.sections, s)
		}
	}
	scope.at = len(scope.sections) + 1
	text, _ := scope.write()
	out := &Exported{Files: []File{{"scope.md", []byte(text)}}}
	if len(rules) > 0 {
		out.Files = append(out.Files, File{"rules.md", []byte("# Rules\n\n" + rules.String())})
	}
	width := max(len(fmt.Sprint(len(d.steps))), 2)
	for i, s := range d.steps {
		box := ""
		if _, _, looksBoxed := markdown.CutBox(s.title); s.done {
			box = "[x] "
		} else if looksBoxed {
			box = "[ ] "
		}
		text := fmt.Sprintf("# %s%s {#%s}\n", box, s.title, s.id)
		if len(s.body) > 0 {
			text += "\n" + s.body.String()
		}
		name := fmt.Sprintf("tasks/%0*d-%s.md", width, i+1, strings.Trim(s.id, "-"))
		out.Files = append(out.Files, File{name, []byte(text)})
	}
	return out
}
