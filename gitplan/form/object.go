package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// object is a value of JSON or YAML, and the line in which it begins.
type object struct {
	Line    int
	Kind    byte     // { [ " 0 t n, as the value begins; t for both booleans
	Text    string   // of a string, number or boolean
	Members []member // of an object, in their order
	Items   []object // of an array
}

// member is a name in an object and its value.
type member struct {
	Name  string
	Value object
}

// Get returns the first member with one of these names.
func (v *object) Get(names ...string) *object {
	for _, name := range names {
		for i := range v.Members {
			if v.Members[i].Name == name {
				return &v.Members[i].Value
			}
		}
	}
	return nil
}

// list returns the first array among the members with these names.
func (v *object) list(names ...string) *object {
	for _, name := range names {
		if list := v.Get(name); list != nil && list.Kind == '[' {
			return list
		}
	}
	return nil
}

// Number returns a member as a number; 0 without one.
func (v *object) Number(name string) int {
	if n := v.Get(name); n != nil {
		i, _ := strconv.Atoi(n.Text)
		return i
	}
	return 0
}

// AsString returns a string; "" for other values and for nil.
func (v *object) AsString() string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}

// Compact returns a value as JSON in one line.
func (v *object) Compact() string {
	quoted := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	var parts []string
	switch v.Kind {
	case '{':
		for _, m := range v.Members {
			parts = append(parts, quoted(m.Name)+": "+m.Value.Compact())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		for _, item := range v.Items {
			parts = append(parts, item.Compact())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		return quoted(v.Text)
	case 'n':
		return "null"
	}
	return v.Text
}

// each returns the items of an array, or the value itself.
func (v *object) each() []object {
	if v.Kind == '[' {
		return v.Items
	}
	return []object{*v}
}

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	var out []string
	for _, item := range v.each() {
		out = append(out, strings.Join(strings.Fields(item.Text), " "))
	}
	return out
}

// linesIn returns the lines of a string, all with the place where the string begins.
func linesIn(v *object) lines {
	out := linesOf(v.Text, Place{})
	for i := range out {
		out[i] = line{dedent(out[i].text, 0, true), Place{Line: v.Line}}
	}
	return out
}

// asText returns a value as Markdown: strings unchanged, anything else as JSON.
func asText(v *object) lines {
	at := Place{Line: v.Line}
	switch v.Kind {
	case '"':
		return linesIn(v)
	case '{', '[':
		return lines{{"```json", at}, {v.Compact(), at}, {"```", at}}
	case 'n':
		return nil
	}
	return lines{{v.Text, at}}
}

// bullets returns a list of strings, or a text.
func bullets(v *object) (out lines) {
	if v.Kind != '[' && (v.Kind != '"' || strings.Contains(strings.TrimSpace(v.Text), "\n")) {
		return asText(v)
	}
	for _, item := range v.each() {
		if item.Kind == '{' || item.Kind == '[' {
			out = append(out, line{"- " + plan.CodeSpan(item.Compact()), Place{Line: item.Line}})
		} else if text := inline(item.Text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
	}
	return out
}

// inline returns a text in one line that does not begin a Markdown block.
func inline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if m := beginsBlockInLine.Compiled().FindStringSubmatchIndex(text); m != nil {
		at := max(m[3], m[5])
		return text[:at] + `\` + text[at:]
	}
	return text
}

// beginsBlockInLine matches the beginning of a block; a backslash after its group makes it text.
var beginsBlockInLine = visible.NewPattern("^(\\d+)[.)]|^()(?:[#>~<=|_]|```|[-+*](?: |$)|--|\\+\\+)")

// programs are what checks usually run; prose are words that occur only in sentences.
var (
	programs = strings.Fields("go cargo dotnet swift mix zig flutter npm pnpm yarn bun npx make just task rake nox mvn gradle bazel docker podman docker-compose terraform helm kubectl " +
		"cd python python3 node deno ruby php sh bash git curl grep egrep rg test [ diff cmp jq wc ls cat stat psql sqlite3 gofmt staticcheck golangci-lint eslint prettier biome ruff " +
		"mypy black isort flake8 pylint pyright shellcheck hadolint rubocop phpstan bundle uv poetry tox pytest jest vitest tsc rspec phpunit ctest mocha true false")
	prose = strings.Fields("the a an that this these there is are be and or should must will can still not no of to on into when while after before each both without it sure " +
		"pass passes passed passing succeed succeeds work works fail fails return returns show shows print prints exit exits stay stays remain remains " +
		"contain contains has have runs builds starts finishes completes reports reporting lists under via")

	quoted     = visible.NewPattern(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	assignment = visible.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*=`)
	script     = visible.NewPattern(`^(?:\.?/)?[\w-][\w./-]*/[\w.-]+\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$|^\./[\w./-]+$`)
)

// isCommand reports whether a criterion is one shell line and no sentence, whatever is on this machine.
func isCommand(text string) bool {
	bare := quoted.ReplaceAllString(text, "")
	if strings.ContainsAny(text, "\n\r`") || strings.ContainsAny(bare, `"'`) || strings.Count(bare, "(") != strings.Count(bare, ")") {
		return false
	}
	words := strings.Fields(strings.TrimLeft(bare, "!( "))
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	ofASentence := func(word string) bool { // which cannot occur in a command
		last := word[len(word)-1]
		return len(word) > 1 && strings.IndexByte(",:?!", last) >= 0 || last == '.' && len(strings.TrimLeft(word, "./")) > 0 || slices.Contains(prose, strings.ToLower(word))
	}
	return len(words) > 0 && beginsCommand(words[0]) && !slices.ContainsFunc(words, ofASentence)
}

func beginsCommand(word string) bool {
	return slices.Contains(programs, word) || script.MatchString(word)
}

// criteria returns the criteria of a structured plan, with commands put into code spans.
func (d *draft) criteria(v *object) *object {
	out := *v
	if v.Kind == '[' {
		out.Items = make([]object, len(v.Items))
		for i := range v.Items {
			out.Items[i] = *d.criteria(&v.Items[i])
		}
		return &out
	}
	text := strings.TrimSpace(v.Text)
	switch first, _, _ := strings.Cut(text, " "); {
	case v.Kind != '"':
	case isCommand(text):
		out.Text = plan.CodeSpan(text)
		d.note(Place{Line: v.Line}, "`%s` reads as a command, so it is run as a check", plan.Shown(text))
	case beginsCommand(first):
		d.note(Place{Line: v.Line}, "`%s` is not run, since it reads as a sentence; a command by itself goes into backquotes", plan.Shown(text))
	}
	return &out
}
