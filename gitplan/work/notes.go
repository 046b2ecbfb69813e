package work

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// notes returns what a session said of its work, for the next session: what it gave with the last
// result that a check refused inside it, and with the one that ended it; "" if it said nothing.
// All of it is already free of secrets and bounded, see agent.Result.Tidy.
func notes(results ...agent.Result) string {
	var lines []string
	for _, r := range results {
		for _, said := range [][2]string{{"it reported", r.Summary}, {"did", r.Handoff.Did}, {"why", r.Handoff.Why}, {"rejected", r.Handoff.Rejected}} {
			line := said[0] + ": " + strings.TrimSpace(visible.Without(said[1]))
			if strings.TrimSpace(said[1]) != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}
