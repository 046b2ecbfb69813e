package plan

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Verbatim returns the text of a block that is not read as items.
func (d *Document) Verbatim(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		for i := range n.Lines().Len() {
			segment := n.Lines().At(i)
			b.WriteString(strings.Repeat(" ", segment.Padding) + ToLF(d.Src[segment.Start:segment.Stop]))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// CommandOf returns the command of an item: a code span that begins it and is followed by nothing but "passes"
// or a full stop, comma or exclamation mark. Any other word makes the item prose, which is never run.
func CommandOf(item string) (string, bool) {
	spans := codeSpans{text: item}
	width, stop, ok := spans.at(0)
	if !ok {
		return "", false
	}
	rest := strings.TrimSpace(strings.TrimRight(item[stop:], ".,! \t"))
	if rest != "" && !strings.EqualFold(rest, "passes") {
		return "", false
	}
	command := codeText(item[width : stop-width])
	return command, command != ""
}

// codeText returns the content of a code span, without one blank at each end if both have one.
func codeText(inner string) string {
	if strings.TrimSpace(inner) == "" {
		return ""
	}
	if len(inner) > 2 && inner[0] == ' ' && inner[len(inner)-1] == ' ' {
		return inner[1 : len(inner)-1]
	}
	return inner
}

// codeSpans finds code spans: the next run of as many backticks closes one.
type codeSpans struct {
	text string
	last map[int]int // length of a run -> where its last one begins; made when a search failed
}

// at reports whether a code span opens at offset i, how many backticks are there, and where it ends.
func (c *codeSpans) at(i int) (width, stop int, ok bool) {
	width = backticks(c.text, i)
	if width == 0 {
		return 0, i, false
	}
	if c.last != nil && c.last[width] <= i {
		return width, i, false
	}
	for j := i + width; j < len(c.text); {
		next := strings.IndexByte(c.text[j:], '`')
		if next < 0 {
			break
		}
		j += next
		n := backticks(c.text, j)
		if n == width {
			return width, j + n, true
		}
		j += n
	}
	c.rememberLast()
	return width, i, false
}

// rememberLast keeps the search linear in texts with many unclosed runs.
func (c *codeSpans) rememberLast() {
	if c.last != nil {
		return
	}
	c.last = map[int]int{}
	for j := 0; j < len(c.text); {
		n := backticks(c.text, j)
		if n > 0 {
			c.last[n] = j
		}
		j += max(n, 1)
	}
}

func backticks(s string, i int) int {
	j := i
	for j < len(s) && s[j] == '`' {
		j++
	}
	return j - i
}

// SplitOutsideCode splits a text at separators, but not in a code span or after a backslash.
func SplitOutsideCode(text, separators string) []string {
	if !strings.ContainsAny(text, separators) {
		return []string{text}
	}
	var out []string
	spans := codeSpans{text: text}
	from := 0
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\\':
			i += 2
		case text[i] == '`':
			width, stop, ok := spans.at(i)
			if !ok {
				stop = i + width
			}
			i = stop
		case strings.IndexByte(separators, text[i]) >= 0:
			out = append(out, text[from:i])
			i++
			from = i
		default:
			i++
		}
	}
	return append(out, text[from:])
}

// CodeContents returns the contents of all code spans of a text.
func CodeContents(text string) []string {
	var out []string
	spans := codeSpans{text: text}
	for i := 0; i < len(text); {
		switch text[i] {
		case '\\':
			i += 2
		case '`':
			width, stop, ok := spans.at(i)
			if !ok {
				i += width
				continue
			}
			if code := codeText(text[i+width : stop-width]); code != "" {
				out = append(out, code)
			}
			i = stop
		default:
			i++
		}
	}
	return out
}

// BoxLine is the first line of a boxed item: from its box on, and after it.
type BoxLine struct{ Line, Text string }

// Boxed returns the offset and the line of the box that begins an item's first block, a paragraph.
func (d *Document) Boxed(item ast.Node) (offset int, line BoxLine, ok bool) {
	paragraph, isParagraph := item.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return 0, line, false
	}
	segment := paragraph.Lines().At(0)
	text := d.Text[segment.Start:segment.Stop]
	offset = segment.Stop - len(strings.TrimLeft(text, " \t"))
	line.Line = strings.TrimRight(d.Text[offset:segment.Stop], " \t\r\n")
	_, line.Text, ok = CutBox(line.Line)
	return offset, line, ok
}

// CutBox splits a text into its box and the text after it.
func CutBox(text string) (ticked bool, rest string, ok bool) {
	if len(text) < 3 || !strings.HasPrefix(text, "[") || text[2] != ']' || !strings.ContainsRune(" xX", rune(text[1])) {
		return false, text, false
	}
	if len(text) > 3 && text[3] != ' ' && text[3] != '\t' {
		return false, text, false
	}
	return text[1] != ' ', strings.TrimSpace(text[3:]), true
}

// CutID splits off the id at a line's end; `${#array}`, a length in shell scripts, is none.
func CutID(line string) (title, id string, ok bool) {
	at := strings.LastIndex(line, "{#")
	if at < 0 || !strings.HasSuffix(line, "}") || at > 0 && line[at-1] == '$' {
		return line, "", false
	}
	id = line[at+2 : len(line)-1]
	if strings.ContainsAny(id, "{}`") {
		return line, "", false
	}
	return strings.TrimSpace(line[:at]), id, true
}
