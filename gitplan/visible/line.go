package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns a text as one visible line of at most max bytes.
func OneLine(s string, max int) string {
	s = Line(strings.TrimSpace(s))
	if len(s) > max {
		s = Cut(s, max) + "…"
	}
	return s
}

// FirstLine is OneLine of a text's first line.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return OneLine(s, 400)
}

// Joined is OneLine of a text of several lines, whose lines can still be told apart.
func Joined(s string, max int) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return OneLine(strings.Join(lines, " / "), max)
}

// LastLines returns the last n lines of a text.
func LastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Few names the first of some paths, and says how many more there are.
func Few(paths []string) string {
	more := ""
	if len(paths) > 3 {
		more = fmt.Sprintf(" and %d more", len(paths)-3)
		paths = paths[:3]
	}
	return OneLine(strings.Join(paths, ", "), 400) + more
}

// Short abbreviates an object id.
func Short(oid string) string {
	if len(oid) > 10 {
		return oid[:10]
	}
	return oid
}

// Closest returns where in a text those lines begin, from 0, that are most like wanted; -1 if less than half is alike.
func Closest(lines, wanted []string) int {
	const most = 1 << 22 // comparisons of lines
	best, at := 0.0, -1
	for i := 0; i+len(wanted) <= len(lines) && len(lines)*len(wanted) <= most; i++ {
		like := 0.0
		for j, w := range wanted {
			like += Likeness(lines[i+j], w)
		}
		if like > best {
			best, at = like, i
		}
	}
	if best*2 < float64(len(wanted)) {
		return -1
	}
	return at
}

// Likeness returns how much of two lines begins and ends alike, blanks at their ends aside: from 0 to 1.
func Likeness(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	most, least, same := max(len(a), len(b)), min(len(a), len(b)), 0
	for same < least && a[same] == b[same] {
		same++
	}
	for end := 0; same < least && a[len(a)-1-end] == b[len(b)-1-end]; end++ {
		same++
	}
	if most == 0 || same*2 < most {
		return 0
	}
	return float64(same) / float64(most)
}

// Shell returns a text as one word of a command that a person may paste into a shell: quoted if necessary, with
// hidden characters escaped in the form $'...'.
func Shell(s string) string {
	switch {
	case s != "" && strings.IndexFunc(s, needsQuotes) < 0 && !strings.HasPrefix(s, "="):
		return s
	case All(s) && utf8.ValidString(s) && !strings.ContainsAny(s, "\n\t\r"):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
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
	return "$'" + b.String() + "'"
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

// Count returns a number of things in words: 1 round, 2 rounds.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
