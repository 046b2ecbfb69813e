package share

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Compare returns the lines of a plan's text that changed: old ones with "-", new ones with "+".
func Compare(before, after []byte) string {
	d := diffmatchpatch.New()
	a, b, lines := d.DiffLinesToChars(string(before), string(after))
	var out strings.Builder
	for _, part := range d.DiffCharsToLines(d.DiffMain(a, b, false), lines) {
		sign := "-"
		switch part.Type {
		case diffmatchpatch.DiffEqual:
			continue
		case diffmatchpatch.DiffInsert:
			sign = "+"
		}
		for _, line := range strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n") {
			fmt.Fprintf(&out, "%s%s\n", sign, line)
		}
	}
	return out.String()
}

// CompareWords returns the lines of a plan's text that changed, each below its step or heading, word by
// word as git diff --word-diff does: [-what was-]{+what is+}. A line that was rewritten, added or removed is shown whole:
// shown word by word it would be unreadable.
func CompareWords(before, after []byte) string {
	t := tokens{number: map[string]rune{}}
	var text, was, is strings.Builder
	flush := func() {
		text.WriteString(t.compare(was.String(), is.String()))
		was.Reset()
		is.Reset()
	}
	lines := func(s []byte) []rune { return t.numbers(strings.SplitAfter(string(s), "\n")) }
	for _, part := range diffmatchpatch.New().DiffMainRunes(lines(before), lines(after), false) {
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			was.WriteString(t.text(part.Text))
		case diffmatchpatch.DiffInsert:
			is.WriteString(t.text(part.Text))
		default:
			flush()
			text.WriteString(strings.ReplaceAll(t.text(part.Text), changedMark, ""))
		}
	}
	flush()
	return onlyChanged(text.String())
}

// onlyChanged returns the lines of a comparison that changed, below the heading or the step that they
// belong to.
func onlyChanged(text string) string {
	var out strings.Builder
	above := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		changed := strings.Contains(line, changedMark)
		switch heads := headsLines.MatchString(line); {
		case changed:
			if heads {
				above = ""
			}
			out.WriteString(above + strings.ReplaceAll(line, changedMark, ""))
			above = ""
		case heads:
			above = line
		}
	}
	return out.String()
}

// headsLines matches a line that says what those below it are about: a heading of a plan, or a step,
// marked as changed or not.
var headsLines = visible.NewPattern(`^(?:\[-|\{\+)?(?:#{1,6} |[-*+] \[)`)

// compare marks lines that replaced others: word by word those that are still like the old one in
// their place, the others as a whole.
func (t *tokens) compare(was, is string) string {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	if len(a) <= 2 && len(b) <= 2 { // one line each, and nothing after it
		text, _ := t.compareLine(was, is)
		return text
	}
	var text, gone, added strings.Builder
	flush := func() {
		text.WriteString(marked(gone.String(), "[-", "-]") + marked(added.String(), "{+", "+}"))
		gone.Reset()
		added.Reset()
	}
	for i := range max(len(a), len(b)) {
		if i < min(len(a), len(b)) && a[i] != "" && b[i] != "" {
			if line, same := t.compareLine(a[i], b[i]); 2*same >= min(len(a[i]), len(b[i])) {
				flush()
				text.WriteString(line)
				continue
			}
		}
		gone.WriteString(strings.Join(a[min(i, len(a)):min(i+1, len(a))], ""))
		added.WriteString(strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
	}
	flush()
	return text.String()
}

// compareLine marks the words that differ between two versions of a line; same is how many bytes
// do not.
func (t *tokens) compareLine(was, is string) (_ string, same int) {
	d := diffmatchpatch.New()
	words := func(s string) []rune { return t.numbers(wordPattern.FindAllString(s, -1)) }
	var text strings.Builder
	for _, part := range d.DiffCleanupSemantic(d.DiffMainRunes(words(was), words(is), false)) {
		words := t.text(part.Text)
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			words = marked(words, "[-", "-]")
		case diffmatchpatch.DiffInsert:
			words = marked(words, "{+", "+}")
		default:
			same += len(words)
			words = strings.ReplaceAll(words, changedMark, "")
		}
		text.WriteString(words)
	}
	return text.String(), same
}

// changedMark marks a changed line while a comparison is put together. No plan
// holds a NUL.
const changedMark = "\x00"

// marked puts each line of a changed text between two marks.
func marked(text, open, end string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if body := strings.TrimSuffix(line, "\n"); body != "" {
			lines[i] = open + body + end + changedMark + line[len(body):]
		} else if line != "" {
			lines[i] = changedMark + line
		}
	}
	return strings.Join(lines, "")
}

// tokens numbers words and lines, so that they can be compared as letters.
type tokens struct {
	number map[string]rune
	words  []string
}

var wordPattern = visible.NewPattern(`\n|[ \t\r]+|[\pL\pN_]+|[^\s\pL\pN_]`)

// numbers returns a number for each part, the same for the same text.
func (t *tokens) numbers(parts []string) []rune {
	var out []rune
	for _, w := range parts {
		n, ok := t.number[w]
		if !ok {
			n = rune(len(t.words) + 1)
			if n >= 0xd800 { // runes skip the surrogates
				n += 0x800
			}
			t.number[w] = n
			t.words = append(t.words, w)
		}
		out = append(out, n)
	}
	return out
}

// text returns the parts that numbers stand for.
func (t *tokens) text(numbers string) string {
	var b strings.Builder
	for _, n := range numbers {
		if n >= 0xe000 {
			n -= 0x800
		}
		b.WriteString(t.words[n-1])
	}
	return b.String()
}
