package tools

import (
	_ "embed" // the descriptions of tools
	"encoding/json"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed submit_answers.md
var aboutSubmitAnswers string

func submitAnswers() Tool {
	return Tool{Name: "submit_answers", About: aboutSubmitAnswers, End: endAnswer("answers"), args: []arg{
		list("answers", "one for each finding",
			text("id", "the finding's id, as you were given it").must(),
			text("answer", "your judgement").must().of("confirmed", "plausible", "refuted"),
			text("because", "why, in one or two sentences").must(),
			text("quote", "exact text from a file that shows it; a refuted finding needs one").must()).must(),
	}}
}

// endAnswer makes the JSON of a reviewer's or verifier's answer from the
// arguments named. What they hold is for Session.Accept to judge. The nonce is
// the session's own: a call, unlike what is printed, can come from nobody else.
func endAnswer(names ...string) func(agent.Session, Values) (agent.Result, error) {
	return func(s agent.Session, v Values) (agent.Result, error) {
		fields := map[string]any{"nonce": s.Nonce}
		for _, n := range names {
			fields[n] = v[n]
		}
		b, err := json.Marshal(fields)
		return agent.Result{Status: agent.Done, Answer: string(b)}, err
	}
}
