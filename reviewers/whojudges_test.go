package reviewers

import (
	"strings"
	"testing"
)

// A session is told who will review its work: the rules, and the personas on the base.
func TestSessionIsToldItsReviewers(t *testing.T) {
	b := configured(t)
	b.Git("switch", "-q", "main")
	b.Commit(personaFolder+"/sql.md", "---\nname: sql\nwhen: ['*.sql']\nblocking: false\n---\n# Your part: the queries\n\nLook at them.\n")
	b.Git("switch", "-q", "feature")
	b.Git("rebase", "-q", "main")
	b.Git("config", "plan.reviewers", "quality,sql")
	lines := strings.Split(WhoJudges(t.Context(), b.opened(), ""), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "- rules: built in: ") || !strings.HasPrefix(lines[1], "- quality: ") || lines[2] != "- sql: the queries (of *.sql) (advises)" {
		t.Errorf("%q", lines)
	}
	b.Git("config", "plan.reviewers", "nobody")
	if text := WhoJudges(t.Context(), b.opened(), ""); text != "" {
		t.Errorf("no reviewer is available: %q", text)
	}
}

// The cost of a review depends on the number of reviewers: those for any change, and more if the files of the
// steps require them.
func TestNumberOfReviewers(t *testing.T) {
	b := configured(t)
	b.planned("true")
	for reviewers, want := range map[string][2]int{"quality": {1, 1}, "quality,security": {2, 2}, "nobody": {0, 0}} {
		b.Git("config", "plan.reviewers", reviewers)
		if fewest, most, _ := Expected(t.Context(), b.opened()); [2]int{fewest, most} != want {
			t.Errorf("%s: %d to %d, want %v", reviewers, fewest, most, want)
		}
	}
	b.Git("config", "plan.reviewers", "auto")
	b.Git("config", "plan.reviewRounds", "7")
	if fewest, most, rounds := Expected(t.Context(), b.opened()); fewest >= most || rounds != 7 {
		t.Errorf("auto: %d to %d in %d rounds", fewest, most, rounds)
	}
}
