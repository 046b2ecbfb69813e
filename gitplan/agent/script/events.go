package script

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

type jsonObject = map[string]any

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

// Arguments returns what is sent as the call's arguments: JSON, unless Raw is something else.
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
func pieces(s string) []string {
	const size = 24
	var out []string
	for len(s) > 0 {
		n := min(size, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// ChatEvents returns the data of the turn's events, in the form of OpenAI's own. id
// makes the ids of its calls.
func (t Turn) ChatEvents(id string) []string {
	var out []string
	add := func(v any) {
		b, _ := json.Marshal(v)
		out = append(out, string(b))
	}
	chunk := func(delta jsonObject, finish any) {
		add(jsonObject{"id": "chatcmpl-" + id, "object": "chat.completion.chunk", "model": "recorded",
			"choices": []any{jsonObject{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(jsonObject{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Think) {
		chunk(jsonObject{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(t.Say) {
		chunk(jsonObject{"content": p}, nil)
	}
	for i, c := range t.Calls {
		chunk(jsonObject{"tool_calls": []any{jsonObject{"index": i, "id": fmt.Sprintf("call_%s_%d", id, i), "type": "function",
			"function": jsonObject{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments()) {
			chunk(jsonObject{"tool_calls": []any{jsonObject{"index": i, "function": jsonObject{"arguments": p}}}}, nil)
		}
	}
	chunk(jsonObject{}, t.FinishReason())
	if t.Usage != nil {
		add(jsonObject{"id": "chatcmpl-" + id, "object": "chat.completion.chunk", "model": "recorded", "choices": []any{},
			"usage": t.Usage.object("prompt", "completion")})
	}
	return append(out, "[DONE]")
}

// ResponsesEvents returns the same for the Responses API. An item is sent as it
// begins, in pieces, and whole; the last event holds them all.
func (t Turn) ResponsesEvents(id string) []string {
	var out []string
	var items []any
	add := func(kind string, fields jsonObject) {
		fields["type"], fields["sequence_number"] = kind, len(out)
		b, _ := json.Marshal(fields)
		out = append(out, string(b))
	}
	item := func(begun, whole jsonObject, kind, text string) {
		add("response.output_item.added", jsonObject{"output_index": len(items), "item": begun})
		for _, p := range pieces(text) {
			add("response."+kind+".delta", jsonObject{"output_index": len(items), "item_id": whole["id"], "delta": p})
		}
		add("response.output_item.done", jsonObject{"output_index": len(items), "item": whole})
		items = append(items, whole)
	}
	object := func(status string) jsonObject {
		return jsonObject{"id": "resp_" + id, "object": "response", "model": "recorded", "status": status, "error": nil, "output": items}
	}
	add("response.created", jsonObject{"response": object("in_progress")})
	if t.Think != "" {
		begun := jsonObject{"type": "reasoning", "id": "rs_" + id, "summary": []any{}}
		item(begun, jsonObject{"type": "reasoning", "id": "rs_" + id, "encrypted_content": "sealed " + id,
			"summary": []any{jsonObject{"type": "summary_text", "text": t.Think}}}, "reasoning_summary_text", t.Think)
	}
	if t.Say != "" {
		begun := jsonObject{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "in_progress", "content": []any{}}
		item(begun, jsonObject{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
			"content": []any{jsonObject{"type": "output_text", "text": t.Say, "annotations": []any{}}}}, "output_text", t.Say)
	}
	for i, c := range t.Calls {
		call := func(status, args string) jsonObject {
			return jsonObject{"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", id, i), "call_id": fmt.Sprintf("call_%s_%d", id, i),
				"name": c.Name, "arguments": args, "status": status}
		}
		item(call("in_progress", ""), call("completed", c.Arguments()), "function_call_arguments", c.Arguments())
	}
	end := object("completed")
	if reason := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[t.Finish]; reason != "" {
		end["status"], end["incomplete_details"] = "incomplete", jsonObject{"reason": reason}
	}
	if t.Usage != nil {
		end["usage"] = t.Usage.object("input", "output")
	}
	add("response."+end["status"].(string), jsonObject{"response": end})
	return out
}

// object returns the usage under the names of an API.
func (u Usage) object(in, out string) jsonObject {
	v := jsonObject{in + "_tokens": u.In, out + "_tokens": u.Out, "total_tokens": u.In + u.Out,
		in + "_tokens_details": jsonObject{"cached_tokens": u.Cached, "cache_write_tokens": u.Written}}
	if u.Cost != nil {
		v["cost"] = *u.Cost
	}
	return v
}
