package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// responsesBody returns a request of the Responses API; the server is told to store nothing.
func responsesBody(q Request) any {
	p := responses.ResponseNewParams{Model: q.Model}
	for _, m := range q.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, m.inputItems(q.mark)...)
	}
	for _, t := range q.Tools {
		// The API takes a missing "strict" as true.
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Name, Description: param.NewOpt(t.About), Parameters: t.Schema, Strict: param.NewOpt(false)}})
	}
	if !slices.Contains(q.without, "store") {
		p.Store = param.NewOpt(false)
	}
	if !slices.Contains(q.without, "include") { // otherwise what a model thought does not come back if nothing is stored
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if q.Effort != "" && !slices.Contains(q.without, "reasoning") {
		p.Reasoning.Effort = shared.ReasoningEffort(q.Effort)
	}
	if q.CacheKey != "" && !slices.Contains(q.without, "prompt_cache_key") {
		p.PromptCacheKey = param.NewOpt(q.CacheKey)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p
}

// inputItems returns a message as input items. What came over this API goes back as it came.
func (m Message) inputItems(mark string) (out []responses.ResponseInputItemUnionParam) {
	switch m.Role {
	case "system":
		return append(out, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleSystem))
	case "tool":
		p := responses.ResponseInputItemParamOfFunctionCallOutput(m.Text)
		p.OfFunctionCallOutput.CallID = param.NewOpt(m.CallID)
		return append(out, p)
	case "assistant":
		for _, item := range m.items {
			out = append(out, param.Override[responses.ResponseInputItemUnionParam](item))
		}
		if len(m.items) > 0 {
			return out
		}
		if m.Text != "" || len(m.Calls) == 0 {
			out = append(out, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleAssistant))
		}
		for _, c := range m.Calls {
			out = append(out, responses.ResponseInputItemParamOfFunctionCall(c.Args, c.ID, c.Name))
		}
		return out
	}
	if !m.marked(mark) {
		return append(out, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleUser))
	}
	first := responses.ResponseInputTextParam{Text: m.Text[:m.Shared],
		PromptCacheBreakpoint: responses.NewResponseInputTextPromptCacheBreakpointParam()}
	parts := responses.ResponseInputMessageContentListParam{{OfInputText: &first},
		responses.ResponseInputContentParamOfInputText(m.Text[m.Shared:])}
	return append(out, responses.ResponseInputItemParamOfMessage(parts, responses.EasyInputMessageRoleUser))
}

// response is the object that ends a stream.
type response struct {
	Status  string
	Output  []json.RawMessage
	Error   json.RawMessage
	Details struct{ Reason string } `json:"incomplete_details"`
	Usage   *counted
}

// responsesAnswer gathers a turn from its events: whole items, and deltas only to show them.
type responsesAnswer struct {
	reported func(string)
	size     int // bytes of what it says
	thoughts strings.Builder
	items    []json.RawMessage // complete, in the order of arrival
	final    *response
}

func (a *responsesAnswer) event(data []byte) error {
	var e struct { // one event of a stream, or the whole answer of a server that does not stream
		Type     string
		Delta    json.RawMessage
		Item     json.RawMessage
		Response json.RawMessage
		Error    json.RawMessage
		Object   string
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &Fault{kind: faultProtocol, text: "an event cannot be read: " + err.Error()}
	}
	a.reported("")
	if a.size += len(e.Delta) + len(e.Item); a.size > maxSaid || len(a.items) > maxParts {
		return tooLarge("the answer", maxSaid)
	}
	switch e.Type {
	case "response.output_text.delta":
		a.reported(stringOf(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		a.thoughts.WriteString(stringOf(e.Delta))
	case "response.output_item.done":
		a.items = append(a.items, e.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return a.end(e.Response)
	case "error", "response.error":
		return inBand(data)
	case "":
		switch {
		case !isNull(e.Error) || e.Object == "error":
			return inBand(data)
		case e.Object == "response":
			return a.end(data)
		}
	}
	return nil
}

func (a *responsesAnswer) end(data []byte) error {
	r := &response{}
	if err := json.Unmarshal(data, r); err != nil {
		return &Fault{kind: faultProtocol, text: "the answer cannot be read: " + err.Error()}
	}
	if a.final == nil || r.Status != "" {
		a.final = r
	}
	return errFinal
}

// turn returns what arrived as a turn.
func (a *responsesAnswer) turn(done bool) (Turn, error) {
	if a.final == nil && done && len(a.items) > 0 { // some servers end with [DONE] alone
		a.final = &response{}
	}
	if a.final == nil {
		return Turn{}, &Fault{kind: faultCut, text: "the stream ended before the answer did"}
	}
	t := Turn{Message: Message{Role: "assistant"}}
	t.Tokens, t.Cost = a.final.Usage.usage()
	switch reason := a.final.Details.Reason; {
	case a.final.Status == "failed" || a.final.Status == "cancelled" || !isNull(a.final.Error):
		return Turn{}, inBand(a.final.Error)
	case reason == "content_filter":
		return Turn{}, &Fault{kind: faultFiltered, text: "the answer ended with " + reason}
	case a.final.Status == "incomplete":
		t.Cut = true
	}
	if len(a.items) < len(a.final.Output) {
		a.items = a.final.Output
	}
	for _, raw := range a.items {
		t.take(raw)
	}
	t.Thoughts = a.thoughts.String()
	return t, nil
}

// take adds one output item to the turn. It will go back as it came, unless the endpoint would refuse that.
func (t *Turn) take(item json.RawMessage) {
	var f struct {
		Type      string
		ID        json.RawMessage
		CallID    json.RawMessage `json:"call_id"`
		Name      json.RawMessage
		Arguments json.RawMessage
		Content   json.RawMessage
	}
	if json.Unmarshal(item, &f) != nil || f.Type == "" {
		return
	}
	switch f.Type {
	case "message":
		var parts []struct{ Text, Refusal json.RawMessage }
		if json.Unmarshal(f.Content, &parts) != nil {
			parts, t.Text = nil, t.Text+stringOf(f.Content)
		}
		for _, p := range parts {
			t.Text += stringOf(p.Text)
			t.Refusal += stringOf(p.Refusal)
		}
	case "function_call":
		sent := stringOf(f.Arguments)
		c := newCall(t.Calls, cmp.Or(stringOf(f.CallID), stringOf(f.ID)), stringOf(f.Name), sent)
		if c.ID != stringOf(f.CallID) || c.Args != strings.TrimSpace(sent) || isNull(f.Arguments) || f.Arguments[0] != '"' {
			var fields map[string]json.RawMessage
			_ = json.Unmarshal(item, &fields)
			fields["call_id"], _ = json.Marshal(c.ID)
			fields["arguments"], _ = json.Marshal(c.Args)
			item, _ = json.Marshal(fields)
		}
		t.Calls = append(t.Calls, c)
	}
	t.items = append(t.items, item)
}
