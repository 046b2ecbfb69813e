package reviewers

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// WhoJudges lists the reviewers of a branch, a line for each: its name, and what it looks at. It is
// what {{reviewers}} in a prompt becomes; empty if they cannot be read, which a step refuses anyway.
func WhoJudges(ctx context.Context, c *checkout.Checkout, planBase string) string {
	base, err := c.Base(ctx, planBase)
	if err != nil {
		return ""
	}
	list, err := Configured(ctx, c, judgedAgainst(ctx, c.Repo, base), nil, nil)
	if err != nil {
		return ""
	}
	lines := []string{"- " + finding.RulesName + ": built in: secrets, weakened tests, silenced checkers, conflict markers and the like"}
	for _, r := range list {
		line := "- " + r.Name() + ": a program"
		if p, ok := r.(*panel.Panelist); ok {
			line = "- " + p.Name() + ": " + partOf(p.Persona)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// partOf says in a line what a persona looks at: its first heading, or its first line.
func partOf(p panel.Persona) string {
	text := strings.TrimSpace(strings.TrimLeft(visible.FirstLine(strings.TrimSpace(p.Text)), "# "))
	part := visible.OneLine(strings.TrimPrefix(text, "Your part: "), 200)
	if len(p.When) > 0 {
		part += " (of " + visible.OneLine(strings.Join(p.When, ", "), 200) + ")"
	}
	if !p.Blocking {
		part += " (advises)"
	}
	return part
}
