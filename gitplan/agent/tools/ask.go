package tools

import (
	"context"
	_ "embed" // the descriptions of tools
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed ask.md
var aboutAsk string

// maxAsked is how many questions a session may ask in all.
const maxAsked = 8

// AskPerson lets a session ask a person, again where an answer opens a question.
func AskPerson(put func([]agent.Question) ([]string, error)) Tool {
	asked := 0
	return Tool{Name: "ask", About: aboutAsk, Changes: true,
		args: []arg{list("questions", fmt.Sprintf("at most %d", agent.MaxQuestions),
			text("question", "one question that a person can answer in a line").must(),
			list("suggested", "answers that you suggest, the best one first")).must()},
		Run: func(_ context.Context, w *Workspace, v Values) (string, error) {
			questions, err := readQuestions(v["questions"])
			if err != nil {
				return "", err
			}
			if asked += len(questions); asked > maxAsked {
				return "", fmt.Errorf("a session may ask %d questions; decide, and state your assumption", maxAsked)
			}
			if w.Life != nil {
				w.Life.Stop() // a person may think for long
				defer w.Life.Beat()
			}
			answers, err := put(questions)
			if err != nil {
				return "", err
			}
			var b strings.Builder
			for i, q := range questions {
				fmt.Fprintf(&b, "%s\n-> %s\n", q.Text, answers[i])
			}
			return b.String(), nil
		}}
}

func readQuestions(v any) ([]agent.Question, error) {
	raw, _ := v.(json.RawMessage)
	var out []agent.Question
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, errors.New("questions must be an array of objects with question and suggested")
	}
	if len(out) == 0 || len(out) > agent.MaxQuestions {
		return nil, fmt.Errorf("ask between 1 and %d questions", agent.MaxQuestions)
	}
	for i := range out {
		if out[i].Text = agent.OneLine(out[i].Text, 500); out[i].Text == "" {
			return nil, errors.New("a question is empty")
		}
		out[i].Suggested = out[i].Suggested[:min(len(out[i].Suggested), agent.MaxQuestions)]
		for k, s := range out[i].Suggested {
			out[i].Suggested[k] = agent.OneLine(s, 200)
		}
	}
	return out, nil
}
