package settings

import (
	"errors"
	"strings"
	"unicode"
)

// arguments splits a text into words as a shell does: at blanks that are neither quoted nor
// after a backslash. It expands nothing.
func arguments(s string) (out []string, err error) {
	var word strings.Builder
	begun, quote, escaped := false, rune(0), false
	for _, r := range s {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			begun, quote = true, r
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				out = append(out, word.String())
			}
			begun = false
			word.Reset()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote or a backslash at its end is not closed")
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}
