package gitplan

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxNesting bounds the blocks that stand inside each other; a list level is
// two of them. What is deeper is text. CommonMark has no bound, and a line's
// cost grows with the depth it stands in.
const maxNesting = 40

// document is a source while it is read: its Markdown blocks, and the way from
// an offset to a line.
type document struct {
	src  string
	md   string // what the Markdown parser sees; its offsets are those of src
	root ast.Node

	lines []int // where each line begins, the first one behind a BOM

	problems []Problem
	warnings []Problem
	careless []Problem // warnings of what hides tasks: ruleUnread and ruleSwallowed
}

func newDocument(src []byte) *document {
	d := &document{src: string(src), lines: make([]int, 1, 64+len(src)/40)}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		d.lines[0] = len("\ufeff")
	}
	for i, c := range src {
		if c == '\n' && i+1 < len(src) {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// readBlocks parses what begins at offset body. The Markdown parser is built
// here and not once for all: building it costs microseconds, and most commands
// of a start-up need none.
func (d *document) readBlocks(body int) {
	md := []byte(d.src)
	for i, c := range md {
		if c != '\n' {
			if i < body {
				md[i] = ' '
			}
			continue
		}
		for j := i - 1; j >= 0 && md[j] == '\r'; j-- {
			md[j] = ' ' // so that a line's end never decides what a line is
		}
	}
	if body > 0 {
		md[body-1] = '\n' // what is blanked indents nothing, not even a BOM
	}
	d.md = string(md)
	d.root = parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(util.Prioritized(blocksOnly{}, 100)),
	).Parse(text.NewReader(md))
}

// shallow opens no container below maxNesting. It also leaves out what the list
// parser does when a list ends: it would copy the paragraphs of tight lists.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

func (s shallow) Close(ast.Node, text.Reader, parser.Context) {}

// blocksOnly is an inline parser that passes over the whole text of a block: a
// plan is made of blocks, and the code spans that matter are found where they
// matter (see items.go).
type blocksOnly struct{}

func (blocksOnly) Trigger() []byte { return []byte(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") }

func (blocksOnly) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	last := parent.Lines().Len() - 1
	segment := parent.Lines().At(last)
	block.SetPosition(last, segment.WithStart(segment.Stop))
	block.AdvanceLine()
	return ast.NewString(nil)
}

// line is the number, from 1, of the line in which an offset stands.
func (d *document) line(offset int) int {
	return max(sort.SearchInts(d.lines, offset+1), 1)
}

func (d *document) lineStart(offset int) int { return d.lines[d.line(offset)-1] }

// nextLine is where the line after an offset's line begins.
func (d *document) nextLine(offset int) int {
	if n := d.line(offset); n < len(d.lines) {
		return d.lines[n]
	}
	return len(d.src)
}

// paragraph is the text of a paragraph or heading in one line, as a line break
// in Markdown is a blank.
func (d *document) paragraph(n ast.Node) string {
	lines := n.Lines()
	if lines.Len() == 1 {
		return d.segment(lines.At(0))
	}
	var b strings.Builder
	for i := range lines.Len() {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(d.segment(lines.At(i)))
	}
	return b.String()
}

func (d *document) segment(s text.Segment) string {
	return strings.Trim(d.md[s.Start:s.Stop], " \t\r\n")
}

// start is an offset in the first line of a block. A block without text of its
// own begins where its first child with text does.
func start(n ast.Node) int {
	for c := n; c != nil; c = c.FirstChild() {
		switch c.(type) {
		case *ast.Paragraph, *ast.Heading:
			if c.Lines().Len() > 0 {
				return c.Lines().At(0).Start
			}
		}
		if c.FirstChild() == nil || c.FirstChild().Type() != ast.TypeBlock {
			break
		}
	}
	return n.Pos()
}

// end is where the line of the block after n begins, or limit if none comes.
func (d *document) end(n ast.Node, limit int) int {
	for ; n != nil && n.Parent() != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil {
			at := start(next)
			switch next.(type) { // a marker may stand alone above its text
			case *ast.List:
				at = min(at, next.FirstChild().Pos())
			case *ast.ListItem:
				at = min(at, next.Pos())
			}
			return min(d.lineStart(min(at, len(d.src))), limit)
		}
	}
	return limit
}

// between is the source from one offset to another without blank lines around it.
func (d *document) between(from, to int) string {
	if from >= to {
		return ""
	}
	b := strings.TrimRight(d.src[from:to], " \t\r\n")
	for {
		line, rest, more := strings.Cut(b, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return b
		}
		b = rest
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
