package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// FrontMatter is the YAML between two lines "---" at the start of a plan. Only
// the keys plan, branch and base are read; everything else is kept as it is.
type FrontMatter struct {
	Begin int // after a BOM
	Inner Span
	Body  int // what comes after it; Begin if there is none
	Keys  []FrontKey
}

// FrontKey is a key of the outermost mapping and the lines it takes.
type FrontKey struct {
	Name, value string
	Lines       Span
	simple      bool // the value is one word or quoted text on the key's line
}

const maxFrontMatter = 8 << 10 // bytes; a handful of keys, and YAML parsers are slow with what nests

var ours = []string{"plan", "branch", "base"}

// Value returns the value of plan, branch or base, or "".
func (f *FrontMatter) Value(key string) string {
	for _, k := range f.Keys {
		if k.Name == key {
			return k.value
		}
	}
	return ""
}

// ReadFront reads the front matter of a text. Beside a problem it returns what it read so
// far.
func ReadFront(src []byte) (*FrontMatter, *Problem) {
	f := &FrontMatter{}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		f.Begin = len("\ufeff")
	}
	f.Body = f.Begin
	first, rest, _ := bytes.Cut(src[f.Begin:], []byte("\n"))
	if !IsFence(first) {
		return f, nil
	}
	f.Inner.From = len(src) - len(rest)
	for at := f.Inner.From; at < len(src); {
		line, _, _ := bytes.Cut(src[at:], []byte("\n"))
		next := min(at+len(line)+1, len(src))
		if IsFence(line) {
			f.Inner.To, f.Body = at, next
			return f, f.readKeys(src)
		}
		at = next
	}
	return f, &Problem{1, "front-matter", "the front matter is not closed: write a line `---` after it, or remove the first line"}
}

// IsFence reports whether a line is one of those around front matter.
func IsFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r")) == 0
}

// blankLine is a line that shows nothing. With a tab in it the YAML parser takes
// it if it is alone, but not after a key.
var blankLine = pattern.Of(`(?m)^[ \t]+$`)

// readKeys reads the outermost mapping without resolving anchors, which can
// make a small text huge.
func (f *FrontMatter) readKeys(src []byte) *Problem {
	const first = 2 // the line of the first key
	inner := src[f.Inner.From:f.Inner.To]
	if len(inner) > maxFrontMatter {
		return &Problem{first, "front-matter", fmt.Sprintf("the front matter is longer than %d KiB: move text below the second `---`", maxFrontMatter>>10)}
	}
	text := blankLine.ReplaceAllString(ToLF(string(inner)), "")
	pairs, problem := yamlPairs(text)
	if problem != nil {
		return problem
	}
	lines := bytes.SplitAfter(inner, []byte("\n"))
	starts := make([]int, len(lines)+1)
	starts[0] = f.Inner.From
	for i, l := range lines {
		starts[i+1] = starts[i] + len(l)
	}
	seen := map[string]bool{}
	for i, pair := range pairs {
		token := pair.Key.GetToken()
		at, to := token.Position.Line-1, len(lines)
		if i+1 < len(pairs) {
			to = pairs[i+1].Key.GetToken().Position.Line - 1
		}
		inOrder := 0 <= at && at < to && to <= len(lines)
		if !isWordKey(pair.Key) || token.Position.Column != 1 || !inOrder || i == 0 && !onlyComments(lines[:at]) {
			return &Problem{first + max(0, min(at, len(lines)-1)), "front-matter", "front matter is one `key: value` a line, each at the start of its line"}
		}
		if seen[token.Value] {
			return &Problem{at + first, "front-matter", fmt.Sprintf("`%s` is in the front matter twice: keep one", Shown(token.Value))}
		}
		seen[token.Value] = true
		k := FrontKey{Name: token.Value, Lines: Span{starts[at], starts[to]}}
		k.value, k.simple = simpleValue(pair, lines[at:to])
		if k.simple {
			k.Lines.To = starts[at+1]
		} else if slices.Contains(ours, k.Name) {
			return &Problem{at + first, "front-matter", fmt.Sprintf("`%s` takes one word on its line: write `%s: value`, quoted if it has characters other than letters, digits and /._-", k.Name, k.Name)}
		}
		f.Keys = append(f.Keys, k)
	}
	return nil
}

func yamlPairs(text string) ([]*ast.MappingValueNode, *Problem) {
	malformed := &Problem{2, "front-matter", "the front matter is malformed: between the lines `---` write one `key: value` a line"}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		var at interface{ GetToken() *token.Token }
		if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
			malformed.Line = at.GetToken().Position.Line + 1
		}
		return nil, malformed
	}
	if len(file.Docs) > 1 {
		return nil, malformed
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, nil
	}
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		if !body.IsFlowStyle {
			return body.Values, nil
		}
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{body}, nil
	case *ast.CommentGroupNode:
		return nil, nil
	}
	return nil, malformed
}

// simpleValue returns the value of a key that is all on the key's line, so that the line can
// be changed or left out without touching others.
func simpleValue(pair *ast.MappingValueNode, lines [][]byte) (string, bool) {
	if !onlyComments(lines[1:]) {
		return "", false
	}
	if name := pair.Key.GetToken().Value; !slices.Contains(ours, name) || !bytes.HasPrefix(lines[0], []byte(name)) {
		return "", false
	}
	switch value := pair.Value.(type) {
	case *ast.StringNode:
		return value.Value, true
	case *ast.NullNode:
		return "", true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return value.GetToken().Value, true
	}
	return "", false
}

// isWordKey reports that a key is no construct (a tag, an anchor, "? key") that
// ties it to the lines around it.
func isWordKey(key ast.MapKeyNode) bool {
	switch key.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.MergeKeyNode:
		return true
	}
	return false
}

func onlyComments(lines [][]byte) bool {
	for _, line := range lines {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// SetFront sets plan, branch or base in the front matter, or removes it if value is "". It
// makes front matter if there is none.
func SetFront(src []byte, key, value string) ([]byte, error) {
	if !slices.Contains(ours, key) {
		return nil, fmt.Errorf("front matter: %q is not one of %s", key, strings.Join(ours, ", "))
	}
	if !utf8.ValidString(value) || strings.ContainsAny(value, "\x00\n\r") {
		return nil, fmt.Errorf("front matter: %s cannot be %q", key, value)
	}
	f, problem := ReadFront(src)
	if problem != nil {
		return nil, &ParseError{[]Problem{*problem}}
	}
	for i, k := range f.Keys {
		if k.Name != key {
			continue
		}
		if k.value == value {
			return src, nil
		}
		line := ""
		if value != "" {
			line = key + ": " + quoteYAML(value) + LineEnd(src)
		}
		return Splice(src, Edit{f.Keys[i].Lines, line}), nil
	}
	if value == "" {
		return src, nil
	}
	line := key + ": " + quoteYAML(value) + LineEnd(src)
	if f.Body == f.Begin {
		fence := "---" + LineEnd(src)
		return Splice(src, Edit{Span{f.Begin, f.Begin}, fence + line + fence + LineEnd(src)}), nil
	}
	at := f.Inner.From
	for _, k := range f.Keys {
		if slices.Index(ours, k.Name) >= 0 && slices.Index(ours, k.Name) < slices.Index(ours, key) {
			at = max(at, k.Lines.To)
		}
	}
	return Splice(src, Edit{Span{at, at}, line}), nil
}

// quoteYAML writes a value so that every YAML reader reads this text.
func quoteYAML(value string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`).MatchString(value) {
		switch strings.ToLower(value) {
		case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		default:
			return value
		}
	}
	return strconv.Quote(value) // its escapes are YAML's too
}

// FirstKey returns the offset of the first key, or of the closing line.
func (f *FrontMatter) FirstKey() int {
	if len(f.Keys) > 0 {
		return f.Keys[0].Lines.From
	}
	return f.Inner.To
}
