package value

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// Bounds of YAML, whose parser is slow with what nests and with objects of very many keys (four
// times as slow with twice as many), and whose aliases make a small text huge.
const (
	MaxYAML = 256 << 10 // bytes: about 2,000 steps
	MaxKeys = 500       // of one object

	wordsAreKeys = "a key is a word or a text in quotes"
)

// ReadYAML reads a text as YAML: what JSON could say, too. Anchors, aliases and tags are refused,
// and comments are noted.
func ReadYAML(src []byte) (Value, []Note, error) {
	text := strings.TrimPrefix(markdown.ToLF(string(src)), "\ufeff")
	if len(text) > MaxYAML {
		return Value{}, nil, wrongYAML(1, fmt.Sprintf("this is longer than %d KiB: import it as JSON", MaxYAML>>10))
	}
	tokens := lexer.Tokenize(text)
	notes, err := plainYAML(tokens)
	if err != nil {
		return Value{}, nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // yamlMembers finds them faster
	if err != nil {
		return Value{}, nil, notYAML(err)
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return Value{}, nil, wrongYAML(1, "this is empty: write an object with `steps`")
	case len(file.Docs) > 1:
		return Value{}, nil, wrongYAML(lineOf(file.Docs[1].Start), "a second document begins here: a plan is one")
	}
	v, err := yamlValue(file.Docs[0].Body, 0)
	return v, notes, err
}

func wrongYAML(line int, message string) error {
	return &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(max(line, 1), YAMLRule, message)}}
}

func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}

// notYAML returns what the parser refuses, in one line.
func notYAML(err error) error {
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	line, message := 1, err.Error()
	if errors.As(err, &at) {
		line, message = lineOf(at.GetToken()), at.GetMessage()
	}
	return wrongYAML(line, "this is not YAML: "+markdown.Shown(strings.Join(strings.Fields(message), " ")))
}

// plainYAML refuses what is more than values and what nests too deep, before it is parsed, and
// notes comments.
func plainYAML(tokens token.Tokens) (notes []Note, _ error) {
	depth, line, opened := 0, 0, 0 // opened counts what one line opens outside of brackets
	var open objects
	for i, t := range tokens {
		if lineOf(t) != line {
			line, opened = lineOf(t), 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.DirectiveType:
			return nil, wrongYAML(line, fmt.Sprintf("`%s` begins an anchor, alias, tag or directive in YAML, which a plan has none of: put the text in quotes", markdown.Shown(t.Value)))
		case token.MappingKeyType:
			return nil, wrongYAML(line, wordsAreKeys)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingValueType:
			if depth == 0 {
				opened++
			}
			if depth == 0 && open.sees(tokens, i) > MaxKeys {
				return nil, wrongYAML(line, fmt.Sprintf("this object has more than %d keys: a plan is one of a few keys, with `steps`", MaxKeys))
			}
		case token.CommentType:
			notes = append(notes, Note{Line: line, Text: fmt.Sprintf("a comment is left out: `%s`", markdown.Shown(strings.TrimSpace(t.Value)))})
		}
		if depth > deepest || opened > deepest {
			return nil, tooDeep(line, YAMLRule)
		}
	}
	return notes, nil
}

// objects are those outside of brackets that are open at a token, the outermost first: the column
// of their keys, and how many there are.
type objects []struct{ column, keys int }

// sees counts a key, or an entry of a list, and returns how many keys its object has so far.
func (o *objects) sees(tokens token.Tokens, i int) int {
	t := tokens[i]
	if t.Type == token.MappingValueType && i > 0 {
		t = tokens[i-1] // the key
	}
	column := t.Position.Column
	inner := len(*o)
	for inner > 0 && (*o)[inner-1].column > column {
		inner--
	}
	*o = (*o)[:inner]
	if tokens[i].Type != token.MappingValueType {
		return 0
	}
	if inner == 0 || (*o)[inner-1].column < column {
		*o = append(*o, struct{ column, keys int }{column, 0})
	}
	last := &(*o)[len(*o)-1]
	last.keys++
	return last.keys
}

// yamlValue turns a node into the value that JSON would have.
func yamlValue(n ast.Node, depth int) (Value, error) {
	v := Value{Line: lineOf(n.GetToken())}
	if depth > deepest {
		return v, tooDeep(v.Line, YAMLRule)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return v, v.yamlMembers(n.Values, depth)
	case *ast.MappingValueNode:
		return v, v.yamlMembers([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		v.Kind = '['
		for _, item := range n.Values {
			value, err := yamlValue(item, depth+1)
			if err != nil {
				return v, err
			}
			v.Items = append(v.Items, value)
		}
	case *ast.StringNode:
		v.Kind, v.Text = '"', n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = '"', n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		v.Kind, v.Text = '0', n.GetToken().Value
	case *ast.BoolNode:
		v.Kind, v.Text = 't', fmt.Sprint(n.Value)
	case *ast.NullNode:
		v.Kind = 'n'
	default:
		return v, wrongYAML(v.Line, "this is no value: write a text, a list or an object")
	}
	v.Text = strings.ReplaceAll(v.Text, "\x00", "")
	return v, nil
}

func (v *Value) yamlMembers(pairs []*ast.MappingValueNode, depth int) error {
	v.Kind = '{'
	first := map[string]int{}
	for i, pair := range pairs {
		name, line := pair.Key.GetToken().Value, lineOf(pair.Key.GetToken())
		if i == 0 {
			v.Line = line
		}
		switch pair.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			return wrongYAML(line, wordsAreKeys)
		}
		if first[name] > 0 {
			return twice(line, YAMLRule, name, first[name])
		}
		first[name] = line
		value, err := yamlValue(pair.Value, depth+1)
		if err != nil {
			return err
		}
		v.Members = append(v.Members, Member{name, value})
	}
	return nil
}
