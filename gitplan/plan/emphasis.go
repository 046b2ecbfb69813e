package plan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// PlainText returns a text without emphasis. Code spans stay as they are written.
func PlainText(text string) string {
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

// emphasisMarks finds the runs of * and _ that pair up around words, CommonMark's plain cases.
func emphasisMarks(text string) []bool {
	drop := make([]bool, len(text))
	type run struct{ at, width int }
	var open []run
	spans := codeSpans(text)
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			i += 2
		case '`':
			if i++; len(spans) > 0 && spans[0].From == i-1 {
				i, spans = spans[0].To, spans[1:]
			}
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
