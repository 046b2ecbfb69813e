package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// object is a value of JSON, and the line in which it begins.
type object struct {
	Name  string // the name, if the value is a member of an object
	Line  int
	Kind  byte      // the first byte of its kind: { [ " 0 t n; t for both booleans
	Text  string    // the value of a string, number or boolean
	Items []*object // the elements of an array or an object, in order
	raw   string    // the JSON of an array or an object
}

// deepest bounds the levels of an object; a plan has four.
const deepest = 32

// readObject reads JSON. Its errors name the line.
func readObject(src []byte) (*object, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	doc, bad := plan.NewDocument(src), new(json.SyntaxError)
	if errors.As(json.Unmarshal(src, new(json.RawMessage)), &bad) {
		return nil, wrong(doc.Line(int(bad.Offset)-1), "this is not JSON: "+plan.Shown(bad.Error()))
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return valueOf(d, doc, 0)
}

// valueOf reads the next value. A repeated name is refused: readers disagree about which one counts.
func valueOf(d *json.Decoder, doc *plan.Document, depth int) (*object, error) {
	token, err := d.Token()
	from := int(d.InputOffset()) - 1
	v := &object{Line: doc.Line(from)}
	switch t := token.(type) {
	case json.Delim:
		v.Kind = byte(t)
		if depth > deepest {
			return v, wrong(v.Line, fmt.Sprintf("this nests more than %d levels deep", deepest))
		}
		first := map[string]int{}
		for err == nil && d.More() {
			name := ""
			if t == '{' {
				key, _ := d.Token()
				name = key.(string)
				line := doc.Line(int(d.InputOffset()) - 1)
				if first[name] > 0 {
					return v, wrong(line, fmt.Sprintf("`%s` is in one object twice, first in line %d: keep one",
						plan.Shown(name), first[name]))
				}
				first[name] = line
			}
			var item *object
			if item, err = valueOf(d, doc, depth+1); err == nil {
				item.Name = name
				v.Items = append(v.Items, item)
			}
		}
		if err == nil {
			_, err = d.Token() // the end
			v.raw = doc.Src[from:d.InputOffset()]
		}
	case json.Number:
		v.Kind, v.Text = '0', t.String()
	case bool:
		v.Kind, v.Text = 't', strconv.FormatBool(t)
	case string:
		v.Kind, v.Text = '"', strings.ReplaceAll(t, "\x00", "")
	default:
		v.Kind = 'n'
	}
	return v, err
}

// Compact returns an array or an object in one line.
func (v *object) Compact() string {
	var out bytes.Buffer
	_ = json.Compact(&out, []byte(v.raw)) // raw is valid JSON
	return out.String()
}

// Get returns the member of an object with the first of these names that it has.
func (v *object) Get(names ...string) *object {
	for _, name := range names {
		for _, member := range v.Items {
			if v.Kind == '{' && member.Name == name {
				return member
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

// AsString returns a string; "" for other values and for nil.
func (v *object) AsString() string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}

// each returns the items of an array, or the value itself.
func (v *object) each() []*object {
	if v.Kind == '[' {
		return v.Items
	}
	return []*object{v}
}

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	var out []string
	for _, item := range v.each() {
		out = append(out, strings.Join(strings.Fields(item.Text), " "))
	}
	return out
}

// markdown returns a value as Markdown: a text as it is, an array as bullets, an object as JSON.
func (v *object) markdown() (out lines) {
	at := Place{Line: v.Line}
	switch v.Kind {
	case '{':
		return lines{{"```json", at}, {v.Compact(), at}, {"```", at}}
	case '[':
		return bullets(v.Items)
	}
	for _, l := range linesOf(v.Text) {
		out = append(out, line{dedent(l.text, 0, true), at})
	}
	return out
}

// bullets returns a list of values.
func bullets(items []*object) (out lines) {
	for _, item := range items {
		text := inline(item.Text)
		if item.Kind == '{' || item.Kind == '[' {
			text = plan.CodeSpan(item.Compact())
		}
		if text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
	}
	return out
}

// inline returns a text in one line that does not begin a Markdown block.
func inline(text string) string { return noBlock(strings.Join(strings.Fields(text), " ")) }
