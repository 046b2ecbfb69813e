package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
)

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
		text = "Text alone ends nothing here. If you know your answer, call " + endsBy(c.s.Role) + " with it; else call the next tool."
		if c.s.Role.Writes() {
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
		if c.written++; c.written > 1 && c.repeats.last == nil {
			return &agent.Result{Status: agent.Unusable, Reason: "the model writes its tool calls as text: its server does not read them; start llama.cpp with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser; with Ollama choose a model that can call tools"}
		}
	}
	if c.silent++; c.silent <= maxSilent {
		return nil
	}
	how, why := "text without a tool call", " (the model must call tools, and the server's context may be too small: git plan man agents)"
	switch {
	case t.Cut:
		how, why = "each was cut at the model's token limit", ""
	case t.Empty():
		how = "neither text nor a tool call"
	}
	r := agent.NoAnswer(c.said, "%s, %d times%s", how, c.silent, why)
	return &r
}

// meant returns the call that ends the session for which a text stands: the JSON object at its end, or the plan that
// it is.
func (c *conversation) meant(text string) (model.Call, bool) {
	name, args := writtenCall(text)
	name = cmp.Or(name, endsBy(c.s.Role))
	if plan := agent.PlanIn(text); args == nil && c.s.Role == agent.Planner && plan != "" {
		args, _ = json.Marshal(map[string]string{"plan": plan})
	}
	t, err := toolNamed(c.tools, name)
	if err != nil || t.End == nil || args == nil {
		return model.Call{}, false
	}
	_, err = t.read(string(args))
	return model.Call{Name: name, Args: string(args)}, err == nil
}

// writtenCall returns the JSON object at the end of a text: if it is a tool call that the server did not parse, its
// name and its arguments.
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
