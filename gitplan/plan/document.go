package plan

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// maxNesting is the maximum depth of nested blocks, two for each list level, since a line's cost grows with its depth.
const maxNesting = 20

const listPriority, quotePriority = 300, 800 // the priorities of goldmark's own parsers

// Document is a source with its Markdown blocks, and the way from an offset to a line.
type Document struct {
	Src  string
	Text string // the text for the Markdown parser, with the same offsets as Src
	Root ast.Node

	Lines []int // the offset of each line, the first one after a BOM

	Problems   []Weakness
	Warnings   []Weakness
	Suspicious []Weakness // warnings about text that hides tasks: RuleUnread and RuleSwallowed
}

// NewDocument returns a source with its lines, and no blocks yet.
func NewDocument(src []byte) *Document {
	d := &Document{Src: string(src), Lines: make([]int, 1, 64+len(src)/40)}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		d.Lines[0] = len("\ufeff")
	}
	for i, c := range src {
		if c == '\n' && i+1 < len(src) {
			d.Lines = append(d.Lines, i+1)
		}
	}
	return d
}

// ReadBlocks parses the source from an offset on, and returns the document.
func (d *Document) ReadBlocks(body int) *Document {
	md := []byte(d.Src)
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
		md[body-1] = '\n' // blanked text indents nothing, not even a BOM
	}
	d.Text = string(md)
	blocks := parser.DefaultBlockParsers()
	for i, p := range blocks {
		if p.Priority == listPriority || p.Priority == quotePriority {
			blocks[i].Value = shallow{p.Value.(parser.BlockParser)}
		}
	}
	d.Root = parser.NewParser(parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(util.Prioritized(blocksOnly{ast.NewString(nil)}, 100))).Parse(text.NewReader(md))
	return d
}

// shallow opens no container below maxNesting, and skips that the list parser copies paragraphs of tight lists.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

func (s shallow) Close(ast.Node, text.Reader, parser.Context) {}

// blocksOnly is an inline parser that skips the whole text of a block: items.go finds code spans. What it found in the
// last block moves on to the next.
type blocksOnly struct{ found ast.Node }

func (blocksOnly) Trigger() []byte { return []byte(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") }

func (b blocksOnly) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	last := parent.Lines().Len() - 1
	segment := parent.Lines().At(last)
	block.SetPosition(last, segment.WithStart(segment.Stop))
	block.AdvanceLine()
	return b.found
}

// Line returns the number, from 1, of the line with an offset.
func (d *Document) Line(offset int) int { return max(sort.SearchInts(d.Lines, offset+1), 1) }

// LineStart returns the offset at which the line with an offset begins.
func (d *Document) LineStart(offset int) int { return d.Lines[d.Line(offset)-1] }

// NextLine returns the offset at which the line after the one with an offset begins.
func (d *Document) NextLine(offset int) int {
	if n := d.Line(offset); n < len(d.Lines) {
		return d.Lines[n]
	}
	return len(d.Src)
}

// Paragraph returns the text of a paragraph or heading in one line.
func (d *Document) Paragraph(n ast.Node) string {
	var lines []string
	for i := range n.Lines().Len() {
		lines = append(lines, d.Segment(n.Lines().At(i)))
	}
	return strings.Join(lines, " ")
}

// Segment returns a piece of the text without blanks around it.
func (d *Document) Segment(s text.Segment) string {
	return strings.Trim(d.Text[s.Start:s.Stop], " \t\r\n")
}

// BlockStart returns an offset in the first line of a block, or of its first child that has text.
func BlockStart(n ast.Node) int {
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

// End returns the offset of the line at which the block after n begins, or limit.
func (d *Document) End(n ast.Node, limit int) int {
	for ; n != nil && n.Parent() != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil {
			at := BlockStart(next)
			switch next.(type) { // a marker may stand alone above its text
			case *ast.List:
				at = min(at, next.FirstChild().Pos())
			case *ast.ListItem:
				at = min(at, next.Pos())
			}
			return min(d.LineStart(min(at, len(d.Src))), limit)
		}
	}
	return limit
}

// Between returns the source from one offset to another, without the blank lines around it.
func (d *Document) Between(from, to int) string {
	if from >= to {
		return ""
	}
	b := strings.TrimRight(d.Src[from:to], " \t\r\n")
	for {
		line, rest, more := strings.Cut(b, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return b
		}
		b = rest
	}
}

// Blank reports whether a text is empty or all blanks.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// Span is a part of the source, from an offset up to, not including, another.
type Span struct{ From, To int }

// Edit replaces a part of the source.
type Edit struct {
	Span
	Text string
}

// Splice applies edits that do not overlap; the rest stays byte for byte.
func Splice(src []byte, edits ...Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var out bytes.Buffer
	out.Grow(len(src) + 64)
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.From])
		out.WriteString(e.Text)
		at = e.To
	}
	out.Write(src[at:])
	return out.Bytes()
}

// LineEnd returns what ends the lines of a text, judged by the first.
func LineEnd(src []byte) string {
	if at := bytes.IndexByte(src, '\n'); at > 0 && src[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// ToLF ends lines with LF; any number of CRs before one belongs to it, as in files that were converted twice.
func ToLF(s string) string {
	if !strings.Contains(s, "\r\n") {
		return s
	}
	return lineEnds().ReplaceAllString(s, "\n")
}

var lineEnds = visible.NewPattern(`\r+\n`)

// Fenced returns for each line, from 1, whether it is code in a closed fence.
func (d *Document) Fenced() []bool {
	lines := make([]bool, len(d.Lines)+1)
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fence, ok := n.(*ast.FencedCodeBlock); ok && entering && d.MissingFence(fence) == "" {
			for i := range fence.Lines().Len() {
				lines[d.Line(fence.Lines().At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return lines
}

// With returns the edit that replaces a part of the source by a text.
func (s Span) With(text string) Edit { return Edit{s, text} }
