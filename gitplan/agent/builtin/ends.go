package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
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
		var asked []agent.Question
		raw, _ := v["questions"].(json.RawMessage)
		_ = json.Unmarshal(raw, &asked) // missing fields are empty
		questions := agent.TidyQuestions(asked)
		if len(questions) == 0 || len(asked) > agent.MaxQuestions {
			return "", fmt.Errorf("ask between 1 and %d questions", agent.MaxQuestions)
		}
		w.life.Stop() // a person may think for long
		defer w.life.Beat()
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

// withoutCall takes text for the call that it stands for, if it is an answer in JSON or a plan. Other text ends nothing.
func (c *conversation) withoutCall(ctx context.Context, t model.Turn) *agent.Result {
	text := ""
	if k, ok := c.meant(t.Text); ok {
		c.silent = 0
		answers, end := c.answer(ctx, model.Turn{Message: model.Message{Calls: []model.Call{k}}})
		if end != nil {
			return end
		}
		text = answers[0]
	} else if end := c.nudge(t); end != nil {
		return end
	} else {
		text = "Text alone ends nothing here. If you know your answer, call " + endsBy(c.session.Role) +
			" with it; else call the next tool."
		if c.session.Role.Writes() {
			text = "Text alone ends nothing here. If all is done, call finish with status \"done\" and your text as its summary; else call the next tool."
		}
		if t.Cut {
			text = "Your answer was cut off at its length limit. Go on in smaller pieces. " + text
		}
	}
	c.messages = append(c.messages, model.Message{Role: "user", Text: text})
	c.log.Write(agent.Record{User: text})
	return nil
}

// nudge counts text without a call, and ends the session if there is too much of it.
func (c *conversation) nudge(t model.Turn) *agent.Result {
	if name, _ := writtenCall(t.Text); name != "" || strings.Contains(t.Text, "<tool_call>") {
		if c.written++; c.written > 1 && c.recentCalls == nil {
			return &agent.Result{Status: agent.Unusable, Reason: "the model writes its tool calls as text: its server does not read them; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser; with Ollama choose a model that can call tools"}
		}
	}
	if c.silent++; c.silent <= maxSilent {
		return nil
	}
	how, why := "text without a tool call",
		" (the model must call tools, and the server's context may be too small: git plan man agents)"
	switch {
	case t.Cut:
		how, why = "each was cut at the model's token limit", ""
	case t.Empty():
		how = "neither text nor a tool call"
	}
	r := agent.NoAnswer(c.said, "%s, %d times%s", how, c.silent, why)
	return &r
}

// meant returns the call that ends the session for which a text stands: by the JSON at its end, or the plan that it is.
func (c *conversation) meant(text string) (model.Call, bool) {
	name, args := writtenCall(text)
	name = cmp.Or(name, endsBy(c.session.Role))
	if plan := agent.PlanIn(text); args == nil && c.session.Role == agent.Planner && plan != "" {
		args, _ = json.Marshal(map[string]string{"plan": plan})
	}
	t, err := toolNamed(c.tools, name)
	if err != nil || t.End == nil || args == nil {
		return model.Call{}, false
	}
	_, err = t.read(string(args))
	return model.Call{Name: name, Args: string(args)}, err == nil
}

// writtenCall returns the JSON at the end of a text; of a call that the server did not parse, the name and arguments.
func writtenCall(text string) (name string, args json.RawMessage) {
	var call struct {
		Name                  string
		Arguments, Parameters map[string]json.RawMessage
	}
	args, _ = agent.LastObject(strings.TrimSuffix(strings.TrimSpace(text), "</tool_call>"))
	if json.Unmarshal(args, &call) != nil || call.Name == "" || call.Arguments == nil && call.Parameters == nil {
		return "", args
	}
	if call.Arguments == nil {
		call.Arguments = call.Parameters
	}
	args, _ = json.Marshal(call.Arguments)
	return call.Name, args
}
