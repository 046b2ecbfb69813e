package main

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API, as codex speaks it.
type responses struct{}

func (responses) read(q *request, in object, _ string) {
	q.shell = codexShell
	q.offer(items(in["tools"]), "")
	for _, it := range items(in["input"]) {
		switch kind := text(at(it, "type")); {
		case kind == "additional_tools": // newer models get their tools with the input
			q.offer(items(at(it, "tools")), "")
		case kind == "tool_search_output":
			q.offer(items(at(it, "tools")), "")
			q.answered(at(it, "tools"))
		case strings.HasSuffix(kind, "_call_output"):
			q.answered(at(it, "output"))
		}
	}
	q.learn(list{in["instructions"], in["input"]})
}

// offer collects tools; some are grouped in namespaces.
func (q *request) offer(tools list, namespace string) {
	for _, t := range tools {
		name, kind := text(at(t, "name")), text(at(t, "type"))
		if inner := items(at(t, "tools")); inner != nil {
			q.offer(inner, name)
			continue
		}
		if name == "" {
			name = kind
		}
		q.tools[name] = tool{custom: kind == "custom", namespace: namespace}
	}
}

func (responses) refuse(status int, f Fault) any { return openAIError(status, f) }

// openAIError is the body of an error of OpenAI's services.
func openAIError(status int, f Fault) any {
	kind, code, message := "server_error", "server_error", "The server had an error while processing your request. Sorry about that!"
	switch {
	case f.Kind == "quota":
		kind, code, message = "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."
	case status == http.StatusTooManyRequests:
		kind, code, message = "tokens", "rate_limit_exceeded", "Rate limit reached for scripted-model on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000."
		if f.RetryAfter != "" {
			message += " Please try again in " + f.RetryAfter + "s."
		}
	case status == http.StatusUnauthorized:
		kind, code, message = "invalid_request_error", "invalid_api_key", "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys."
	case status == http.StatusNotFound:
		kind, code, message = "invalid_request_error", "model_not_found", "The model `scripted-model` does not exist or you do not have access to it."
	case status < 500:
		kind, code, message = "invalid_request_error", "", f.Kind
	}
	return object{"error": object{"message": message, "type": kind, "param": nil, "code": code}}
}

func (responses) whole(q request, a answer) any {
	return response(q, a, "completed", q.output(a), nil)
}

// response is the object that events and whole answers carry.
func response(q request, a answer, status string, output list, more object) object {
	r := object{"id": "resp_" + a.id, "object": "response", "created_at": 1700000000, "status": status, "model": q.model, "output": output}
	if status != "in_progress" {
		in := promptTokens + 100*q.turn
		r["usage"] = object{"input_tokens": in, "input_tokens_details": object{"cached_tokens": cachedTokens},
			"output_tokens": answerTokens, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": in + answerTokens}
	}
	for k, v := range more {
		r[k] = v
	}
	return r
}

// output is the answer as items.
func (q request) output(a answer) list {
	var out list
	if a.say != "" {
		out = append(out, object{"id": "msg_" + a.id, "type": "message", "status": "completed", "role": "assistant",
			"content": list{object{"type": "output_text", "text": a.say, "annotations": list{}}}})
	}
	if a.call != nil {
		it := object{"id": "fc_" + a.id, "type": "function_call", "status": "completed", "call_id": "call_" + a.id, "name": a.call.name}
		if t := q.tools[a.call.name]; a.call.name == codexSearch {
			it = object{"id": "fc_" + a.id, "type": "tool_search_call", "status": "completed", "call_id": "call_" + a.id, "execution": "client", "arguments": a.call.args}
		} else if t.custom {
			it["type"], it["input"] = "custom_tool_call", a.call.args["input"]
		} else {
			b, _ := json.Marshal(a.call.args)
			it["arguments"] = string(b)
			if t.namespace != "" {
				it["namespace"] = t.namespace
			}
		}
		out = append(out, it)
	}
	return out
}

func (responses) stream(s *stream, q request, a answer) {
	n := 0
	send := func(kind string, v object) {
		v["type"], v["sequence_number"] = kind, n
		n++
		s.event(kind, v)
	}
	send("response.created", object{"response": response(q, a, "in_progress", list{}, nil)})
	if a.end != "" {
		reason := map[string]string{"refusal": "content_filter", "length": "max_output_tokens"}[a.end]
		send("response.incomplete", object{"response": response(q, a, "incomplete", list{}, object{"incomplete_details": object{"reason": reason}})})
		return
	}
	out := q.output(a)
	for i, it := range out {
		if text(at(it, "type")) != "message" {
			send("response.output_item.added", object{"output_index": i, "item": it})
			send("response.output_item.done", object{"output_index": i, "item": it})
			continue
		}
		begun := object{"id": at(it, "id"), "type": "message", "status": "in_progress", "role": "assistant", "content": list{}}
		send("response.output_item.added", object{"output_index": i, "item": begun})
		send("response.content_part.added", object{"item_id": at(it, "id"), "output_index": i, "content_index": 0,
			"part": object{"type": "output_text", "text": "", "annotations": list{}}})
		s.words(a.say, func(piece string) {
			send("response.output_text.delta", object{"item_id": at(it, "id"), "output_index": i, "content_index": 0, "delta": piece})
		})
		send("response.output_text.done", object{"item_id": at(it, "id"), "output_index": i, "content_index": 0, "text": a.say})
		send("response.output_item.done", object{"output_index": i, "item": it})
	}
	send("response.completed", object{"response": response(q, a, "completed", out, nil)})
}

// chat is OpenAI's Chat Completions API, as opencode, copilot and qwen speak it.
type chat struct{}

func (chat) read(q *request, in object, _ string) {
	q.shell = opencodeShell
	for _, t := range items(in["tools"]) {
		if name := text(at(t, "function", "name")); name != "" {
			q.tools[name] = tool{}
		}
	}
	if _, ok := q.tools[geminiShell]; ok { // qwen has gemini's tools
		q.shell = geminiShell
	}
	for _, m := range items(in["messages"]) {
		if text(at(m, "role")) == "tool" {
			q.answered(at(m, "content"))
		}
	}
	q.learn(in["messages"])
}

func (chat) refuse(status int, f Fault) any { return openAIError(status, f) }

func (q request) chatUsage() object {
	in := promptTokens + 100*q.turn
	return object{"prompt_tokens": in, "completion_tokens": answerTokens, "total_tokens": in + answerTokens,
		"prompt_tokens_details": object{"cached_tokens": cachedTokens}}
}

// finish is the finish_reason of an answer.
func (a answer) finish() string {
	switch {
	case a.end == "refusal":
		return "content_filter"
	case a.end == "length":
		return "length"
	case a.call != nil:
		return "tool_calls"
	}
	return "stop"
}

func (a answer) toolCalls() list {
	b, _ := json.Marshal(a.call.args)
	return list{object{"index": 0, "id": "call_" + a.id, "type": "function",
		"function": object{"name": a.call.name, "arguments": string(b)}}}
}

func (chat) whole(q request, a answer) any {
	m := object{"role": "assistant", "content": a.say}
	if a.call != nil {
		m["tool_calls"] = a.toolCalls()
	}
	return object{"id": "chatcmpl-" + a.id, "object": "chat.completion", "created": 1700000000, "model": q.model,
		"choices": list{object{"index": 0, "message": m, "finish_reason": a.finish()}}, "usage": q.chatUsage()}
}

func (chat) stream(s *stream, q request, a answer) {
	send := func(choices list, more object) {
		c := object{"id": "chatcmpl-" + a.id, "object": "chat.completion.chunk", "created": 1700000000, "model": q.model, "choices": choices}
		for k, v := range more {
			c[k] = v
		}
		s.event("", c)
	}
	delta := func(d object, finish any) {
		send(list{object{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	s.words(a.say, func(piece string) { delta(object{"content": piece}, nil) })
	if a.call != nil {
		delta(object{"tool_calls": a.toolCalls()}, nil)
	}
	delta(object{}, a.finish())
	send(list{}, object{"usage": q.chatUsage()})
	_, _ = s.w.Write([]byte("data: [DONE]\n\n"))
}
