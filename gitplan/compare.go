package gitplan

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Compare shows how a plan's text changed, line by line, the changed ones
// only: "-" what was, "+" what is.
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

// CompareWords shows how a text changed, word by word, as git diff
// --word-diff does: [-what was-]{+what is+}, in the lines that changed. Lines that
// were written anew are shown whole: the few words that they share would part them
// into what nobody can read.
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
	var out strings.Builder
	for _, line := range strings.SplitAfter(text.String(), "\n") {
		if strings.Contains(line, changedMark) {
			out.WriteString(strings.ReplaceAll(line, changedMark, ""))
		}
	}
	return out.String()
}

// compare marks the words that differ in lines that changed.
func (t *tokens) compare(was, is string) string {
	d := diffmatchpatch.New()
	words := func(s string) []rune { return t.numbers(wordPattern().FindAllString(s, -1)) }
	var text strings.Builder
	same := 0
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
	if strings.Count(was+is, "\n") > 2 && 2*same < min(len(was), len(is)) {
		return marked(was, "[-", "-]") + marked(is, "{+", "+}")
	}
	return text.String()
}

// changedMark marks a changed line while a comparison is put together. No plan
// holds a NUL.
const changedMark = "\x00"

// marked puts each line of a changed text between marks.
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

var wordPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\n|[ \t\r]+|[\pL\pN_]+|[^\s\pL\pN_]`)
})

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
