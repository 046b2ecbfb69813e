package tools

import (
	_ "embed" // the descriptions of tools
)

//go:embed submit_review.md
var aboutSubmitReview string

func submitReview() Tool {
	finding := object("category", "severity", "file", "quote", "title", "detail", "trigger", "remedy")
	return Tool{Name: "submit_review", About: aboutSubmitReview, End: endAnswer("nonce", "covered", "findings"), args: []arg{
		text("nonce", "the nonce that you were given").must(),
		list("covered", "paths that you looked at", map[string]any{"type": "string"}).must(),
		list("findings", "what is wrong", finding).must(),
	}}
}
