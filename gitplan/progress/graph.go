package progress

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Graph shows which step needs which, as lines: each step with its state, and
// what it needs.
func Graph(p *plan.Plan, pr *Progress) string {
	var b strings.Builder
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "%3d  %-9s %s", s.N, pr.Steps[s.ID].State, s.ID)
		if len(s.Needs) > 0 {
			fmt.Fprintf(&b, " <- %s", strings.Join(s.Needs, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Mermaid is the same as a Mermaid flowchart, which forges draw. Ids are letters,
// digits and hyphens; titles are quoted.
func Mermaid(p *plan.Plan, pr *Progress) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i := range p.Steps {
		s := &p.Steps[i]
		title := strings.NewReplacer(`"`, "'", "#", "", "<", "(", ">", ")", "`", "'").Replace(visible.OneLine(s.Title, 80))
		fmt.Fprintf(&b, "    n%d[\"%d. %s\"]:::%s\n", s.N, s.N, title, pr.Steps[s.ID].State)
	}
	for i := range p.Steps {
		for _, id := range p.Steps[i].Needs {
			if n, ok := p.Step(id); ok {
				fmt.Fprintf(&b, "    n%d --> n%d\n", n.N, p.Steps[i].N)
			}
		}
	}
	b.WriteString("    classDef done fill:#dfd\n    classDef blocked fill:#fdd\n    classDef running fill:#ddf\n")
	return b.String()
}
