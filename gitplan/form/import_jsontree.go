package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// jsonValue is a value of JSON or YAML, and the line in which it begins.
type jsonValue struct {
	line    int
	kind    byte   // { [ " 0 t n, as the value begins; t for both booleans
	text    string // of a string, number or boolean
	members []jsonMember
	items   []jsonValue
}

type jsonMember struct {
	name  string
	value jsonValue
}

// readJSON reads a text as JSON. It allows comments and superfluous commas, and notes them. It
// refuses two members of one name, since readers disagree about which one counts.
func readJSON(src []byte) (jsonValue, []Note, error) {
	text, notes := plainJSON(src)
	r := &jsonReader{lines: lineStarts(text)}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		var syntax *json.SyntaxError
		line := 1
		if errors.As(err, &syntax) {
			line = r.lineAt(int(syntax.Offset) - 1)
		}
		return jsonValue{}, nil, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, "json", "this is not JSON: "+markdown.Shown(err.Error()))}}
	}
	r.Decoder = json.NewDecoder(bytes.NewReader(text))
	r.UseNumber()
	v, err := r.value(0)
	return v, notes, err
}

// deepest bounds the levels of an object; a plan has four.
const deepest = 32

func tooDeep(line int, rule string) error {
	return &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, rule, fmt.Sprintf("this nests more than %d levels deep", deepest))}}
}

func twice(line int, rule, name string, first int) error {
	return &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, rule, fmt.Sprintf("`%s` is in one object twice, first in line %d: keep one", markdown.Shown(name), first))}}
}

type jsonReader struct {
	*json.Decoder
	lines []int
}

func lineStarts(text []byte) []int {
	out := []int{0}
	for i, c := range text {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

func (r *jsonReader) lineAt(offset int) int {
	return max(sort.SearchInts(r.lines, offset+1), 1)
}

func (r *jsonReader) value(depth int) (jsonValue, error) {
	token, err := r.Token()
	line := r.lineAt(int(r.InputOffset()) - 1)
	if err != nil {
		return jsonValue{}, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, "json", "this is not JSON: "+markdown.Shown(err.Error()))}}
	}
	v := jsonValue{line: line}
	switch t := token.(type) {
	case json.Delim:
		v.kind = byte(t)
		if depth >= deepest {
			return v, tooDeep(line, "json")
		}
		return v, r.inside(&v, depth)
	case string:
		v.kind, v.text = '"', strings.ReplaceAll(t, "\x00", "")
	case json.Number:
		v.kind, v.text = '0', t.String()
	case bool:
		v.kind, v.text = 't', fmt.Sprint(t)
	default:
		v.kind = 'n'
	}
	return v, nil
}

func (r *jsonReader) inside(v *jsonValue, depth int) error {
	first := map[string]int{}
	for r.More() {
		if v.kind == '[' {
			item, err := r.value(depth + 1)
			if err != nil {
				return err
			}
			v.items = append(v.items, item)
			continue
		}
		key, err := r.value(depth)
		if err != nil {
			return err
		}
		if line := first[key.text]; line > 0 {
			return twice(key.line, "json", key.text, line)
		}
		first[key.text] = key.line
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.members = append(v.members, jsonMember{key.text, value})
	}
	_, err := r.Token()
	return err
}

// plainJSON blanks out a BOM, comments, and commas before a closing bracket. The
// text keeps its length and its lines.
func plainJSON(src []byte) ([]byte, []Note) {
	out := bytes.Clone(src)
	var notes []Note
	line := 1
	clear := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		clear(0, len("\ufeff"))
	}
	comma := -1 // the last comma with only blanks and comments after it
	commaLine := 0
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '\n':
			line++
		case c == ' ' || c == '\t' || c == '\r':
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			notes = append(notes, Note{Line: line, Text: fmt.Sprintf("JSON has no comments; this one is left out: `%s`", markdown.Shown(string(out[i:end])))})
			line += bytes.Count(out[i:end], []byte("\n"))
			clear(i, end)
			i = end - 1
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				} else if out[i] == '\n' {
					line++
				}
			}
		case (c == '}' || c == ']') && comma >= 0:
			clear(comma, comma+1)
			notes = append(notes, Note{Line: commaLine, Text: "a comma with nothing after it is left out"})
			comma = -1
		case c == ',':
			comma, commaLine = i, line
		default:
			comma = -1
		}
	}
	return out, notes
}

func commentEnd(text []byte, from int) int {
	mark, width := "\n", 0
	if text[from+1] == '*' {
		mark, width = "*/", 2
	}
	at := bytes.Index(text[from+2:], []byte(mark))
	if at < 0 {
		return len(text)
	}
	return from + 2 + at + width
}

// get returns the member that has one of some names.
func (v *jsonValue) get(names ...string) *jsonValue {
	for _, name := range names {
		for i := range v.members {
			if v.members[i].name == name {
				return &v.members[i].value
			}
		}
	}
	return nil
}

func (v *jsonValue) string() string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// compact writes a value in one line.
func (v *jsonValue) compact() string {
	var b strings.Builder
	v.writeTo(&b)
	return b.String()
}

func (v *jsonValue) writeTo(b *strings.Builder) {
	quoted := func(s string) {
		text, _ := json.Marshal(s)
		b.Write(text)
	}
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			}
			quoted(m.name)
			b.WriteString(": ")
			m.value.writeTo(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			v.items[i].writeTo(b)
		}
		b.WriteByte(']')
	case '"':
		quoted(v.text)
	case 'n':
		b.WriteString("null")
	default:
		b.WriteString(v.text)
	}
}
