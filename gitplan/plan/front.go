package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// FrontMatter is the YAML between two lines "---" at the start of a plan. Only plan, branch and base are read.
type FrontMatter struct {
	Begin int        // the offset of the first "---", after a BOM
	Inner Span       // the lines between the two "---"
	Body  int        // the offset of the text below; Begin without front matter
	Keys  []FrontKey // the keys of the outermost mapping
}

// FrontKey is a key of the outermost mapping.
type FrontKey struct {
	Name, value string
	Lines       Span // the lines of the key and its value
	line        int  // the key's line in the text, from 1
}

const maxFrontMatter = 64 << 10 // bytes; other tools keep lists of todos in it

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

// ReadFront reads the front matter of a text. After a problem it returns the keys so far.
func ReadFront(src []byte) (*FrontMatter, *Weakness) {
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
	return f, wrongFront(1, "the front matter is not closed: write a line `---` after it, or remove the first line")
}

func wrongFront(line int, format string, args ...any) *Weakness {
	return new(Wrong(line, "front-matter", fmt.Sprintf(format, args...)))
}

// IsFence reports whether a line is one of those around front matter.
func IsFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t\r")) == 0
}

var frontLine = visible.NewPattern(`^([\pL\pN_"'][^\t]*?):(?:[ \t]+(.*))?$`)

// readKeys reads the keys of the outermost mapping, whose lines begin at the left.
func (f *FrontMatter) readKeys(src []byte) *Weakness {
	if f.Inner.To-f.Inner.From > maxFrontMatter {
		return wrongFront(2, "the front matter is longer than %d KiB: move text below the second `---`", maxFrontMatter>>10)
	}
	seen := map[string]bool{}
	var last FrontKey
	oneWord := func(k FrontKey) *Weakness {
		return wrongFront(k.line, "`%s` takes one word on its line: write `%s: value`, quoted if it has characters other than letters, digits and /._-", k.Name, k.Name)
	}
	n, at := 1, f.Inner.From
	for raw := range bytes.Lines(src[f.Inner.From:f.Inner.To]) {
		n, at = n+1, at+len(raw)
		text := strings.TrimRight(string(raw), " \t\r\n")
		m := frontLine().FindStringSubmatch(text)
		switch {
		case text == "" || strings.HasPrefix(strings.TrimSpace(text), "#"):
		case last.Name != "" && strings.IndexByte(" \t-", text[0]) >= 0:
			if slices.Contains(ours, last.Name) {
				return oneWord(last)
			}
		case m == nil:
			return wrongFront(n, "front matter is one `key: value` a line, each at the start of its line")
		case seen[m[1]]:
			return wrongFront(n, "`%s` is in the front matter twice: keep one", Shown(m[1]))
		default:
			seen[m[1]] = true
			last = FrontKey{Name: m[1], Lines: Span{at - len(raw), at}, line: n}
			if slices.Contains(ours, last.Name) {
				var ok bool
				if last.value, ok = simpleValue(m[2]); !ok {
					return oneWord(last)
				}
			}
			f.Keys = append(f.Keys, last)
		}
	}
	return nil
}

// simpleValue returns the value of a key that is one word, or text in quotes, on the key's line.
func simpleValue(text string) (value string, ok bool) {
	rest := ""
	if quoted, err := strconv.QuotedPrefix(text); err == nil && text[0] == '"' {
		value, err = strconv.Unquote(quoted)
		rest, ok = text[len(quoted):], err == nil
	} else if strings.HasPrefix(text, "'") {
		value, rest, ok = strings.Cut(text[1:], "'")
	} else {
		value, _, _ = strings.Cut(" "+text, " #")
		value = strings.TrimSpace(value)
		ok = value == "" || strings.IndexByte("\"[]{}&*!|>%@`?-,#", value[0]) < 0 && !strings.Contains(value, ": ")
	}
	rest = strings.TrimSpace(rest)
	return value, ok && (rest == "" || rest[0] == '#')
}

// SetFront sets plan, branch or base in the front matter, which it creates if necessary, or removes the key for "".
func SetFront(src []byte, key, value string) ([]byte, error) {
	if !utf8.ValidString(value) || strings.ContainsAny(value, "\x00\n\r") {
		return nil, fmt.Errorf("front matter: %s cannot be %q", key, value)
	}
	f, problem := ReadFront(src)
	if problem != nil {
		return nil, &ParseError{[]Weakness{*problem}}
	}
	if f.Value(key) == value {
		return src, nil
	}
	line := ""
	if plainValue().MatchString(value) {
		line = key + ": " + value + LineEnd(src)
	} else if value != "" {
		line = key + ": " + strconv.Quote(value) + LineEnd(src) // its escapes are YAML's too
	}
	if f.Body == f.Begin {
		fence := "---" + LineEnd(src)
		return Splice(src, Span{f.Begin, f.Begin}.With(fence+line+fence+LineEnd(src))), nil
	}
	at := Span{f.Inner.From, f.Inner.From}
	for _, k := range f.Keys {
		if k.Name == key {
			at = k.Lines
			break
		}
		if i := slices.Index(ours, k.Name); i >= 0 && i < slices.Index(ours, key) {
			at = Span{k.Lines.To, k.Lines.To}
		}
	}
	return Splice(src, at.With(line)), nil
}

// plainValue matches a value that YAML needs no quotes for.
var plainValue = visible.NewPattern(`^[A-Za-z][A-Za-z0-9_./-]*$`)
