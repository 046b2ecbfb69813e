package tools

import (
	_ "embed" // the descriptions of tools
)

//go:embed submit_review.md
var aboutSubmitReview string

//go:embed submit_critique.md
var aboutSubmitCritique string

// categories are what a finding may be about: its category is part of how it is recognised in
// the next round, so that words for it must not be made up.
var categories = []string{"correctness", "error-handling", "concurrency", "resource-leak", "compatibility", "performance", "security",
	"requirement", "tests", "documentation", "simplification", "other"}

// planCategories are what a finding of a plan may be about.
var planCategories = []string{"missing-verification", "hidden-dependency", "wrong-order", "over-engineering", "invented-name", "integration-point", "missing-requirement", "other"}

// submitCritique is submitReview for a critic, whose findings are about the plan.
func submitCritique() Tool {
	t := submitReview()
	t.About = aboutSubmitCritique
	t.args = []arg{list("covered", "plan.md").must(), list("findings", "what is wrong with the plan; [] if nothing is",
		text("category", "what it is about").must().of(planCategories...),
		text("severity", "by the harm it does").must().of("critical", "high", "medium", "low"),
		text("file", "plan.md").must(),
		text("quote", "exact text from the plan, where it goes wrong").must(),
		text("title", "one line that says what is wrong").must(),
		text("detail", "why it is wrong, with what in the repository shows it").must(),
		text("trigger", "what goes wrong when the plan is carried out"),
		text("remedy", "fix: the planner can repair it; ask: a person must decide; none: only a remark").must().of("fix", "ask", "none")).must()}
	return t
}

func submitReview() Tool {
	return Tool{Name: "submit_review", About: aboutSubmitReview, End: endAnswer("covered", "findings"), args: []arg{
		list("covered", "every changed path that you judged").must(),
		list("findings", "what is wrong; [] if nothing is",
			text("category", "what it is about").must().of(categories...),
			text("severity", "by the harm it does").must().of("critical", "high", "medium", "low"),
			text("file", "path of the file, relative to the top of the work tree").must(),
			text("quote", "exact text from that file, where it goes wrong").must(),
			text("title", "one line that says what is wrong").must(),
			text("detail", "why it is wrong").must(),
			text("trigger", "an input or state that shows it"),
			text("remedy", "fix: it can be repaired; ask: a person must decide how; none: only a remark").must().of("fix", "ask", "none")).must(),
	}}
}
