package agent

import (
	_ "embed" // the descriptions of tools
)

//go:embed tool_submit_review.md
var aboutSubmitReview string

func submitReview() tool {
	finding := object("category", "severity", "file", "quote", "title", "detail", "trigger", "remedy")
	return tool{name: "submit_review", about: aboutSubmitReview, end: endAnswer("nonce", "covered", "findings"), args: []arg{
		text("nonce", "the nonce that you were given").must(),
		list("covered", "paths that you looked at", map[string]any{"type": "string"}).must(),
		list("findings", "what is wrong", finding).must(),
	}}
}
