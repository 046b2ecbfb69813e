package journal

// RefPrefix is where plans live: one chain of commits for each.
const RefPrefix = "refs/plans/"

// PlanRef returns the ref of a plan.
func PlanRef(id string) string { return RefPrefix + id }

// AttemptPrefix is where attempts that were not finished are kept.
const AttemptPrefix = "refs/plan-attempts/"

// PlanFile is the plan's text in the tree of its commits; ReviewFile the
// ledger of its review.
const (
	PlanFile   = "plan.md"
	ReviewFile = "review.json"
)
