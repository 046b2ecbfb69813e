package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Tool is something a model may call. Each is in a file of its name, beside <name>.md, which
// describes it to the model.
type Tool struct {
	Name  string
	About string
	args  []arg
	check func(Values) error // what no schema says of the arguments; nil if there is nothing

	Changes bool // it may change the tree, so it runs alone and in order
	Writes  bool // each success with new arguments is progress (see repeats)
	Informs bool // each answer not given before is progress

	Run func(context.Context, *Workspace, Values) (string, error)
	// End makes the result of a tool that ends a session. The model is answered
	// with an error.
	End func(agent.Session, Values) (agent.Result, error)
}

// Values are the arguments of one call, by their proper names: string, int,
// bool, or json.RawMessage for an array.
type Values map[string]any

func (v Values) text(name string) string { s, _ := v[name].(string); return s }
func (v Values) flag(name string) bool   { b, _ := v[name].(bool); return b }
func (v Values) whole(name string, otherwise int) int {
	if n, ok := v[name].(int); ok {
		return n
	}
	return otherwise
}

// texts returns an argument that is an array of texts; nil if there is none.
func (v Values) texts(name string) (out []string) {
	raw, _ := v[name].(json.RawMessage)
	_ = json.Unmarshal(raw, &out)
	return out
}

// Gist returns the argument that says most about a call, for people.
func (v Values) Gist(t Tool) string {
	for _, a := range t.args {
		if s := cmp.Or(v.text(a.name), strings.Join(v.texts(a.name), ", ")); s != "" {
			return agent.OneLine(s, 120)
		}
	}
	return ""
}

// Read reads and checks the arguments of a call. Unknown ones are ignored.
func (t Tool) Read(args string) (Values, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &given); err != nil {
		return nil, fmt.Errorf("the arguments must be one JSON object: %w", err)
	}
	v := Values{}
	for _, a := range t.args {
		raw := a.find(given)
		if missing(raw) {
			if a.needed {
				return nil, fmt.Errorf("%s needs the argument %q (%s)", t.Name, a.name, a.kind)
			}
			continue
		}
		x, err := a.value(raw)
		if err != nil {
			return nil, fmt.Errorf("the argument %q %w", a.name, err)
		}
		v[a.name] = x
	}
	if t.check != nil {
		return v, t.check(v)
	}
	return v, nil
}
