package gitplan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// spans is where the parts of a step stand in the source, for whoever changes
// or leaves out one of them.
type spans struct {
	item    span  // the whole item; ends where the next block's line begins
	box     int   // the byte between the brackets
	boxes   []int // those of the nested checklist
	title   int   // end of the first line's text, without blanks behind it
	head    int   // the line after the item's first paragraph
	fields  []int // the first bytes of nested bullets
	status  span  // the line of the Status bullet; zero without one
	needs   int   // the line of the field Needs; 0 without one
	written bool  // the text has an id
}

// span is a part of the source, from an offset up to, not including, another.
type span struct{ from, to int }

// readSteps reads the boxed items of a list that stands in the section Steps.
func (d *document) readSteps(p *Plan, list *ast.List, limit int) {
	p.Steps = slices.Grow(p.Steps, list.ChildCount())
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first, rest, ok := d.boxed(item)
		if !ok {
			d.nearlyBoxed(item)
			d.warnBeside(item)
			continue
		}
		from := d.lineStart(item.Pos())
		s := Step{
			N:    len(p.Steps) + 1,
			Line: d.line(first),
			Box:  d.md[first+1] != ' ',
		}
		s.spans.item = span{from, d.end(item, limit)}
		s.spans.box = first + 1
		s.Text = d.between(from, s.spans.item.to)
		s.spans.title = first + len(rest.line)
		s.spans.head = d.nextLine(item.FirstChild().Lines().At(item.FirstChild().Lines().Len() - 1).Start)
		d.readTitle(&s, rest.text)
		d.readFields(&s, item)
		p.Steps = append(p.Steps, s)
	}
}

// boxLine is the first line of a boxed item: from its box on, and behind it.
type boxLine struct{ line, text string }

// boxed says where the box of a task-list item stands. As in GitHub's Markdown
// the item's first block is a paragraph that begins with it.
func (d *document) boxed(item ast.Node) (offset int, line boxLine, ok bool) {
	paragraph, isParagraph := item.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return 0, line, false
	}
	segment := paragraph.Lines().At(0)
	text := d.md[segment.Start:segment.Stop]
	offset = segment.Stop - len(strings.TrimLeft(text, " \t"))
	line.line = strings.TrimRight(d.md[offset:segment.Stop], " \t\r\n")
	_, line.text, ok = cutBox(line.line)
	return offset, line, ok
}

// cutBox parts a text into its box and what stands behind it.
func cutBox(text string) (ticked bool, rest string, ok bool) {
	if len(text) < 3 || !strings.HasPrefix(text, "[") || text[2] != ']' || !strings.ContainsRune(" xX", rune(text[1])) {
		return false, text, false
	}
	if len(text) > 3 && text[3] != ' ' && text[3] != '\t' {
		return false, text, false
	}
	return text[1] != ' ', strings.TrimSpace(text[3:]), true
}

// nearlyBoxed refuses what is meant as a box and is none: a step that is
// silently left out is worse than one more error.
func (d *document) nearlyBoxed(item ast.Node) {
	first := item.FirstChild()
	if first == nil || first.Lines() == nil || first.Lines().Len() == 0 {
		return
	}
	text := d.segment(first.Lines().At(0))
	line := d.line(first.Lines().At(0).Start)
	switch first.(type) {
	case *ast.Heading:
		if _, _, ok := cutBox(text); ok {
			d.problem(line, "step", "a heading cannot be a step: write `- [ ] what to do`, and no line of `-` or `=` under it")
		}
	case *ast.Paragraph:
		if why := nearBox(text); why != "" {
			d.problem(line, "step", why)
		}
	}
}

// warnBeside warns of what stands beside the steps as if it were one, or belonged to
// one: a field, and an item with an id, or with what looks like a box.
func (d *document) warnBeside(item ast.Node) {
	if f, ok := d.field(item); ok && f.name != "" {
		d.warn(f.line, "`%s` stands beside the steps and belongs to none: indent it below its step, by two blanks or more", shown(f.key))
		return
	}
	paragraph, ok := item.FirstChild().(*ast.Paragraph)
	if !ok {
		return
	}
	text := strings.TrimSpace(d.segment(paragraph.Lines().At(0)))
	_, _, named := cutID(text)
	if named || len(text) > 4 && strings.ContainsRune("[(", rune(text[0])) && strings.ContainsRune("])", rune(text[2])) && text[3] == ' ' {
		d.warn(d.line(paragraph.Lines().At(0).Start), "this is no step, for it has no box: write `- [ ] `, where it is meant as one")
	}
}

// readTitle parts the first line of a step into title and id.
func (d *document) readTitle(s *Step, text string) {
	title, id, ok := cutID(text)
	s.spans.written = ok
	s.Title = plainText(title)
	switch {
	case s.Title == "":
		d.problem(s.Line, "step", "a step without a title: write what to do behind its box")
	case ok && !validID(id):
		d.problem(s.Line, "id", fmt.Sprintf("`{#%s}` is no id: write lower-case letters, digits and hyphens, such as {#%s}", shown(id), likeID(id, s.Title)))
	case !ok && emphasisAfterID(text):
		d.problem(s.Line, "id", "the id stands inside the emphasis: write it last, as in **title** {#id}")
	}
	s.ID = id
}

// cutID parts a first line into the title and the id at its end. `${#array}`,
// a length in shell scripts, is none.
func cutID(line string) (title, id string, ok bool) {
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

func emphasisAfterID(line string) bool {
	inner := strings.TrimRight(line, "*_")
	_, id, ok := cutID(inner)
	return len(inner) < len(line) && ok && validID(id)
}

// likeID is an id like one that is none, with the words of the title where too
// little of it is left.
func likeID(id, title string) string {
	isLetter := func(r rune) bool { return asciiOf(unicode.ToLower(r)) != "" }
	if like := Slug(id, slugLength); validID(like) && strings.ContainsFunc(id, isLetter) {
		return like
	}
	return Slug(id+" "+title, slugLength)
}

func (d *document) checkIDs(steps []Step) {
	seen := map[string]int{}
	for _, s := range steps {
		if s.ID == "" {
			continue
		}
		if line := seen[s.ID]; line > 0 {
			d.problem(s.Line, "duplicate-id", fmt.Sprintf("id `%s` is taken by the step in line %d: give this one another", s.ID, line))
			continue
		}
		seen[s.ID] = s.Line
	}
}

// plainText is a text without emphasis. Code spans stay as they are written.
func plainText(text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "*_") {
		return text
	}
	drop := emphasisMarks(text)
	var b strings.Builder
	b.Grow(len(text))
	for i := range len(text) {
		if !drop[i] {
			b.WriteByte(text[i])
		}
	}
	return strings.TrimSpace(b.String())
}

// emphasisMarks finds the runs of * and _ that pair up around words: the plain
// cases of CommonMark's rules, which is what titles have.
func emphasisMarks(text string) []bool {
	drop := make([]bool, len(text))
	type run struct{ at, width int }
	var open []run
	spans := codeSpans{text: text}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			i += 2
		case '`':
			width, stop, ok := spans.at(i)
			if !ok {
				stop = i + width
			}
			i = stop
		case '*', '_':
			width := 1
			for i+width < len(text) && text[i+width] == c {
				width++
			}
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			after, _ := utf8.DecodeRuneInString(text[i+width:])
			opens := i+width < len(text) && !unicode.IsSpace(after) && (c == '*' || i == 0 || !isWord(before))
			closes := i > 0 && !unicode.IsSpace(before) && (c == '*' || i+width == len(text) || !isWord(after))
			last := len(open) - 1
			switch {
			case closes && last >= 0 && text[open[last].at] == c && open[last].width == width:
				for j := range width {
					drop[open[last].at+j], drop[i+j] = true, true
				}
				open = open[:last]
			case opens:
				open = append(open, run{i, width})
			}
			i += width
		default:
			i++
		}
	}
	return drop
}

// isSign says that a text is one character, and neither letter nor digit.
func isSign(s string) bool {
	r, width := utf8.DecodeRuneInString(s)
	return width == len(s) && !isWord(r)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// stepsHeading is the block behind the heading Steps of a written draft.
func (d *document) stepsHeading() ast.Node {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 && d.paragraph(h) == "Steps" {
			return n.NextSibling()
		}
	}
	return nil
}
