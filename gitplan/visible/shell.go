package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell returns a text as one word of a command that a person may paste into a shell: quoted if necessary, with
// hidden characters escaped in the form $'...'.
func Shell(s string) string {
	switch {
	case s != "" && strings.IndexFunc(s, needsQuotes) < 0 && !strings.HasPrefix(s, "="):
		return s
	case All(s) && utf8.ValidString(s) && !strings.ContainsAny(s, "\n\t\r"):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return "$'" + escaped(s) + "'"
}

func needsQuotes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
		return false
	case r < 0x80:
		return !strings.ContainsRune("_./@%+:,-=", r)
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) || !seen(r)
}

func escaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}
