package main

import "encoding/json"

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
