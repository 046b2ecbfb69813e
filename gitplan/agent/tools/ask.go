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

// maxQuestions is how many may be asked, all at once.
const maxQuestions = 6

// AskPerson lets a session ask a person, once.
func AskPerson(put func([]agent.Question) ([]string, error)) Tool {
	asked := false
	return Tool{Name: "ask", About: aboutAsk, Changes: true,
		args: []arg{list("questions", fmt.Sprintf("at most %d", maxQuestions),
			text("question", "one question that a person can answer in a line").must(),
			list("suggested", "answers that you suggest, the best one first")).must()},
		Run: func(_ context.Context, w *Workspace, v Values) (string, error) {
			if asked {
				return "", errors.New("questions can be asked once; decide, and state your assumption")
			}
			questions, err := readQuestions(v["questions"])
			if err != nil {
				return "", err
			}
			asked = true
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
	if len(out) == 0 || len(out) > maxQuestions {
		return nil, fmt.Errorf("ask between 1 and %d questions", maxQuestions)
	}
	for i := range out {
		if out[i].Text = agent.OneLine(out[i].Text, 500); out[i].Text == "" {
			return nil, errors.New("a question is empty")
		}
		out[i].Suggested = out[i].Suggested[:min(len(out[i].Suggested), maxQuestions)]
		for k, s := range out[i].Suggested {
			out[i].Suggested[k] = agent.OneLine(s, 200)
		}
	}
	return out, nil
}
