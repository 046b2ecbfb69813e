package form

import (
	"fmt"
	"strings"
)

// lines returns the lines of a string, all with the place where the string begins.
func (v *jsonValue) lines() lines {
	out := linesOf(v.text, Place{})
	for i := range out {
		out[i].from.Line = v.line
		out[i].text = dedent(out[i].text, 0, true)
	}
	return out
}

// asText returns a value as Markdown: a string as it is, anything else as JSON.
func (v *jsonValue) asText() lines {
	switch v.kind {
	case '"':
		return v.lines()
	case '{', '[':
		return lines{{"```json", Place{Line: v.line}}, {v.compact(), Place{Line: v.line}}, {"```", Place{Line: v.line}}}
	case 'n':
		return nil
	}
	return lines{{v.text, Place{Line: v.line}}}
}

// bullets returns a list of strings, or a text.
func (v *jsonValue) bullets() lines {
	if v.kind == '"' && !strings.Contains(strings.TrimSpace(v.text), "\n") {
		return lines{{"- " + inline(v.text), Place{Line: v.line}}}
	}
	if v.kind != '[' {
		return v.asText()
	}
	var out lines
	for i := range v.items {
		item := &v.items[i]
		if item.kind == '{' || item.kind == '[' {
			out = append(out, line{"- " + codeSpan(item.compact()), Place{Line: item.line}})
		} else if text := inline(item.text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.line}})
		}
	}
	return out
}

// inline returns a text in one line that begins no block of Markdown.
func inline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case len(digits) < len(text) && digits != "" && strings.ContainsRune(".)", rune(digits[0])):
		return text[:len(text)-len(digits)] + `\` + digits
	case strings.ContainsRune("#>~<=|_", rune(text[0])),
		strings.HasPrefix(text, "```"),
		strings.ContainsRune("-+*", rune(text[0])) && (len(text) == 1 || text[1] == ' ' || text[1] == text[0] && !strings.HasPrefix(text, "**")):
		return `\` + text
	}
	return text
}

// codeSpan returns a text as a code span in one line.
func codeSpan(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		return fmt.Sprintf("%s %s %s", marks, text, marks)
	}
	return marks + text + marks
}
