package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Limits of a text: the parser is slow with nesting, and quadratic in the keys of a YAML object.
const (
	maxSize = 4 << 20 // bytes
	deepest = 32      // levels of an object; a plan has four
)

// maxTokens bounds a text: about 5,000 steps in JSON, and 1,000 in YAML.
var maxTokens = map[Form]int{JSON: 150_000, YAML: 30_000}

// readObject reads a text as YAML, of which JSON is a subset, without anchors, aliases and tags; comments are noted.
func readObject(src []byte, form Form) (*object, []Note, error) {
	text := strings.TrimPrefix(plan.ToLF(string(src)), "\ufeff")
	if form == JSON {
		text = strings.ReplaceAll(text, "\t", " ") // JSON strings never contain one unescaped
	}
	if len(text) > maxSize {
		return nil, nil, wrong(1, fmt.Sprintf("this is longer than %d KiB", maxSize>>10))
	}
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens[form] {
		return nil, nil, wrong(1, "these are too many values for one plan: make several plans of it")
	}
	notes, err := checkTokens(tokens, form)
	if err != nil {
		return nil, nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // members finds them faster
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	var bad *json.SyntaxError
	switch {
	case err != nil && form == JSON && len(notes) == 0 && errors.As(json.Unmarshal([]byte(text), new(any)), &bad):
		line := 1 + strings.Count(strings.TrimRight(text[:bad.Offset], "\n"), "\n")
		return nil, nil, wrong(line, "this is not JSON: "+plan.Shown(bad.Error()))
	case errors.As(err, &at):
		return nil, nil, wrong(lineOf(at.GetToken()), fmt.Sprintf("this is not %s: %s",
			strings.ToUpper(string(form)), plan.Shown(strings.Join(strings.Fields(at.GetMessage()), " "))))
	case err != nil:
		return nil, nil, err
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, nil, wrong(1, "this is empty: write an object with `steps`")
	case len(file.Docs) > 1:
		return nil, nil, wrong(lineOf(file.Docs[1].Start), "a second document begins here: a plan is one")
	}
	v, err := valueOf(file.Docs[0].Body, 0)
	return v, notes, err
}

var tooDeep = fmt.Sprintf("this nests more than %d levels deep", deepest)

func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}

// checkTokens refuses texts with too deep nesting before they are parsed, and what JSON does not have.
func checkTokens(tokens token.Tokens, form Form) (notes []Note, _ error) {
	depth, line, opened := 0, 0, 0 // opened counts the blocks that one line opens outside of brackets
	for i, t := range tokens {
		if lineOf(t) != line {
			line, opened = lineOf(t), 0
		}
		if form == JSON && (i > 0 && depth == 0 || t.Type == token.StringType && !json.Valid([]byte(t.Value))) {
			return nil, wrong(line, "this is not JSON: `"+plan.Shown(t.Value)+"`")
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.DirectiveType:
			return nil, wrong(line, fmt.Sprintf("`%s` begins an anchor, alias, tag or directive in YAML, which a plan has none of: put the text in quotes", plan.Shown(t.Value)))
		case token.MappingKeyType:
			return nil, wrong(line, "a key is a word or a text in quotes")
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingValueType:
			if depth == 0 {
				opened++
			}
		case token.CommentType:
			notes = append(notes,
				Note{Place{Line: line}, fmt.Sprintf("a comment is left out: `%s`", plan.Shown(strings.TrimSpace(t.Value)))})
		}
		if max(depth, opened) > deepest {
			return nil, wrong(line, tooDeep)
		}
	}
	return notes, nil
}

// valueOf turns a node into a value.
func valueOf(n ast.Node, depth int) (v *object, err error) {
	v = &object{Line: lineOf(n.GetToken())}
	if depth > deepest {
		return v, wrong(v.Line, tooDeep)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			v.Line = lineOf(n.Values[0].Key.GetToken())
		}
		v.Kind = '{'
		v.Items, err = members(n.Values, depth)
	case *ast.SequenceNode:
		v.Kind = '['
		for _, item := range n.Values {
			value, err := valueOf(item, depth+1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, value)
		}
	case *ast.StringNode:
		v.Kind, v.Text = '"', n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = '"', n.Value.Value
	case *ast.BoolNode:
		v.Kind, v.Text = 't', fmt.Sprint(n.Value)
	case *ast.NullNode:
		v.Kind = 'n'
	default: // a number
		v.Kind, v.Text = '0', n.GetToken().Value
	}
	v.Text = strings.ReplaceAll(v.Text, "\x00", "")
	return v, err
}

// members reads the members of an object. A repeated name is refused: readers disagree about which one counts.
func members(pairs []*ast.MappingValueNode, depth int) (out []*object, _ error) {
	first := map[string]int{}
	for _, pair := range pairs {
		name, line := pair.Key.GetToken().Value, lineOf(pair.Key.GetToken())
		if first[name] > 0 {
			return nil, wrong(line,
				fmt.Sprintf("`%s` is in one object twice, first in line %d: keep one", plan.Shown(name), first[name]))
		}
		first[name] = line
		value, err := valueOf(pair.Value, depth+1)
		if err != nil {
			return nil, err
		}
		value.Name = name
		out = append(out, value)
	}
	return out, nil
}
