package builtin

import (
	"cmp"
	"context"
	_ "embed" // tools.json
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// tool is a tool that a model may call. Everything but its function is described in tools.json.
type tool struct {
	Name, About string
	Other       []string // the names of equal tools in Claude Code, Gemini CLI, codex, opencode, Cline and OpenHands
	For         []agent.Role
	Args        []arg

	Changes bool // it may change the tree, so it runs alone and in order
	Writes  bool // each success with new arguments is progress (see repeated)

	Run func(context.Context, *workspace, values) (string, error)
	// End makes the result of a tool that ends a session. The model is answered with an error.
	End func(agent.Session, values) (agent.Result, error)
}

// arg is one argument of a tool, or a field of one.
type arg struct {
	Name, About string
	Kind        string // a JSON schema type: string, integer, boolean or array
	Fields      []arg  // the fields of each object in an array; without any the array has texts
	Needed      bool
	Choices     []string // the only values that a text may have
	Aliases     []string // the names that models trained on other tools use for it
	For         []agent.Role
}

//go:embed tools.json
var toolsJSON []byte

// toolsOf returns the tools of a session, always in the same order, since providers cache by prefix. A reviewer and a
// verifier have the same, so that the second finds them in the cache.
func toolsOf(s agent.Session) (out []tool) {
	var all []tool
	if err := json.Unmarshal(toolsJSON, &all); err != nil {
		panic(err)
	}
	does := map[string]tool{
		"read_file": {Run: runReadFile}, "list_files": {Run: runListFiles}, "search": {Run: runSearch},
		"write_file":  {Run: runWriteFile, Changes: true, Writes: true},
		"edit_file":   {Run: runEditFile, Changes: true, Writes: true},
		"run_command": {Run: runRunCommand, Changes: true},
		"ask":         {Run: askPerson(s.Ask), Changes: true},
		"submit_plan": {End: endPlan}, "submit_review": {End: endAnswer("submit_review")},
		"submit_answers": {End: endAnswer("submit_answers")}, "finish": {End: endFinish},
	}
	for _, t := range all {
		if t.For != nil && !slices.Contains(t.For, s.Role) || t.Name == "ask" && s.Ask == nil {
			continue
		}
		t.Args = slices.DeleteFunc(t.Args, func(a arg) bool { return a.For != nil && !slices.Contains(a.For, s.Role) })
		d := does[t.Name]
		t.Run, t.End, t.Changes, t.Writes = d.Run, d.End, d.Changes, d.Writes
		out = append(out, t)
	}
	return out
}

// values are the arguments of one call: string, int, bool, or json.RawMessage for an array.
type values map[string]any

func (v values) text(name string) string { s, _ := v[name].(string); return s }
func (v values) flag(name string) bool   { b, _ := v[name].(bool); return b }
func (v values) integer(name string, otherwise int) int {
	if n, ok := v[name].(int); ok {
		return n
	}
	return otherwise
}

// summary returns the argument that says most about a call, for people.
func (v values) summary(t tool) string {
	for _, a := range t.Args {
		if s := v.text(a.Name); s != "" {
			return agent.OneLine(s, 120)
		}
	}
	return ""
}

// read reads and checks the arguments of a call. Unknown ones are ignored.
func (t tool) read(args string) (values, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &given); err != nil {
		return nil, fmt.Errorf("the arguments must be one JSON object: %w", err)
	}
	v := values{}
	for _, a := range t.Args {
		var raw json.RawMessage
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			if raw = given[name]; !missing(raw) {
				break
			}
		}
		if missing(raw) {
			if a.Needed {
				return nil, fmt.Errorf("%s needs the argument %q (%s)", t.Name, a.Name, a.Kind)
			}
			continue
		}
		x, err := a.value(raw)
		if err != nil {
			return nil, fmt.Errorf("the argument %q %w", a.Name, err)
		}
		v[a.Name] = x
	}
	return v, nil
}

// toolNamed returns the tool of a name, also of one that other agents have. The error names those there are.
func toolNamed(tools []tool, name string) (tool, error) {
	plain := strings.ToLower(name[strings.LastIndexAny(name, ".:/")+1:]) // functions.x, default_api:x
	var names []string
	for _, t := range tools {
		other := slices.Contains(t.Other, plain)
		if other && t.End != nil {
			t.Args = slices.Clone(t.Args)
			t.Args[0].Needed = false // its name says that all is done
		}
		if t.Name == plain || other {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return tool{}, fmt.Errorf("there is no tool %q; there are %s", agent.OneLine(name, 80), strings.Join(names, ", "))
}

var answersBy = map[agent.Role]string{agent.Planner: "submit_plan", agent.Critic: "submit_review",
	agent.Reviewer: "submit_review", agent.Verifier: "submit_answers"}

// endsBy returns the name of the tool with which a session of a role ends when all went well.
func endsBy(r agent.Role) string { return cmp.Or(answersBy[r], "finish") }

// schemaOf returns the JSON schema of arguments.
func schemaOf(args []arg) map[string]any {
	fields, needed := map[string]any{}, []string{}
	for _, a := range args {
		s := map[string]any{"type": a.Kind, "description": a.About}
		if a.Choices != nil {
			s["enum"] = a.Choices
		}
		switch {
		case a.Fields != nil:
			s["items"] = schemaOf(a.Fields)
		case a.Kind == "array":
			s["items"] = map[string]any{"type": "string"}
		}
		fields[a.Name] = s
		if a.Needed {
			needed = append(needed, a.Name)
		}
	}
	return map[string]any{"type": "object", "properties": fields, "required": needed}
}

func missing(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// value reads one argument, tolerant of numbers, flags and arrays sent as text.
func (a arg) value(raw json.RawMessage) (any, error) {
	s := string(raw)
	isText := json.Unmarshal(raw, &s) == nil
	plain := strings.ToLower(strings.TrimSpace(s))
	switch a.Kind {
	case "string":
		if !isText {
			return nil, errors.New("must be a string")
		}
		return a.choice(s)
	case "integer":
		f, err := strconv.ParseFloat(plain, 64)
		if err != nil || f != float64(int32(f)) {
			return nil, errors.New("must be a whole number")
		}
		return int(f), nil
	case "boolean":
		b, err := strconv.ParseBool(plain)
		if err != nil {
			return nil, errors.New("must be true or false")
		}
		return b, nil
	}
	if isText {
		raw = json.RawMessage(s)
	}
	var texts []string
	var objects []map[string]json.RawMessage
	switch {
	case a.Fields != nil && json.Unmarshal(raw, &objects) != nil:
		return nil, errors.New("must be an array of objects with the fields that the tool describes")
	case a.Fields == nil && isText && !strings.HasPrefix(plain, "["): // a single text in place of an array
		b, err := json.Marshal([]string{s})
		return json.RawMessage(b), err
	case a.Fields == nil && json.Unmarshal(raw, &texts) != nil:
		return nil, errors.New("must be an array of strings")
	}
	return raw, nil
}

func (a arg) choice(s string) (any, error) {
	i := slices.IndexFunc(a.Choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(s), c) })
	switch status, known := agent.StatusOf(s); {
	case a.Choices == nil:
		return s, nil
	case i >= 0:
		return a.Choices[i], nil
	case known && slices.Contains(a.Choices, string(agent.Failed)): // restrictions are reported later
		return string(status), nil
	}
	return nil, fmt.Errorf("must be one of %s", strings.Join(a.Choices, ", "))
}
