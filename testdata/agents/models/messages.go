package main

import (
	"encoding/json"
	"net/http"
)

// messages is Anthropic's Messages API, as claude speaks it.
type messages struct{}

func (messages) read(q *request, in object, _ string) {
	q.shell = claudeShell
	for _, t := range items(in["tools"]) {
		q.tools[text(at(t, "name"))] = tool{}
	}
	for _, m := range items(in["messages"]) {
		for _, c := range items(at(m, "content")) {
			if text(at(c, "type")) == "tool_result" {
				q.answered(at(c, "content"))
			}
		}
	}
	q.learn(list{in["system"], in["messages"]})
}

func (messages) refuse(status int, f Fault) any {
	kind, message := "api_error", "Internal server error"
	switch {
	case f.Kind == "quota":
		kind, message = "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	case status == http.StatusTooManyRequests:
		kind, message = "rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute. Please try again later."
	case status == http.StatusUnauthorized:
		kind, message = "authentication_error", "invalid x-api-key"
	case status == http.StatusNotFound:
		kind, message = "not_found_error", "model: scripted-model"
	case status < 500:
		kind, message = "invalid_request_error", f.Kind
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}

// message is the answer with its blocks; a stream begins without them.
func message(q request, a answer, blocks list, stop any) object {
	return object{"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": q.model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": promptTokens - cachedTokens + 100*q.turn, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": cachedTokens, "output_tokens": answerTokens}}
}

func (a answer) blocks() list {
	blocks := list{}
	if a.say != "" {
		blocks = append(blocks, object{"type": "text", "text": a.say})
	}
	if a.call != nil {
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.call.name, "input": a.call.args})
	}
	return blocks
}

// stop is the stop_reason of an answer.
func (a answer) stop() string {
	switch {
	case a.end == "refusal":
		return "refusal"
	case a.end == "length":
		return "max_tokens"
	case a.call != nil:
		return "tool_use"
	}
	return "end_turn"
}

func (messages) whole(q request, a answer) any { return message(q, a, a.blocks(), a.stop()) }

func (messages) stream(s *stream, q request, a answer) {
	begin := message(q, a, list{}, nil)
	begin["usage"].(object)["output_tokens"] = 1
	s.event("message_start", object{"type": "message_start", "message": begin})
	for i, b := range a.blocks() {
		begun := object{"type": "text", "text": ""}
		if a.call != nil && text(at(b, "type")) == "tool_use" {
			begun = object{"type": "tool_use", "id": at(b, "id"), "name": at(b, "name"), "input": object{}}
		}
		s.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": begun})
		delta := func(d object) {
			s.event("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": d})
		}
		if text(at(b, "type")) == "text" {
			s.words(a.say, func(piece string) { delta(object{"type": "text_delta", "text": piece}) })
		} else {
			in, _ := json.Marshal(at(b, "input"))
			delta(object{"type": "input_json_delta", "partial_json": string(in)})
		}
		s.event("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	s.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": a.stop(), "stop_sequence": nil},
		"usage": object{"output_tokens": answerTokens}})
	s.event("message_stop", object{"type": "message_stop"})
}
