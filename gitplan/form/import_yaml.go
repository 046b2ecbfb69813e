package form

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Bounds of YAML, whose parser is slow with what nests and with objects of very many keys (four
// times as slow with twice as many), and whose aliases make a small text huge.
const (
	maxYAML  = 256 << 10 // bytes: about 2,000 steps
	maxKeys  = 500       // of one object
	yamlRule = "yaml"

	wordsAreKeys = "a key is a word or a text in quotes"
)

// isYAML reports whether a text is to be read as YAML: by its file's name, or since it has steps
// as YAML writes them.
func isYAML(name string, src []byte) (reason string, ok bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		return "its name ends so", true
	}
	if !stepsOfYAML.Match(src) {
		return "", false
	}
	v, _, err := readYAML(src)
	if err != nil {
		return "", false
	}
	steps := v.get("steps", "tasks")
	return "it has `steps` as YAML does", steps != nil && steps.kind == '['
}

var stepsOfYAML = pattern.Of(`(?m)^(?:steps|tasks):[ \t]*(?:#.*|\[.*)?\r?$`)

// readYAML reads a text as YAML: what JSON could say, too. Anchors, aliases and tags are refused,
// and comments are noted.
func readYAML(src []byte) (jsonValue, []Note, error) {
	text := strings.TrimPrefix(markdown.ToLF(string(src)), "\ufeff")
	if len(text) > maxYAML {
		return jsonValue{}, nil, wrongYAML(1, fmt.Sprintf("this is longer than %d KiB: import it as JSON", maxYAML>>10))
	}
	tokens := lexer.Tokenize(text)
	notes, err := plainYAML(tokens)
	if err != nil {
		return jsonValue{}, nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // yamlMembers finds them faster
	if err != nil {
		return jsonValue{}, nil, notYAML(err)
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return jsonValue{}, nil, wrongYAML(1, "this is empty: write an object with `steps`")
	case len(file.Docs) > 1:
		return jsonValue{}, nil, wrongYAML(lineOf(file.Docs[1].Start), "a second document begins here: a plan is one")
	}
	v, err := yamlValue(file.Docs[0].Body, 0)
	return v, notes, err
}

func wrongYAML(line int, message string) error {
	return &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(max(line, 1), yamlRule, message)}}
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
			if depth == 0 && open.sees(tokens, i) > maxKeys {
				return nil, wrongYAML(line, fmt.Sprintf("this object has more than %d keys: a plan is one of a few keys, with `steps`", maxKeys))
			}
		case token.CommentType:
			notes = append(notes, Note{Line: line, Text: fmt.Sprintf("a comment is left out: `%s`", markdown.Shown(strings.TrimSpace(t.Value)))})
		}
		if depth > deepest || opened > deepest {
			return nil, tooDeep(line, yamlRule)
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
func yamlValue(n ast.Node, depth int) (jsonValue, error) {
	v := jsonValue{line: lineOf(n.GetToken())}
	if depth > deepest {
		return v, tooDeep(v.line, yamlRule)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return v, v.yamlMembers(n.Values, depth)
	case *ast.MappingValueNode:
		return v, v.yamlMembers([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		v.kind = '['
		for _, item := range n.Values {
			value, err := yamlValue(item, depth+1)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, value)
		}
	case *ast.StringNode:
		v.kind, v.text = '"', n.Value
	case *ast.LiteralNode:
		v.kind, v.text = '"', n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		v.kind, v.text = '0', n.GetToken().Value
	case *ast.BoolNode:
		v.kind, v.text = 't', fmt.Sprint(n.Value)
	case *ast.NullNode:
		v.kind = 'n'
	default:
		return v, wrongYAML(v.line, "this is no value: write a text, a list or an object")
	}
	v.text = strings.ReplaceAll(v.text, "\x00", "")
	return v, nil
}

func (v *jsonValue) yamlMembers(pairs []*ast.MappingValueNode, depth int) error {
	v.kind = '{'
	first := map[string]int{}
	for i, pair := range pairs {
		name, line := pair.Key.GetToken().Value, lineOf(pair.Key.GetToken())
		if i == 0 {
			v.line = line
		}
		switch pair.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			return wrongYAML(line, wordsAreKeys)
		}
		if first[name] > 0 {
			return twice(line, yamlRule, name, first[name])
		}
		first[name] = line
		value, err := yamlValue(pair.Value, depth+1)
		if err != nil {
			return err
		}
		v.members = append(v.members, jsonMember{name, value})
	}
	return nil
}
