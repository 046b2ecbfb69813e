package views

import (
	"fmt"
	"io"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Critique returns how a critique ended, in a line.
func Critique(q *reviewers.Critiqued) string {
	if len(q.Findings)+q.Unquoted == 0 {
		return "the critic found nothing wrong with the plan"
	}
	n := map[finding.Status]int{}
	for _, f := range q.Findings {
		n[f.Status]++
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(n[finding.Confirmed], "confirmed")
	add(n[finding.Plausible], "not confirmed")
	add(n[finding.Fixed], "fixed by the planner")
	add(n[finding.Refuted], "refuted")
	add(q.Unquoted, "not counted, as the plan does not say what is quoted")
	return fmt.Sprintf("the critic: %s: %s", terminal.Count(len(q.Findings)+q.Unquoted, "finding"), strings.Join(parts, ", "))
}

// CritiqueFindings prints findings of a plan, with what each quotes and why.
func CritiqueFindings(w io.Writer, q *reviewers.Critiqued) {
	for _, f := range q.Findings {
		say(w, "%s: %s %s, %s: %s", f.Place(), f.Severity, f.Category, f.Status, visible.Line(f.Title))
		for _, line := range strings.Split(strings.TrimRight(f.Quote, "\n"), "\n") {
			say(w, "    | %s", visible.Line(line))
		}
		for _, text := range []string{f.Detail, f.Trigger, f.Because} {
			if text != "" {
				say(w, "    %s", strings.ReplaceAll(visible.Text(text), "\n", "\n    "))
			}
		}
	}
}
