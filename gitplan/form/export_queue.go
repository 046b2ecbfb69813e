package form

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// exportQueue writes scope.md with everything but the rules and the steps,
// rules.md, and a file for each step: `# title {#id}`, with a ticked box before
// the title where the step is done.
func (d *draft) exportQueue() *Exported {
	scope := *d
	scope.Sections = nil
	var rules Lines
	for i := range len(d.Sections) + 1 {
		if i == d.At {
			scope.Sections = append(scope.Sections, DraftSection{2, "Steps", Lines{{text: QueueSteps}}})
		}
		if i == len(d.Sections) {
			break
		}
		if s := d.Sections[i]; s.Level == 2 && plan.SectionMeaning(s.Title) == "rules" {
			rules = JoinLines(rules, s.Body)
		} else {
			scope.Sections = append(scope.Sections, s)
		}
	}
	scope.At = len(scope.Sections) + 1
	text, _ := scope.Write()
	out := &Exported{Files: []File{{"scope.md", []byte(text)}}}
	if len(rules) > 0 {
		out.Files = append(out.Files, File{"rules.md", []byte("# Rules\n\n" + rules.String())})
	}
	width := max(len(fmt.Sprint(len(d.Steps))), 2)
	for i, s := range d.Steps {
		box := ""
		if _, _, looksBoxed := markdown.CutBox(s.title); s.Done {
			box = "[x] "
		} else if looksBoxed {
			box = "[ ] "
		}
		text := fmt.Sprintf("# %s%s {#%s}\n", box, s.title, s.id)
		if len(s.Body) > 0 {
			text += "\n" + s.Body.String()
		}
		name := fmt.Sprintf("tasks/%0*d-%s.md", width, i+1, strings.Trim(s.id, "-"))
		out.Files = append(out.Files, File{name, []byte(text)})
	}
	return out
}
