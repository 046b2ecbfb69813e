package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// responsesBody returns a request of the Responses API, which is used without its memory: nothing is
// stored there, and every request holds the whole conversation.
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
	if q.Force != "" && !q.without[toolChoice] {
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: q.Force}
	}
	if !q.without["store"] {
		p.Store = param.NewOpt(false)
	}
	if !q.without["include"] { // otherwise what a model thought does not come back if nothing is stored
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if q.Effort != "" && !q.without["reasoning"] {
		p.Reasoning.Effort = shared.ReasoningEffort(q.Effort)
	}
	if q.CacheKey != "" && !q.without["prompt_cache_key"] {
		p.PromptCacheKey = param.NewOpt(q.CacheKey)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p
}

// inputItems returns a message as input items. What came over this API goes back as it came; what
// came over the other one is put into its form.
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
	first := responses.ResponseInputTextParam{Text: m.Text[:m.Shared], PromptCacheBreakpoint: responses.NewResponseInputTextPromptCacheBreakpointParam()}
	parts := responses.ResponseInputMessageContentListParam{{OfInputText: &first}, responses.ResponseInputContentParamOfInputText(m.Text[m.Shared:])}
	return append(out, responses.ResponseInputItemParamOfMessage(parts, responses.EasyInputMessageRoleUser))
}

// responseEvent is one event of a Responses stream, as far as it is looked at;
// or, with its last fields, the whole answer of a server that does not stream.
type responseEvent struct {
	Type      string
	Delta     json.RawMessage
	Index     *number         `json:"output_index"`
	ItemID    json.RawMessage `json:"item_id"`
	Item      json.RawMessage
	Arguments json.RawMessage
	Response  json.RawMessage
	Error     json.RawMessage
	Object    string
}

// response is the object that ends a stream.
type response struct {
	Status  string
	Output  []json.RawMessage
	Error   json.RawMessage
	Details struct{ Reason string } `json:"incomplete_details"`
	Usage   *struct {
		In      number `json:"input_tokens"`
		Out     number `json:"output_tokens"`
		Details struct {
			Cached  number `json:"cached_tokens"`
			Written number `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		Cost *float64 // OpenRouter, in US dollars
	}
}

// responsesAnswer gathers a turn from its events.
type responsesAnswer struct {
	reported func(string)
	thoughts growing
	items    []*outputItem
	kept     int // bytes of items
	final    *response
	whole    bool // [DONE], or an answer that was not streamed
}

// outputItem is one element of a response's output while it arrives.
type outputItem struct {
	id    string
	index int64
	begun json.RawMessage // from output_item.added
	done  json.RawMessage // from output_item.done
	text  growing         // of its deltas, for servers that send no whole items
	args  growing
}

// decodeResponses reads one answer to its end. reported is given the text as it arrives.
func decodeResponses(h http.Header, body io.Reader, reported func(string)) (Turn, error) {
	a := &responsesAnswer{reported: reported}
	done, err := readEvents(h, body, a.event)
	if err != nil {
		return Turn{}, err
	}
	a.whole = done
	return a.turn()
}

func (a *responsesAnswer) event(data []byte) error {
	var e responseEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return &Fault{kind: faultProtocol, text: "an event cannot be read: " + err.Error()}
	}
	switch e.Type {
	case "response.output_text.delta":
		s := plain(e.Delta)
		a.reported(s)
		if i := a.find(e); i != nil {
			i.text.add(s)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		a.thoughts.add(plain(e.Delta))
	case "response.function_call_arguments.delta":
		if i := a.find(e); i != nil {
			i.args.add(plain(e.Delta))
		}
	case "response.output_item.added", "response.output_item.done":
		return a.item(e)
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

// find returns the item that an event belongs to: by its id, else by its index, else
// the last one. Proxies give an item another id in each event, and other servers
// give all items the index 0.
func (a *responsesAnswer) find(e responseEvent) *outputItem {
	id := plain(e.ItemID)
	var byIndex *outputItem
	for _, i := range a.items {
		if id != "" && i.id == id {
			return i
		}
		if e.Index != nil && i.index == int64(*e.Index) {
			byIndex = i
		}
	}
	if byIndex == nil && e.Index == nil && len(a.items) > 0 {
		return a.items[len(a.items)-1]
	}
	return byIndex
}

// item takes an item that begins or is whole.
func (a *responsesAnswer) item(e responseEvent) error {
	var f struct{ ID json.RawMessage }
	_ = json.Unmarshal(e.Item, &f)
	e.ItemID = f.ID
	i := a.find(e)
	begins := e.Type == "response.output_item.added"
	if i == nil || i.id != plain(f.ID) && (begins || i.done != nil) || i.id == "" && i.done != nil {
		i = &outputItem{id: plain(f.ID), index: int64(len(a.items))}
		if e.Index != nil {
			i.index = int64(*e.Index)
		}
		a.items = append(a.items, i)
	}
	if begins {
		i.begun = e.Item
	} else {
		i.done = e.Item
	}
	if a.kept += len(e.Item); a.kept > maxEvent || len(a.items) > maxParts {
		return tooLarge("the answer", maxEvent)
	}
	return nil
}

// output returns the items of the turn, whole: as they were sent one by one, else
// as the last event holds them, else put together from their deltas.
func (a *responsesAnswer) output() []json.RawMessage {
	slices.SortStableFunc(a.items, func(x, y *outputItem) int { return cmp.Compare(x.index, y.index) })
	var done, made []json.RawMessage
	for _, i := range a.items {
		if i.done != nil {
			done = append(done, i.done)
		}
		if m := i.made(); m != nil {
			made = append(made, m)
		}
	}
	var final []json.RawMessage
	if a.final != nil {
		final = a.final.Output
	}
	switch {
	case len(done) > 0 && len(done) >= len(final) && len(done) >= len(made):
		return done
	case len(final) > 0:
		return final
	}
	return made
}

func (i *outputItem) made() json.RawMessage {
	if i.done != nil || i.begun == nil {
		return i.done
	}
	if i.text.b.Len() == 0 && i.args.b.Len() == 0 {
		return i.begun
	}
	return changed(i.begun, func(f map[string]any) {
		if i.text.b.Len() > 0 {
			f["content"] = []any{map[string]any{"type": "output_text", "text": i.text.String(), "annotations": []any{}}}
		} else {
			f["arguments"] = i.args.String()
		}
	})
}

// turn settles what arrived.
func (a *responsesAnswer) turn() (Turn, error) {
	if a.final == nil {
		if !a.whole || len(a.items) == 0 {
			return Turn{}, &Fault{kind: faultCut, text: "the stream ended before the answer did"}
		}
		a.final = &response{}
	}
	t := Turn{Message: Message{Role: "assistant"}, Usage: a.final.usage()}
	switch reason := a.final.Details.Reason; {
	case a.final.Status == "failed" || !isNull(a.final.Error):
		return Turn{}, inBand(a.final.Error)
	case a.final.Status == "cancelled":
		return Turn{}, &Fault{kind: faultServer, text: "the provider cancelled the answer"}
	case reason == "content_filter":
		return Turn{}, &Fault{kind: faultFiltered, text: "the answer ended with " + reason}
	case a.final.Status == "incomplete":
		t.Cut = true
	}
	for _, raw := range a.output() {
		t.take(raw)
	}
	if a.thoughts.b.Len() > 0 {
		t.thoughts = a.thoughts.String()
	}
	return t.complete()
}

func (r *response) usage() Usage {
	if r.Usage == nil {
		return Usage{}
	}
	return Usage{tokens(r.Usage.In, r.Usage.Out, r.Usage.Details.Cached, r.Usage.Details.Written), r.Usage.Cost}
}

// take adds one output item to the turn. It will go back as it came, unless the
// endpoint would refuse it so: arguments that are no JSON object, a call without
// an id of its own.
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
		text, refusal := contentOf(f.Content)
		t.Text += text
		t.Refusal += refusal
	case "function_call":
		sent := plain(f.Arguments)
		c := Call{ID: cmp.Or(plain(f.CallID), plain(f.ID)), Name: strings.TrimSpace(plain(f.Name))}
		if c.ID == "" || slices.ContainsFunc(t.Calls, func(o Call) bool { return o.ID == c.ID }) {
			c.ID = fmt.Sprintf("call_%d", len(t.Calls))
		}
		c.Args, c.Bad = arguments(sent, 0)
		if c.ID != plain(f.CallID) || c.Args != strings.TrimSpace(sent) || isNull(f.Arguments) || f.Arguments[0] != '"' {
			item = changed(item, func(m map[string]any) { m["call_id"], m["arguments"] = c.ID, c.Args })
		}
		t.Calls = append(t.Calls, c)
	}
	t.items = append(t.items, item)
}

// contentOf returns what a message says, and what it declines with.
func contentOf(v json.RawMessage) (text, refusal string) {
	var parts []struct{ Text, Refusal json.RawMessage }
	if json.Unmarshal(v, &parts) != nil {
		return plain(v), ""
	}
	for _, p := range parts {
		text += plain(p.Text)
		refusal += plain(p.Refusal)
	}
	return text, refusal
}
