package share

import (
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// CompareWords returns the changed lines of a plan, each below its step or heading, as git diff --word-diff shows
// them: [-old-]{+new+}. A rewritten line is shown whole, and so is a step or section that is new or gone, and a step that
// moved: each is compared with the one of its name, so that another one beside it changes nothing in it.
func CompareWords(before, after []byte) string {
	var c comparison
	old, err := Outlined(before)
	now, failed := Outlined(after)
	if err == nil && failed == nil {
		c.pieces(old.Pieces, now.Pieces)
	}
	if c.out.Len() == 0 { // one text is no plan, or only the text between parts differs
		c.lines(string(before), string(after))
	}
	return c.out.String()
}

// comparison collects the changed lines.
type comparison struct {
	out         strings.Builder
	head        string   // the last heading or step that did not change, until it is written
	gone, added []string // the lines of the current hunk
}

// pieces compares the parts of two plans.
func (c *comparison) pieces(old, now []Piece) {
	names := func(pieces []Piece) (out []string) {
		for _, p := range pieces {
			out = append(out, p.Name+"\n")
		}
		return out
	}
	moved := func(p Piece, among []Piece) int { // a section means the same elsewhere
		return slices.IndexFunc(among, func(o Piece) bool { return p.Step == nil && o.Name == p.Name })
	}
	all, then := old, now
	for _, part := range diff(names(old), names(now), false) {
		for range strings.Count(part.Text, "\n") {
			switch part.Type {
			case diffmatchpatch.DiffDelete:
				if moved(old[0], then) < 0 {
					c.write(marked(old[0].Raw+"\n", "[-", "-]"))
				}
				old = old[1:]
			case diffmatchpatch.DiffInsert:
				if at := moved(now[0], all); at >= 0 {
					c.lines(all[at].Raw+"\n", now[0].Raw+"\n")
				} else {
					c.write(marked(now[0].Raw+"\n", "{+", "+}"))
				}
				now = now[1:]
			default:
				c.lines(old[0].Raw+"\n", now[0].Raw+"\n")
				old, now = old[1:], now[1:]
			}
		}
	}
}

// lines compares two texts line by line.
func (c *comparison) lines(before, after string) {
	for _, part := range diff(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n"), false) {
		lines := strings.SplitAfter(part.Text, "\n")
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			c.gone = lines
		case diffmatchpatch.DiffInsert:
			c.added = lines
		default:
			c.hunk()
			for _, line := range lines {
				if headLine().MatchString(line) {
					c.head = line
				}
			}
		}
	}
	c.hunk()
}

// headLine matches a heading or the first line of a step.
var headLine = visible.NewPattern(`^(?:#{1,6} |[-*+] \[)`)

// hunk writes lines that replaced others: word by word where a line still resembles the one in its place.
func (c *comparison) hunk() {
	var was, is strings.Builder
	flush := func() {
		c.write(marked(was.String(), "[-", "-]") + marked(is.String(), "{+", "+}"))
		was.Reset()
		is.Reset()
	}
	longest := max(len(c.gone), len(c.added))
	added := append(c.added, make([]string, longest-len(c.added))...)
	for i, a := range append(c.gone, make([]string, longest-len(c.gone))...) {
		b := added[i]
		if line, same := compareLine(a, b); a != "" && b != "" && (2*same >= min(len(a), len(b)) || longest <= 2) {
			flush()
			c.write(line)
			continue
		}
		was.WriteString(a)
		is.WriteString(b)
	}
	flush()
	c.gone, c.added = nil, nil
}

// write writes changed lines, below the heading or step that they belong to.
func (c *comparison) write(text string) {
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if !headLine().MatchString(strings.TrimPrefix(strings.TrimPrefix(line, "[-"), "{+")) {
			c.out.WriteString(c.head)
		}
		c.head = ""
		c.out.WriteString(line)
	}
}

// compareLine marks the words that differ between two versions of a line; same is how many bytes do not.
func compareLine(was, is string) (_ string, same int) {
	var text strings.Builder
	for _, part := range diff(wordPattern().FindAllString(was, -1), wordPattern().FindAllString(is, -1), true) {
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			text.WriteString(marked(part.Text, "[-", "-]"))
		case diffmatchpatch.DiffInsert:
			text.WriteString(marked(part.Text, "{+", "+}"))
		default:
			same += len(part.Text)
			text.WriteString(part.Text)
		}
	}
	return text.String(), same
}

var wordPattern = visible.NewPattern(`\n|[ \t\r]+|[\pL\pN_]+|[^\s\pL\pN_]`)

// diff compares two lists; of words, it joins what only happens to be the same.
func diff(before, after []string, words bool) []diffmatchpatch.Diff {
	const newline = "\x00" // the library sees each word as a line; no plan contains a NUL
	encode := func(parts []string) string {
		return strings.ReplaceAll(strings.ReplaceAll(strings.Join(parts, "\x01"), "\n", newline), "\x01", "\n") + "\n"
	}
	d := diffmatchpatch.New()
	a, b, parts := d.DiffLinesToRunes(encode(before), encode(after))
	found := d.DiffMainRunes(a, b, false)
	if words {
		found = d.DiffCleanupSemantic(found)
	}
	out := d.DiffCharsToLines(found, parts)
	for i := range out {
		out[i].Text = strings.ReplaceAll(strings.ReplaceAll(out[i].Text, "\n", ""), newline, "\n")
	}
	return out
}

// marked puts each line of a changed text between two marks.
func marked(text, open, end string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if body := strings.TrimSuffix(line, "\n"); body != "" {
			lines[i] = open + body + end + line[len(body):]
		}
	}
	return strings.Join(lines, "")
}
