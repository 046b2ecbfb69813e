package model

import (
	"net/http/httptest"
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
			var log asked
			srv := httptest.NewServer(log.in(streaming(streamEnd)))
			defer srv.Close()
			e := opened(t, srv.URL, over(api))
			sent := func(q Request) string {
				_, _ = e.exchange(t.Context(), q, nobody())
				return log.bodies[len(log.bodies)-1]
			}
			for _, takes := range []bool{true, false} {
				asked := e.form(q)
				text := sent(asked)
				if strings.Contains(text, named) != takes || strings.Contains(text, "tool_choice") != takes || strings.Contains(text, `"search"`) != takes || !strings.Contains(text, `"finish"`) {
					t.Errorf("%s, taken %v: %s", api, takes, text)
				}
				if takes && e.adapt(asked, refused(400, []byte(refusal))) == "" {
					t.Errorf("%s: nothing was learned of %s", api, refusal)
				}
			}
			free := q
			free.Force = ""
			if text := sent(e.form(free)); !strings.Contains(text, `"search"`) {
				t.Errorf("%s: without force: %s", api, text)
			}
		}
	}
}
