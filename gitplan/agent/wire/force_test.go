package wire

import (
	"strings"
	"testing"
)

// A tool that must be called is named; where that is refused nothing else is offered.
func TestAToolThatMustBeCalled(t *testing.T) {
	q := Request{Model: "m", Force: "finish", Tools: []Tool{{Name: "search"}, {Name: "finish"}}}
	for api, named := range map[string]string{
		apiChat:      `"tool_choice":{"function":{"name":"finish"},"type":"function"}`,
		apiResponses: `"tool_choice":{"name":"finish","type":"function"}`,
	} {
		for _, refusal := range []string{
			`{"error":{"message":"This model does not support this tool_choice"}}`,
			`{"error":{"code":"unsupported_parameter","param":"tool_choice","message":"no"}}`,
		} {
			e := &Endpoint{BaseURL: "http://localhost", API: api, Lessons: &Lessons{}}
			for _, takes := range []bool{true, false} {
				asked := e.form(q)
				body, err := wireOf(api).body(asked)
				text := string(body)
				if err != nil || strings.Contains(text, named) != takes || strings.Contains(text, "tool_choice") != takes || strings.Contains(text, `"search"`) != takes || !strings.Contains(text, `"finish"`) {
					t.Errorf("%s, taken %v: %s %v", api, takes, text, err)
				}
				if takes && e.adapt(asked, refused(400, []byte(refusal))) == "" {
					t.Errorf("%s: nothing was learned of %s", api, refusal)
				}
			}
			free := q
			free.Force = ""
			if body, err := wireOf(api).body(e.form(free)); err != nil || !strings.Contains(string(body), `"search"`) {
				t.Errorf("%s: without force: %s %v", api, body, err)
			}
		}
	}
}
