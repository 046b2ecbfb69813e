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
// --word-diff does: [-what was-]{+what is+}, in the lines that changed.
func CompareWords(before, after []byte) string {
	t := tokens{number: map[string]rune{}}
	d := diffmatchpatch.New()
	parts := d.DiffCleanupSemantic(d.DiffMainRunes(t.read(string(before)), t.read(string(after)), false))
	var text strings.Builder
	for _, part := range parts {
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
	var out strings.Builder
	for _, line := range strings.SplitAfter(text.String(), "\n") {
		if strings.Contains(line, changedMark) {
			out.WriteString(strings.ReplaceAll(line, changedMark, ""))
		}
	}
	return out.String()
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

// tokens numbers the words of texts, so that words can be compared as letters.
type tokens struct {
	number map[string]rune
	words  []string
}

var wordPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\n|[ \t\r]+|[\pL\pN_]+|[^\s\pL\pN_]`)
})

func (t *tokens) read(s string) []rune {
	var out []rune
	for _, w := range wordPattern().FindAllString(s, -1) {
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
