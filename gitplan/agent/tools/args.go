package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// arg is one argument of a tool, or a field of one. Models often fail at nested ones, so
// nearly all are texts and numbers.
type arg struct {
	name, about string
	kind        string // a JSON schema type: string, integer, boolean or array
	fields      []arg  // of each object in an array; an array without fields is of texts
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

func list(name, about string, fields ...arg) arg {
	return arg{name: name, about: about, kind: "array", fields: fields}
}

func (a arg) must() arg { a.needed = true; return a }

// of names the only values that a text may have.
func (a arg) of(choices ...string) arg { a.choices = choices; return a }

// Schema returns the JSON schema of the arguments.
func (t Tool) Schema() map[string]any { return object(t.args) }

func object(args []arg) map[string]any {
	fields, needed := map[string]any{}, []string{}
	for _, a := range args {
		fields[a.name] = a.schema()
		if a.needed {
			needed = append(needed, a.name)
		}
	}
	return map[string]any{"type": "object", "properties": fields, "required": needed}
}

func (a arg) schema() map[string]any {
	s := map[string]any{"type": a.kind, "description": a.about}
	if a.choices != nil {
		s["enum"] = a.choices
	}
	switch {
	case a.fields != nil:
		s["items"] = object(a.fields)
	case a.kind == "array":
		s["items"] = map[string]any{"type": "string"}
	}
	return s
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
	texts := a.fields == nil
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
