package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

func endFinish(s agent.Session, v values) (r agent.Result, err error) {
	fields := maps.Clone(v)
	fields["handoff"] = agent.Handoff{Did: v.text("did"), Why: v.text("why"), Rejected: v.text("rejected")}
	object, err := json.Marshal(fields)
	if err != nil {
		return r, err
	}
	outcome, err := agent.ReadOutcome(object)
	if err != nil {
		return r, err
	}
	ended := outcome.Result()
	if by := endsBy(s.Role); ended.Status == agent.Done && by != "finish" {
		return r, fmt.Errorf("give your answer with %s instead", by)
	}
	for _, d := range outcome.Dispositions {
		if !slices.Contains([]string{"fixed", "dismissed", "asked"}, d.Disposition) {
			return r, fmt.Errorf("the disposition of %s must be fixed, dismissed or asked", agent.OneLine(d.ID, 80))
		}
	}
	return ended, nil
}

func endPlan(_ agent.Session, v values) (agent.Result, error) {
	plan := v.text("plan")
	if strings.TrimSpace(plan) == "" {
		return agent.Result{}, errors.New("the plan is empty")
	}
	return agent.Result{Status: agent.Done, Answer: plan}, nil
}

// endAnswer makes the JSON of an answer from the arguments of a tool, with the session's nonce.
func endAnswer(tool string) func(agent.Session, values) (agent.Result, error) {
	return func(s agent.Session, v values) (agent.Result, error) {
		if by := endsBy(s.Role); tool != by {
			return agent.Result{}, fmt.Errorf("%s does not end your session: call %s", tool, by)
		}
		fields := maps.Clone(v)
		fields["nonce"] = s.Nonce
		b, err := json.Marshal(fields)
		return agent.Result{Status: agent.Done, Answer: string(b)}, err
	}
}

// askPerson lets a session ask a person, again where an answer opens a question.
func askPerson(put func([]agent.Question) ([]string, error)) func(context.Context, *workspace, values) (string, error) {
	return func(_ context.Context, w *workspace, v values) (string, error) {
		questions, err := readQuestions(v["questions"])
		if err != nil {
			return "", err
		}
		if w.life != nil {
			w.life.Stop() // a person may think for long
			defer w.life.Beat()
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
	}
}

func readQuestions(v any) ([]agent.Question, error) {
	raw, _ := v.(json.RawMessage)
	var out []agent.Question
	_ = json.Unmarshal(raw, &out) // missing fields are empty
	if len(out) == 0 || len(out) > agent.MaxQuestions {
		return nil, fmt.Errorf("ask between 1 and %d questions", agent.MaxQuestions)
	}
	if tidy := agent.TidyQuestions(out); len(tidy) == len(out) {
		return tidy, nil
	}
	return nil, errors.New("a question is empty")
}
