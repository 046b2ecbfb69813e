package form

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/form/value"
)

// linesIn returns the lines of a string, all with the place where the string begins.
func linesIn(v *value.Value) lines {
	out := linesOf(v.Text, Place{})
	for i := range out {
		out[i].from.Line = v.Line
		out[i].text = dedent(out[i].text, 0, true)
	}
	return out
}

// asText returns a value as Markdown: a string as it is, anything else as JSON.
func asText(v *value.Value) lines {
	switch v.Kind {
	case '"':
		return linesIn(v)
	case '{', '[':
		return lines{{"```json", Place{Line: v.Line}}, {v.Compact(), Place{Line: v.Line}}, {"```", Place{Line: v.Line}}}
	case 'n':
		return nil
	}
	return lines{{v.Text, Place{Line: v.Line}}}
}

// bullets returns a list of strings, or a text.
func bullets(v *value.Value) lines {
	if v.Kind == '"' && !strings.Contains(strings.TrimSpace(v.Text), "\n") {
		return lines{{"- " + inline(v.Text), Place{Line: v.Line}}}
	}
	if v.Kind != '[' {
		return asText(v)
	}
	var out lines
	for i := range v.Items {
		item := &v.Items[i]
		if item.Kind == '{' || item.Kind == '[' {
			out = append(out, line{"- " + codeSpan(item.Compact()), Place{Line: item.Line}})
		} else if text := inline(item.Text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
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
