package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// tool is something a model may call.
type tool struct {
	Name  string
	About string
	args  []arg

	Changes bool // it may change the tree, so it runs alone and in order
	Writes  bool // each success with new arguments is progress (see repeats)

	Run func(context.Context, *workspace, values) (string, error)
	// End makes the result of a tool that ends a session. The model is answered with an error.
	End func(agent.Session, values) (agent.Result, error)
}

// values are the arguments of one call: string, int, bool, or json.RawMessage for an array.
type values map[string]any

func (v values) text(name string) string { s, _ := v[name].(string); return s }
func (v values) flag(name string) bool   { b, _ := v[name].(bool); return b }
func (v values) whole(name string, otherwise int) int {
	if n, ok := v[name].(int); ok {
		return n
	}
	return otherwise
}

// texts returns an argument that is an array of texts; nil if there is none.
func (v values) texts(name string) (out []string) {
	raw, _ := v[name].(json.RawMessage)
	_ = json.Unmarshal(raw, &out)
	return out
}

// gist returns the argument that says most about a call, for people.
func (v values) gist(t tool) string {
	for _, a := range t.args {
		if s := cmp.Or(v.text(a.name), strings.Join(v.texts(a.name), ", ")); s != "" {
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
	return v, nil
}

// toolsOf returns the tools of a role, always in the same order, since providers cache by prefix.
func toolsOf(r agent.Role) []tool {
	tools := []tool{readFile(), listFiles(), search()}
	if r.Writes() {
		tools = append(tools, writeFile(), editFile(), runCommand())
	}
	switch r {
	case agent.Planner:
		tools = append(tools, submitPlan())
	case agent.Critic:
		tools = append(tools, submitReview(r))
	case agent.Reviewer: // both have the same, so that a verifier finds the tools in the cache
		tools = append(tools, submitReview(r), submitAnswers().ofAnother(r))
	case agent.Verifier:
		tools = append(tools, submitReview(r).ofAnother(r), submitAnswers())
	}
	return append(tools, finish(r))
}

// toolNamed returns the tool of a name, or that models of other tools know by it. The error, for the model, names
// those there are.
func toolNamed(tools []tool, name string) (tool, error) {
	plain := strings.ToLower(name[strings.LastIndexAny(name, ".:/")+1:]) // functions.x, default_api:x
	ends := slices.Contains(otherNames["finish"], plain)
	var names []string
	for _, t := range tools {
		if t.Name == plain || slices.Contains(otherNames[t.Name], plain) {
			if ends {
				t.args = slices.Clone(t.args)
				t.args[0].needed = false // it says that all is done
			}
			return t, nil
		}
		names = append(names, t.Name)
	}
	return tool{}, fmt.Errorf("there is no tool %q; there are %s", agent.OneLine(name, 80), strings.Join(names, ", "))
}

// otherNames are names of tools elsewhere: of Claude Code, Gemini CLI, codex, opencode, Cline, OpenHands and others.
var otherNames = map[string][]string{
	"read_file":   {"read", "view", "cat", "open", "open_file", "view_file"},
	"list_files":  {"ls", "list", "glob", "list_dir", "list_directory", "find_files"},
	"search":      {"grep", "rg", "search_files", "grep_search", "search_file_content"},
	"write_file":  {"write", "create", "create_file", "write_to_file", "save_file"},
	"edit_file":   {"edit", "replace", "str_replace", "replace_in_file", "search_replace"},
	"run_command": {"bash", "shell", "sh", "exec", "terminal", "execute_command", "execute_bash", "run_shell_command", "run_terminal_cmd", "shell_command"},
	"finish":      {"complete_task", "task_complete", "task_done", "attempt_completion", "complete", "done", "submit", "final_answer"},
}

// ofAnother returns a tool that ends sessions of another role: a call of it is refused.
func (t tool) ofAnother(r agent.Role) tool {
	t.End = func(agent.Session, values) (agent.Result, error) {
		return agent.Result{}, fmt.Errorf("%s does not end your session: call %s", t.Name, submits(r))
	}
	return t
}

// endsBy returns the name of the tool with which a session of a role ends when all went well.
func endsBy(r agent.Role) string { return cmp.Or(submits(r), "finish") }

// submits returns the name of the tool with which a role gives its answer.
func submits(r agent.Role) string {
	switch r {
	case agent.Planner:
		return "submit_plan"
	case agent.Critic, agent.Reviewer:
		return "submit_review"
	case agent.Verifier:
		return "submit_answers"
	}
	return ""
}

// arg is one argument of a tool, or a field of one.
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

// schema returns the JSON schema of the arguments.
func (t tool) schema() map[string]any { return object(t.args) }

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
		var fields map[string]json.RawMessage
		switch {
		case texts && json.Unmarshal(item, &s) != nil:
			return nil, errors.New("must be an array of strings")
		case !texts && json.Unmarshal(item, &fields) != nil:
			return nil, errors.New("must be an array of objects with the fields that the tool describes")
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
	if status, ok := agent.StatusOf(s); ok && slices.Contains(a.choices, string(status)) {
		return string(status), nil
	}
	return nil, fmt.Errorf("must be one of %s", strings.Join(a.choices, ", "))
}
