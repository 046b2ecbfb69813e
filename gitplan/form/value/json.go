package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// ReadJSON reads a text as JSON. It allows comments and extra commas, and notes them. It
// refuses two members of one name, since readers disagree about which one counts.
func ReadJSON(src []byte) (Value, []Note, error) {
	text, notes := plainJSON(src)
	r := &jsonReader{lines: lineStarts(text)}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		var syntax *json.SyntaxError
		line := 1
		if errors.As(err, &syntax) {
			line = r.lineAt(int(syntax.Offset) - 1)
		}
		return Value{}, nil, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, JSONRule, "this is not JSON: "+markdown.Shown(err.Error()))}}
	}
	r.Decoder = json.NewDecoder(bytes.NewReader(text))
	r.UseNumber()
	v, err := r.value(0)
	return v, notes, err
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

func (r *jsonReader) value(depth int) (Value, error) {
	token, err := r.Token()
	line := r.lineAt(int(r.InputOffset()) - 1)
	if err != nil {
		return Value{}, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, JSONRule, "this is not JSON: "+markdown.Shown(err.Error()))}}
	}
	v := Value{Line: line}
	switch t := token.(type) {
	case json.Delim:
		v.Kind = byte(t)
		if depth >= deepest {
			return v, tooDeep(line, JSONRule)
		}
		return v, r.inside(&v, depth)
	case string:
		v.Kind, v.Text = '"', strings.ReplaceAll(t, "\x00", "")
	case json.Number:
		v.Kind, v.Text = '0', t.String()
	case bool:
		v.Kind, v.Text = 't', fmt.Sprint(t)
	default:
		v.Kind = 'n'
	}
	return v, nil
}

func (r *jsonReader) inside(v *Value, depth int) error {
	first := map[string]int{}
	for r.More() {
		if v.Kind == '[' {
			item, err := r.value(depth + 1)
			if err != nil {
				return err
			}
			v.Items = append(v.Items, item)
			continue
		}
		key, err := r.value(depth)
		if err != nil {
			return err
		}
		if line := first[key.Text]; line > 0 {
			return twice(key.Line, JSONRule, key.Text, line)
		}
		first[key.Text] = key.Line
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.Members = append(v.Members, Member{key.Text, value})
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
