package reviewers

import "testing"

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
