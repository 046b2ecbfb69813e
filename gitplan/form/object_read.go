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

// maxTokens bounds a text by its rule: about 5,000 steps in JSON, and 1,000 in YAML.
var maxTokens = map[string]int{jsonRule: 150_000, yamlRule: 30_000}

// The rules by which errors of the two formats are known.
const (
	jsonRule = string(JSON)
	yamlRule = string(YAML)
)

const wordsAreKeys = "a key is a word or a text in quotes"

// readObject reads a text as YAML, of which JSON is a subset, without anchors, aliases and tags; comments are noted.
func readObject(src []byte, rule string) (object, []Note, error) {
	text := strings.TrimPrefix(plan.ToLF(string(src)), "\ufeff")
	if rule == jsonRule {
		text = strings.ReplaceAll(text, "\t", " ") // JSON strings never contain one unescaped
	}
	if len(text) > maxSize {
		return object{}, nil, wrong(1, rule, fmt.Sprintf("this is longer than %d KiB", maxSize>>10))
	}
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens[rule] {
		return object{}, nil, wrong(1, rule, "these are too many values for one plan: make several plans of it")
	}
	notes, err := checkTokens(tokens, rule)
	if err != nil {
		return object{}, nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // read finds them faster
	if err != nil {
		return object{}, nil, refused(err, rule)
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return object{}, nil, wrong(1, rule, "this is empty: write an object with `steps`")
	case len(file.Docs) > 1:
		return object{}, nil, wrong(lineOf(file.Docs[1].Start), rule, "a second document begins here: a plan is one")
	}
	v, err := valueOf(file.Docs[0].Body, rule, 0)
	return v, notes, err
}

var tooDeep = fmt.Sprintf("this nests more than %d levels deep", deepest)

func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}

// refused returns the parser's error, in one line.
func refused(err error, rule string) error {
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	line, message := 1, err.Error()
	if errors.As(err, &at) {
		line, message = lineOf(at.GetToken()), at.GetMessage()
	}
	return wrong(line, rule, "this is not "+strings.ToUpper(rule)+": "+plan.Shown(strings.Join(strings.Fields(message), " ")))
}

// checkTokens refuses texts with too many values or too deep nesting before they are parsed.
func checkTokens(tokens token.Tokens, rule string) (notes []Note, _ error) {
	depth, line, opened := 0, 0, 0 // opened counts the blocks that one line opens outside of brackets
	for i, t := range tokens {
		if lineOf(t) != line {
			line, opened = lineOf(t), 0
		}
		if rule == jsonRule && (i > 0 && depth == 0 || t.Type == token.StringType && !json.Valid([]byte(t.Value))) {
			return nil, wrong(line, rule, "this is not JSON: `"+plan.Shown(t.Value)+"`")
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.DirectiveType:
			return nil, wrong(line, rule, fmt.Sprintf("`%s` begins an anchor, alias, tag or directive in YAML, which a plan has none of: put the text in quotes", plan.Shown(t.Value)))
		case token.MappingKeyType:
			return nil, wrong(line, rule, wordsAreKeys)
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
		if depth > deepest || opened > deepest {
			return nil, wrong(line, rule, tooDeep)
		}
	}
	return notes, nil
}

// valueOf turns a node into a value.
func valueOf(n ast.Node, rule string, depth int) (object, error) {
	v := object{Line: lineOf(n.GetToken())}
	if depth > deepest {
		return v, wrong(v.Line, rule, tooDeep)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return v, v.read(n.Values, rule, depth)
	case *ast.MappingValueNode:
		return v, v.read([]*ast.MappingValueNode{n}, rule, depth)
	case *ast.SequenceNode:
		v.Kind = '['
		for _, item := range n.Values {
			value, err := valueOf(item, rule, depth+1)
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
		return v, wrong(v.Line, rule, "this is not a value: write a text, a list or an object")
	}
	v.Text = strings.ReplaceAll(v.Text, "\x00", "")
	return v, nil
}

// read reads the members of an object. A repeated name is refused: readers disagree about which one counts.
func (v *object) read(pairs []*ast.MappingValueNode, rule string, depth int) error {
	v.Kind = '{'
	first := map[string]int{}
	for i, pair := range pairs {
		name, line := pair.Key.GetToken().Value, lineOf(pair.Key.GetToken())
		if i == 0 && rule == yamlRule {
			v.Line = line
		}
		switch pair.Key.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		default:
			return wrong(line, rule, wordsAreKeys)
		}
		if first[name] > 0 {
			return wrong(line, rule,
				fmt.Sprintf("`%s` is in one object twice, first in line %d: keep one", plan.Shown(name), first[name]))
		}
		first[name] = line
		value, err := valueOf(pair.Value, rule, depth+1)
		if err != nil {
			return err
		}
		v.Members = append(v.Members, member{name, value})
	}
	return nil
}
