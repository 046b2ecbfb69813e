package builtin

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
)

// A call that was cut off is not run, not even if no argument had arrived and the tool needs none: that could
// end the session.
func TestTruncatedCall(t *testing.T) {
	c := &conversation{tools: toolsOf(agent.Session{Role: agent.Executor})}
	for name, k := range map[string]struct {
		model.Call
		cut bool
		why string
	}{
		"whole":                  {model.Call{Name: "list_files", Args: "{}"}, false, ""},
		"in its arguments":       {model.Call{Name: "list_files", Args: "{}", Bad: "the arguments are not valid JSON"}, true, "cut off at its length limit"},
		"before them":            {model.Call{Name: "list_files", Args: "{}"}, true, "no arguments arrived; your answer was cut off at its length limit"},
		"before them, at an end": {model.Call{Name: "finish", Args: "{}"}, true, "no arguments arrived; your answer was cut off at its length limit"},
		"after it":               {model.Call{Name: "list_files", Args: `{"path": "."}`}, true, ""},
	} {
		_, err := c.parseCall(0, k.Call, k.cut)
		if (err == nil) != (k.why == "") || err != nil && !strings.Contains(err.Error(), k.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
