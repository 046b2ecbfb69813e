package form

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// maxYAML is the largest text in YAML that is read, in bytes: some 500 steps. Its parser is quadratic.
const maxYAML = 128 << 10

// readYAML reads what JSON could say, too, from YAML. Its errors name the line.
func readYAML(src []byte) (*object, error) {
	if len(src) > maxYAML {
		return nil, wrong(1, fmt.Sprintf("this is longer than %d KiB: write it as JSON, or make several plans of it", maxYAML>>10))
	}
	tokens := lexer.Tokenize(strings.TrimPrefix(plan.ToLF(string(src)), "\ufeff"))
	line, open, begun := 0, 0, 0 // brackets, and the items that begin in this line: of thousands the parser takes gigabytes
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open--
		case token.SequenceEntryType:
			if t.Position.Line != line {
				line, begun = t.Position.Line, 0
			}
			begun++
		}
		if max(open, begun) > deepest {
			return nil, wrong(t.Position.Line, fmt.Sprintf("this nests more than %d levels deep", deepest))
		}
	}
	file, err := parser.Parse(tokens, 0)
	var bad yaml.Error
	switch {
	case errors.As(err, &bad):
		return nil, wrong(bad.GetToken().Position.Line, "this is not YAML: "+plan.Shown(strings.Join(strings.Fields(bad.GetMessage()), " ")))
	case err != nil:
		return nil, err
	case len(file.Docs) != 1 || file.Docs[0].Body == nil:
		return nil, wrong(1, "this is not one document: write an object with `steps`")
	}
	return nodeOf(file.Docs[0].Body, 0)
}

// nodeOf returns the value of a node.
func nodeOf(n ast.Node, depth int) (_ *object, err error) {
	v := &object{Line: n.GetToken().Position.Line}
	if depth > deepest {
		return v, wrong(v.Line, fmt.Sprintf("this nests more than %d levels deep", deepest))
	}
	var items []string
	add := func(name, before string, n ast.Node) {
		item, bad := nodeOf(n, depth+1)
		item.Name, err = name, cmp.Or(err, bad)
		v.Items, items = append(v.Items, item), append(items, before+item.raw)
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		v.Kind = '{'
		for _, pair := range n.Values {
			name := pair.Key.GetToken().Value
			add(name, quoted(name)+":", pair.Value)
		}
		v.raw = "{" + strings.Join(items, ",") + "}"
	case *ast.SequenceNode:
		v.Kind = '['
		for _, item := range n.Values {
			add("", "", item)
		}
		v.raw = "[" + strings.Join(items, ",") + "]"
	case *ast.StringNode:
		v.Kind, v.Text = '"', n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = '"', n.Value.Value
	case *ast.BoolNode:
		v.Kind, v.Text = 't', strconv.FormatBool(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		v.Kind, v.Text = '0', n.GetToken().Value
	case *ast.NullNode:
		v.Kind, v.raw = 'n', "null"
	default:
		return v, wrong(v.Line, fmt.Sprintf("`%s` begins an anchor, alias, tag or the like: put the text in quotes", plan.Shown(n.GetToken().Value)))
	}
	if v.Kind == '"' || v.raw == "" && !json.Valid([]byte(v.Text)) {
		v.raw = quoted(v.Text)
	}
	v.raw = cmp.Or(v.raw, v.Text) // shown where the plan has no place for it
	return v, err
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
