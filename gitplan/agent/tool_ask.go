package agent

import (
	"context"
	_ "embed" // the descriptions of tools
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed tool_ask.md
var aboutAsk string

// maxQuestions is how many may be asked, all at once.
const maxQuestions = 6

// askPerson lets a session ask a person, once.
func askPerson(put func([]Question) ([]string, error)) tool {
	schema := object("question")
	schema["properties"].(map[string]any)["suggested"] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	asked := false
	return tool{name: "ask", about: aboutAsk, changes: true,
		args: []arg{list("questions", "each with the answers you suggest, the best one first", schema).must()},
		run: func(_ context.Context, w *workspace, v values) (string, error) {
			if asked {
				return "", errors.New("questions can be asked once; decide, and state your assumption")
			}
			questions, err := readQuestions(v["questions"])
			if err != nil {
				return "", err
			}
			asked = true
			if w.life != nil {
				w.life.stop() // a person may think for long
				defer w.life.beat()
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

func readQuestions(v any) ([]Question, error) {
	raw, _ := v.(json.RawMessage)
	var out []Question
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, errors.New("questions must be an array of objects with question and suggested")
	}
	if len(out) == 0 || len(out) > maxQuestions {
		return nil, fmt.Errorf("ask between 1 and %d questions", maxQuestions)
	}
	for i := range out {
		if out[i].Text = oneLine(out[i].Text, 500); out[i].Text == "" {
			return nil, errors.New("a question is empty")
		}
		out[i].Suggested = out[i].Suggested[:min(len(out[i].Suggested), maxQuestions)]
		for k, s := range out[i].Suggested {
			out[i].Suggested[k] = oneLine(s, 200)
		}
	}
	return out, nil
}
