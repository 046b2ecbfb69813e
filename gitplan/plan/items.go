package plan

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
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

// CommandOf returns the command of an item: a code span at its beginning, followed by nothing but "passes" or a full
// stop, comma or exclamation mark. Any other word makes the item prose, which is never run: the command is "".
func CommandOf(item string) string {
	spans := codeSpans(item)
	if len(spans) == 0 || spans[0].From > 0 {
		return ""
	}
	rest := strings.TrimSpace(strings.TrimRight(item[spans[0].To:], ".,! \t"))
	command := codeText(item[:spans[0].To])
	switch {
	case command != "" && limited().MatchString(rest) && !strings.HasSuffix(command, `\`):
		return command + " # " + rest
	case rest != "" && !strings.EqualFold(rest, "passes"):
		return ""
	}
	return command
}

// codeText returns the content of a code span, without one blank at each end if both have one.
func codeText(span string) string {
	width := backticks(span, 0)
	inner := span[width : len(span)-width]
	if strings.TrimSpace(inner) == "" {
		return ""
	}
	if len(inner) > 2 && inner[0] == ' ' && inner[len(inner)-1] == ' ' {
		return inner[1 : len(inner)-1]
	}
	return inner
}

// CodeSpan returns a text as a code span in one line.
func CodeSpan(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	marks := "`"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	if len(marks) > 1 || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		return fmt.Sprintf("%s %s %s", marks, text, marks)
	}
	return marks + text + marks
}

// codeSpans returns the code spans of a text, in order: the next run of as many backticks closes one.
func codeSpans(text string) (out []Span) {
	if strings.IndexByte(text, '`') < 0 {
		return nil
	}
	runs := map[int][]int{} // length of a run of backquotes -> offsets of such runs ahead
	for i := 0; i < len(text); {
		n := backticks(text, i)
		if n > 0 {
			runs[n] = append(runs[n], i)
		}
		i += max(n, 1)
	}
	for i := 0; i < len(text); {
		n := backticks(text, i)
		switch {
		case text[i] == '\\':
			i += 2
			continue
		case n == 0:
			i++
			continue
		}
		for i += n; len(runs[n]) > 0 && runs[n][0] < i; {
			runs[n] = runs[n][1:]
		}
		if len(runs[n]) > 0 {
			out = append(out, Span{i - n, runs[n][0] + n})
			i = runs[n][0] + n
		}
	}
	return out
}

func backticks(s string, i int) int { return len(s) - i - len(strings.TrimLeft(s[i:], "`")) }

// SplitOutsideCode splits a text at separators, but not in a code span or after a backslash.
func SplitOutsideCode(text, separators string) []string {
	var out []string
	spans, from := codeSpans(text), 0
	for i := 0; i < len(text); i++ {
		switch {
		case len(spans) > 0 && spans[0].From == i:
			i, spans = spans[0].To-1, spans[1:]
		case text[i] == '\\':
			i++
		case strings.IndexByte(separators, text[i]) >= 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

// CodeContents returns the contents of all code spans of a text.
func CodeContents(text string) (out []string) {
	for _, span := range codeSpans(text) {
		if code := codeText(text[span.From:span.To]); code != "" {
			out = append(out, code)
		}
	}
	return out
}

// Boxed returns the place of the line with the box that begins an item's first block, a paragraph, from the box to the
// last byte that is not blank, and the text after the box.
func (d *Document) Boxed(item ast.Node) (line Span, text string, ok bool) {
	paragraph, isParagraph := item.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return line, "", false
	}
	segment := paragraph.Lines().At(0)
	line.From = segment.Stop - len(strings.TrimLeft(d.Text[segment.Start:segment.Stop], " \t"))
	written := strings.TrimRight(d.Text[line.From:segment.Stop], " \t\r\n")
	line.To = line.From + len(written)
	_, text, ok = CutBox(written)
	return line, text, ok
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

// CutID splits off the id at a line's end; `${#array}`, a length in shell scripts, is not an id.
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

// emphasised match a text between marks that touch it; in a name such as snake_case a "_" is not a mark.
var (
	emphasised = []visible.Pattern{
		visible.NewPattern(`(\*{1,3})[^\s*](?:[^*]*[^\s*])?(\*{1,3})`),
		visible.NewPattern(`\b(_{1,3})[^\s_](?:[^_]*[^\s_])?(_{1,3})\b`),
	}
	escapedMark = visible.NewPattern(`\\[\\*_]`)
)

// PlainText returns a text without emphasis, except for emphasis of the same kind inside another. Code spans stay.
func PlainText(text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "*_") {
		return text
	}
	prose := []byte(escapedMark().ReplaceAllString(text, "xx"))
	for _, span := range codeSpans(text) {
		copy(prose[span.From:], strings.Repeat("x", span.To-span.From))
	}
	var marks []Edit
	for _, p := range emphasised {
		for _, m := range p().FindAllSubmatchIndex(prose, -1) {
			if m[3]-m[2] == m[5]-m[4] {
				marks = append(marks, Span{m[2], m[3]}.With(""), Span{m[4], m[5]}.With(""))
			}
		}
	}
	return strings.TrimSpace(string(Splice([]byte(text), marks...)))
}
