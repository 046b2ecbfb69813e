package form

import (
	"errors"
	"fmt"
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
	tokens := lexer.Tokenize(plan.ToLF(string(src)))
	line, open := 0, 0 // open are brackets, and the items that begin in this line: of thousands the parser takes gigabytes
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open--
		case token.SequenceEntryType:
			if t.Position.Line != line {
				line, open = t.Position.Line, 0
			}
			open++
		}
		if open > deepest {
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
	add := func(name string, n ast.Node) {
		item, wrong := nodeOf(n, depth+1)
		item.Name = name
		if v.Items = append(v.Items, item); err == nil {
			err = wrong
		}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		v.Kind = '{'
		for _, pair := range n.Values {
			add(pair.Key.GetToken().Value, pair.Value)
		}
	case *ast.SequenceNode:
		v.Kind = '['
		for _, item := range n.Values {
			add("", item)
		}
	case *ast.StringNode:
		v.Kind, v.Text = '"', n.Value
	case *ast.LiteralNode:
		v.Kind, v.Text = '"', n.Value.Value
	case *ast.BoolNode:
		v.Kind, v.Text = 't', n.GetToken().Value
	case *ast.IntegerNode, *ast.FloatNode:
		v.Kind, v.Text = '0', n.GetToken().Value
	case *ast.NullNode:
		v.Kind = 'n'
	default:
		return v, wrong(v.Line, fmt.Sprintf("`%s` begins an anchor, alias, tag or the like: put the text in quotes", plan.Shown(n.GetToken().Value)))
	}
	if depth > 0 && len(v.Items) > 0 { // shown as JSON where the plan has no place for it
		raw, _ := yaml.YAMLToJSON([]byte(n.String()))
		v.raw = string(raw)
	}
	return v, err
}
