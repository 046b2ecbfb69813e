package settings

import (
	"errors"
	"strings"
	"unicode"
)

// arguments parts a text as a shell would: at blanks, but for what is quoted or
// follows a backslash. Nothing is expanded.
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
		return nil, errors.New("a quote or a backslash at its end is open")
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}
