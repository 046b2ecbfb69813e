package tools

import (
	_ "embed" // the descriptions of tools
	"encoding/json"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed submit_answers.md
var aboutSubmitAnswers string

func submitAnswers() Tool {
	return Tool{Name: "submit_answers", About: aboutSubmitAnswers, End: endAnswer("nonce", "answers"), args: []arg{
		text("nonce", "the nonce that you were given").must(),
		list("answers", "one for each finding",
			text("id", "the finding's id, as you were given it").must(),
			text("answer", "your judgement").must().of("confirmed", "plausible", "refuted"),
			text("because", "why, in one or two sentences").must(),
			text("quote", "exact text from a file that shows it; a refuted finding needs one").must()).must(),
	}}
}

// endAnswer makes the JSON of a reviewer's or verifier's answer from the
// arguments named. What they hold is for Session.Accept to judge.
func endAnswer(names ...string) func(agent.Role, Values) (agent.Result, error) {
	return func(_ agent.Role, v Values) (agent.Result, error) {
		fields := map[string]any{}
		for _, n := range names {
			fields[n] = v[n]
		}
		b, err := json.Marshal(fields)
		return agent.Result{Status: agent.Done, Answer: string(b)}, err
	}
}
