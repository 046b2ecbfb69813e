package agent

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// responsesWire is the Responses API, used without its memory: nothing is
// stored there, and every request holds the whole conversation.
func responsesWire() wire {
	return wire{api: apiResponses, list: "input", optional: []string{"reasoning", "include", "prompt_cache_key", "store"},
		frame: responsesFrame, encode: responsesItems, decode: decodeResponses,
		post: func(ctx context.Context, e *Endpoint, opts ...option.RequestOption) error {
			_, err := e.responses.New(ctx, responses.ResponseNewParams{}, opts...)
			return err
		}}
}

func responsesFrame(q request) any {
	p := responses.ResponseNewParams{Model: q.model}
	for _, t := range q.tools {
		// The API takes a missing "strict" as true, which our schemas are not for.
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.name, Description: openai.String(t.about), Parameters: t.schema, Strict: openai.Bool(false)}})
	}
	if !q.without["store"] {
		p.Store = openai.Bool(false)
	}
	if !q.without["include"] { // what a model thought comes back only so where nothing is stored
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if q.effort != "" && !q.without["reasoning"] {
		p.Reasoning.Effort = shared.ReasoningEffort(q.effort)
	}
	if q.cacheKey != "" && !q.without["prompt_cache_key"] {
		p.PromptCacheKey = openai.String(q.cacheKey)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p
}

// responsesItems is a message as input items. What came over this API goes
// back as it came; what came over the other one is put into its form.
func responsesItems(m message, _ style) ([]json.RawMessage, error) {
	if m.role == "assistant" && len(m.items) > 0 {
		return m.items, nil
	}
	var params []responses.ResponseInputItemUnionParam
	switch m.role {
	case "system":
		params = append(params, responses.ResponseInputItemParamOfMessage(m.text, responses.EasyInputMessageRoleSystem))
	case "tool":
		p := responses.ResponseInputItemParamOfFunctionCallOutput(m.text)
		p.OfFunctionCallOutput.CallID = openai.String(m.callID)
		params = append(params, p)
	case "assistant":
		if m.text != "" || len(m.calls) == 0 {
			params = append(params, responses.ResponseInputItemParamOfMessage(m.text, responses.EasyInputMessageRoleAssistant))
		}
		for _, c := range m.calls {
			params = append(params, responses.ResponseInputItemParamOfFunctionCall(c.args, c.id, c.name))
		}
	default:
		params = append(params, responses.ResponseInputItemParamOfMessage(m.text, responses.EasyInputMessageRoleUser))
	}
	var out []json.RawMessage
	for _, p := range params {
		b, err := encodeJSON(p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
