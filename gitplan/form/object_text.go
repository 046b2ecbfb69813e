package form

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// linesIn returns the lines of a string, all with the place where the string begins.
func linesIn(v *object) lines {
	out := linesOf(v.Text, Place{})
	for i := range out {
		out[i] = line{dedent(out[i].text, 0, true), Place{Line: v.Line}}
	}
	return out
}

// asText returns a value as Markdown: strings unchanged, anything else as JSON.
func asText(v *object) lines {
	at := Place{Line: v.Line}
	switch v.Kind {
	case '"':
		return linesIn(v)
	case '{', '[':
		return lines{{"```json", at}, {v.Compact(), at}, {"```", at}}
	case 'n':
		return nil
	}
	return lines{{v.Text, at}}
}

// bullets returns a list of strings, or a text.
func bullets(v *object) (out lines) {
	if v.Kind != '[' && (v.Kind != '"' || strings.Contains(strings.TrimSpace(v.Text), "\n")) {
		return asText(v)
	}
	for _, item := range v.each() {
		if item.Kind == '{' || item.Kind == '[' {
			out = append(out, line{"- " + plan.CodeSpan(item.Compact()), Place{Line: item.Line}})
		} else if text := inline(item.Text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
	}
	return out
}

// inline returns a text in one line that does not begin a Markdown block.
func inline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if m := beginsBlockInLine.FindStringSubmatchIndex(text); m != nil {
		at := max(m[3], m[5])
		return text[:at] + `\` + text[at:]
	}
	return text
}

// beginsBlockInLine matches the beginning of a block; a backslash after its group makes it text.
var beginsBlockInLine = visible.NewPattern("^(\\d+)[.)]|^()(?:[#>~<=|_]|```|[-+*](?: |$)|--|\\+\\+)")
