package tools

import (
	_ "embed" // the descriptions of tools
)

//go:embed submit_review.md
var aboutSubmitReview string

// categories are what a finding may be about: its category is part of how it is recognised in
// the next round, so that words for it must not be made up.
var categories = []string{"correctness", "error-handling", "concurrency", "resource-leak", "compatibility", "performance", "security",
	"requirement", "tests", "documentation", "simplification", "other"}

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
