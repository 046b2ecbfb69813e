package wire

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// responsesWire speaks the Responses API, used without its memory: nothing is
// stored there, and every request holds the whole conversation.
func responsesWire() wire {
	return wire{api: apiResponses, list: "input",
		frame: responsesFrame, encode: responsesItems, decode: decodeResponses,
		post: func(ctx context.Context, e *Endpoint, opts ...option.RequestOption) error {
			_, err := e.responses.New(ctx, responses.ResponseNewParams{}, opts...)
			return err
		}}
}

func responsesFrame(q Request) any {
	p := responses.ResponseNewParams{Model: q.Model}
	p.Temperature, p.TopP = q.sampling()
	for _, t := range q.Tools {
		// The API takes a missing "strict" as true.
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Name, Description: openai.String(t.About), Parameters: q.schema(t), Strict: openai.Bool(q.strict)}})
	}
	if q.Force != "" && !q.without[toolChoice] {
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: q.Force}
	}
	if !q.without["store"] {
		p.Store = openai.Bool(false)
	}
	if !q.without["include"] { // otherwise what a model thought does not come back if nothing is stored
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if q.Effort != "" && !q.without["reasoning"] {
		p.Reasoning.Effort = shared.ReasoningEffort(q.Effort)
	}
	if q.CacheKey != "" && !q.without["prompt_cache_key"] {
		p.PromptCacheKey = openai.String(q.CacheKey)
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p
}

// responsesItems returns a message as input items. What came over this API goes
// back as it came; what came over the other one is put into its form.
func responsesItems(m Message, s style) ([]json.RawMessage, error) {
	if m.Role == "assistant" && len(m.items) > 0 {
		return m.items, nil
	}
	var params []responses.ResponseInputItemUnionParam
	switch m.Role {
	case "system":
		params = append(params, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleSystem))
	case "tool":
		p := responses.ResponseInputItemParamOfFunctionCallOutput(m.Text)
		p.OfFunctionCallOutput.CallID = openai.String(m.CallID)
		params = append(params, p)
	case "assistant":
		if m.Text != "" || len(m.Calls) == 0 {
			params = append(params, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleAssistant))
		}
		for _, c := range m.Calls {
			params = append(params, responses.ResponseInputItemParamOfFunctionCall(c.Args, c.ID, c.Name))
		}
	default:
		if m.marked(s) {
			params = append(params, responses.ResponseInputItemParamOfMessage(m.inputParts(), responses.EasyInputMessageRoleUser))
			break
		}
		params = append(params, responses.ResponseInputItemParamOfMessage(m.Text, responses.EasyInputMessageRoleUser))
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
