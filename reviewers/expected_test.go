package reviewers

import "testing"

// The cost of a review depends on the number of reviewers.
func TestNumberOfReviewers(t *testing.T) {
	b := configured(t)
	b.planned("true")
	b.Git("config", "plan.reviewRounds", "7")
	for reviewers, want := range map[string]int{"quality": 1, "quality,security": 2, "nobody": 0, "auto": 6} {
		b.Git("config", "plan.reviewers", reviewers)
		most, rounds := Expected(t.Context(), b.opened())
		if most != want || most > 0 && rounds != 7 {
			t.Errorf("%s: %d in %d rounds, want %d", reviewers, most, rounds, want)
		}
	}
}
