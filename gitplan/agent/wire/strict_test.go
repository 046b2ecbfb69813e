package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStrictSchemas: OpenAI's own hosts are sent schemas that hold the model to them, until one
// refuses; others are not.
func TestStrictSchemas(t *testing.T) {
	text := map[string]any{"type": "string"}
	tool := Tool{Name: "t", Schema: map[string]any{"type": "object", "required": []string{"a"}, "properties": map[string]any{
		"a": text, "b": map[string]any{"type": "string", "enum": []string{"x"}},
		"c": map[string]any{"type": "array", "items": map[string]any{"type": "object", "required": []string{}, "properties": map[string]any{"d": text}}}}}}
	const want = `{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"enum":["x",null],"type":["string","null"]},` +
		`"c":{"items":{"additionalProperties":false,"properties":{"d":{"type":["string","null"]}},"required":["d"],"type":"object"},"type":["array","null"]}},` +
		`"required":["a","b","c"],"type":"object"}`
	for _, c := range []struct {
		base, api, refusal string
		strict             bool
	}{
		{OpenAI, apiResponses, `{"error":{"code":"invalid_function_parameters","param":"tools[0].parameters","message":"Invalid schema"}}`, true},
		{OpenAI, apiChat, `{"error":{"code":"unknown_parameter","param":"tools[0].function.strict","message":"Unknown parameter"}}`, true},
		{"https://x.openai.azure.com/openai/v1", apiChat, `{"error":{"message":"Unknown parameter: 'strict'"}}`, true},
		{"http://127.0.0.1:1/v1", apiChat, "", false},
	} {
		e := Endpoint{BaseURL: c.base, API: c.api}
		if err := e.Open(); err != nil {
			t.Fatal(err)
		}
		for _, strict := range []bool{c.strict, false} {
			q := e.form(Request{Model: "m", Tools: []Tool{tool}})
			body, err := wireOf(q.api).body(q)
			if err != nil || !json.Valid(body) || strings.Contains(string(body), `"strict":true`) != strict || strings.Contains(string(body), want) != strict {
				t.Errorf("%s over %s, strict %v: %s %v", c.base, c.api, strict, body, err)
			}
			if strict && e.adapt(q, refused(400, []byte(c.refusal))) != "the endpoint does not take strict schemas; going on without" {
				t.Errorf("%s over %s: the refusal teaches nothing", c.base, c.api)
			}
		}
	}
	if _, changed := tool.Schema["additionalProperties"]; changed || text["type"] != "string" {
		t.Error("the tool's own schema was changed")
	}
}
