package share

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/git-plan/git-plan/gitplan/pattern"
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
var headsLines = pattern.Of(`^(?:\[-|\{\+)?(?:#{1,6} |[-*+] \[)`)

// compare marks lines that replaced others: word by word those that correspond to an old one, the
// others as a whole.
func (t *tokens) compare(was, is string) string {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	if len(a) <= 2 && len(b) <= 2 { // one line each, and nothing after it
		return t.compareLine(was, is)
	}
	var text strings.Builder
	i, j := 0, 0
	for _, pair := range corresponding(a, b) {
		text.WriteString(marked(strings.Join(a[i:pair[0]], ""), "[-", "-]"))
		text.WriteString(marked(strings.Join(b[j:pair[1]], ""), "{+", "+}"))
		text.WriteString(t.compareLine(a[pair[0]], b[pair[1]]))
		i, j = pair[0]+1, pair[1]+1
	}
	return text.String() + marked(strings.Join(a[i:], ""), "[-", "-]") + marked(strings.Join(b[j:], ""), "{+", "+}")
}

// corresponding returns the pairs of lines, by index and in order, that share the most words
// together. If there are more lines than anybody would compare, it returns none.
func corresponding(a, b []string) (pairs [][2]int) {
	if len(a)*len(b) > 1<<16 {
		return nil
	}
	was, is := lineWords(a), lineWords(b)
	most := make([][]int, len(a)+1) // of the lines from i and from j on
	most[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		most[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			most[i][j] = max(most[i+1][j], most[i][j+1], most[i+1][j+1]+sharedWords(was[i], is[j]))
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch most[i][j] {
		case most[i+1][j]:
			i++
		case most[i][j+1]:
			j++
		default:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		}
	}
	return pairs
}

// lineWords returns for each line how many bytes each of its words takes, without punctuation
// and blanks.
func lineWords(lines []string) []map[string]int {
	out := make([]map[string]int, len(lines))
	for i, line := range lines {
		out[i] = map[string]int{}
		for _, w := range wordPattern.FindAllString(line, -1) {
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(r) || unicode.IsDigit(r) {
				out[i][w] += len(w)
			}
		}
	}
	return out
}

// sharedWords returns how many bytes of words two lines share, 0 if that is less than half of
// the shorter line.
func sharedWords(a, b map[string]int) (n int) {
	inA, inB := 0, 0
	for w, size := range a {
		inA += size
		n += min(size, b[w])
	}
	for _, size := range b {
		inB += size
	}
	if 2*n < min(inA, inB) {
		return 0
	}
	return n
}

// compareLine marks the words that differ between two versions of a line.
func (t *tokens) compareLine(was, is string) string {
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
			words = strings.ReplaceAll(words, changedMark, "")
		}
		text.WriteString(words)
	}
	return text.String()
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

var wordPattern = pattern.Of(`\n|[ \t\r]+|[\pL\pN_]+|[^\s\pL\pN_]`)

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
