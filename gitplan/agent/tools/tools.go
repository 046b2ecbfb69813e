package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
	// End makes the result of a tool that ends the session. The model is answered
	// with an error.
	End func(agent.Role, Values) (agent.Result, error)
}

// arg is one argument of a tool. Models often fail at nested ones, so nearly
// all are texts and numbers.
type arg struct {
	name, about string
	kind        string // a JSON schema type: string, integer, boolean or array
	items       map[string]any
	needed      bool
	choices     []string
	aliases     []string // names that models trained on other tools use for it
}

func text(name, about string, aliases ...string) arg {
	return arg{name: name, about: about, kind: "string", aliases: aliases}
}

func whole(name, about string, aliases ...string) arg {
	return arg{name: name, about: about, kind: "integer", aliases: aliases}
}

func flag(name, about string, aliases ...string) arg {
	return arg{name: name, about: about, kind: "boolean", aliases: aliases}
}

func list(name, about string, items map[string]any) arg {
	return arg{name: name, about: about, kind: "array", items: items}
}

func (a arg) must() arg { a.needed = true; return a }

// Schema returns the JSON schema of the arguments.
func (t Tool) Schema() map[string]any {
	fields, needed := map[string]any{}, []string{}
	for _, a := range t.args {
		f := map[string]any{"type": a.kind, "description": a.about}
		if a.items != nil {
			f["items"] = a.items
		}
		if a.choices != nil {
			f["enum"] = a.choices
		}
		fields[a.name] = f
		if a.needed {
			needed = append(needed, a.name)
		}
	}
	return map[string]any{"type": "object", "properties": fields, "required": needed}
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

func missing(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

func (a arg) find(given map[string]json.RawMessage) json.RawMessage {
	for _, name := range append([]string{a.name}, a.aliases...) {
		if raw := given[name]; !missing(raw) {
			return raw
		}
	}
	return nil
}

// value reads one argument, tolerant of numbers, flags and arrays sent as text.
func (a arg) value(raw json.RawMessage) (any, error) {
	var s string
	isText := json.Unmarshal(raw, &s) == nil
	switch a.kind {
	case "string":
		if !isText {
			return nil, errors.New("must be a string")
		}
		return a.choice(s)
	case "integer":
		if !isText {
			s = string(raw)
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || f != float64(int32(f)) {
			return nil, errors.New("must be a whole number")
		}
		return int(f), nil
	case "boolean":
		if !isText {
			s = string(raw)
		}
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s)))
		if err != nil {
			return nil, errors.New("must be true or false")
		}
		return b, nil
	}
	return a.array(raw, s, isText)
}

// array reads an array: also one sent as text, and a single text in place of an array of them.
func (a arg) array(raw json.RawMessage, s string, isText bool) (any, error) {
	texts := a.items["type"] == "string"
	if isText && texts && !strings.HasPrefix(strings.TrimSpace(s), "[") {
		b, err := json.Marshal([]string{s})
		return json.RawMessage(b), err
	}
	if isText {
		raw = json.RawMessage(s)
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, errors.New("must be an array")
	}
	for _, item := range items {
		var s string
		if texts && json.Unmarshal(item, &s) != nil {
			return nil, errors.New("must be an array of strings")
		}
	}
	return raw, nil
}

func (a arg) choice(s string) (any, error) {
	if a.choices == nil {
		return s, nil
	}
	for _, c := range a.choices {
		if strings.EqualFold(strings.TrimSpace(s), c) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("must be one of %s", strings.Join(a.choices, ", "))
}

// object returns the schema of an object of texts, all needed.
func object(names ...string) map[string]any {
	fields := map[string]any{}
	for _, n := range names {
		fields[n] = map[string]any{"type": "string"}
	}
	return map[string]any{"type": "object", "properties": fields, "required": names}
}
