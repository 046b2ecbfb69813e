package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// BoxLine is the first line of a boxed item: from its box on, and after it.
type BoxLine struct{ Line, Text string }

// Boxed returns the offset and the first line of an item's box. As in GitHub's Markdown, the
// item's first block must be a paragraph that begins with it.
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

// CutID splits a first line into the title and the id at its end. `${#array}`, a length in
// shell scripts, is no id.
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
