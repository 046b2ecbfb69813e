package agent

import (
	_ "embed" // the descriptions of tools
	"encoding/json"
)

//go:embed tool_submit_answers.md
var aboutSubmitAnswers string

func submitAnswers() tool {
	return tool{name: "submit_answers", about: aboutSubmitAnswers, end: endAnswer("nonce", "answers"), args: []arg{
		text("nonce", "the nonce that you were given").must(),
		list("answers", "one for each finding", object("id", "answer", "because", "quote")).must(),
	}}
}

// endAnswer makes the JSON of a reviewer's or verifier's answer from the
// arguments named. What they hold is for Session.Accept to judge.
func endAnswer(names ...string) func(Role, values) (Result, error) {
	return func(_ Role, v values) (Result, error) {
		fields := map[string]any{}
		for _, n := range names {
			fields[n] = v[n]
		}
		b, err := json.Marshal(fields)
		return Result{Status: Done, Answer: string(b)}, err
	}
}
