package script

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

type object = map[string]any

// FinishReason returns how the turn ends, in the words of chat completions.
func (t Turn) FinishReason() string {
	switch {
	case t.Finish != "":
		return t.Finish
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// Arguments returns the call's arguments as sent: JSON, unless Raw overrides it.
func (c Call) Arguments() string {
	switch {
	case c.Raw != "":
		return c.Raw
	case len(c.Args) == 0 || string(c.Args) == "null":
		return "{}"
	}
	return string(c.Args)
}

// pieces cuts a text as a model streams it.
func pieces(s string) (out []string) {
	const size = 24
	for len(s) > 0 {
		n := min(size, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// ChatEvents returns the data of the turn's events, as OpenAI sends them. id makes the ids of its calls.
func (t Turn) ChatEvents(id string) []string {
	var out []string
	add := func(v object) {
		v["id"], v["object"], v["model"] = "chatcmpl-"+id, "chat.completion.chunk", "recorded"
		b, _ := json.Marshal(v)
		out = append(out, string(b))
	}
	chunk := func(delta object, finish any) {
		add(object{"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Think) {
		chunk(object{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(t.Say) {
		chunk(object{"content": p}, nil)
	}
	for i, c := range t.Calls {
		chunk(object{"tool_calls": []any{object{"index": i, "id": fmt.Sprintf("call_%s_%d", id, i), "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments()) {
			chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	chunk(object{}, t.FinishReason())
	if u := t.Usage; u != nil {
		usage := object{"prompt_tokens": u.In, "completion_tokens": u.Out, "total_tokens": u.In + u.Out,
			"prompt_tokens_details": object{"cached_tokens": u.Cached, "cache_write_tokens": u.Written}}
		if u.Cost != nil {
			usage["cost"] = *u.Cost
		}
		add(object{"choices": []any{}, "usage": usage})
	}
	return append(out, "[DONE]")
}
