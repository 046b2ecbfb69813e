package visible

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Line returns a text as one line of a message, with hidden characters escaped.
func Line(s string) string { return Text(blanks.Replace(s)) }

var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// Text returns a text of several lines, with hidden characters escaped: \u202e, \U000e0061.
func Text(s string) string {
	return replaced(s, func(r rune) string {
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// Without returns a text without its hidden characters, for comparisons of texts that were never approved.
func Without(s string) string { return replaced(s, func(rune) string { return "" }) }

// Blanked returns a text with its hidden characters replaced by blanks.
func Blanked(s string) string { return replaced(s, func(rune) string { return " " }) }

// Cut shortens a line to at most max bytes, between two characters.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// replaced returns s with each hidden character replaced by what by returns for it.
func replaced(s string, by func(rune) string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	at := 0
	for i, r := range Hidden(s) {
		b.WriteString(s[at:i] + by(r))
		at = i + utf8.RuneLen(r)
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}

// Runs of blanks of this length push what follows out of sight.
var (
	blankRun   = NewPattern(`[\t\p{Zs}]{80,}`)
	blankLines = NewPattern(`(?m)(?:^[\t\r\p{Zs}]*\n){20,}`)
)

// Blanks returns a text with long runs of blanks, and of blank lines, replaced by a count, for people.
func Blanks(s string) string {
	s = blankLines().ReplaceAllStringFunc(s,
		func(run string) string { return fmt.Sprintf("[%d blank lines]\n", strings.Count(run, "\n")) })
	return blankRun().ReplaceAllStringFunc(s,
		func(run string) string { return fmt.Sprintf("[%d blanks]", len([]rune(run))) })
}

// lookalikes maps letters of other scripts to the ASCII letter that they look like, from Unicode's confusables.
var lookalikes = pairs(
	"АВЕЅІЈКМНОРСТХаеорсухіјѕԁԛԝһԌӀ", "ABESIJKMHOPCTXaeopcyxijsdqwhGl", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρι", "ABEZHIKMNOPTYXoavpi", // Greek
	"ցհոսօ", "ghnuo", // Armenian
	"ᎠᎡᎢᎪᎫᎬᎳᎷᎻᎽᏀᏃᏚᏙᏞᏟᏢᏦᏴ", "DRTAJEWMHYGZSVLCPKB", // Cherokee
	"ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU", // Lisu
	"ⲤⲞⲢⲔⲘⲚⲦⲀⲂⲈ", "COPKMNTABE", // Coptic
	"∶꞉ː׃", "::::",
)

// pairs maps the letters of each first text to the ASCII letters at the same places of the next one.
func pairs(texts ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i < len(texts); i += 2 {
		ascii := texts[i+1]
		for _, r := range texts[i] {
			m[r], ascii = rune(ascii[0]), ascii[1:]
		}
	}
	return m
}

// LatinOf returns the ASCII letter that another letter looks like; 0 if it looks like none.
func LatinOf(r rune) rune {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	switch {
	case r < 0x80:
		return 0
	case r >= 0xff01 && r <= 0xff5e:
		return r - 0xff01 + '!'
	case r >= 0x1d400 && r <= 0x1d6a3:
		return rune(letters[(r-0x1d400)%rune(len(letters))])
	}
	return lookalikes[r]
}

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

// Joined is OneLine with the lines of a text separated by slashes.
func Joined(s string, max int) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return OneLine(strings.Join(lines, " / "), max)
}

// LastLines returns the last n lines of a text.
func LastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Few returns the first three of some paths, and how many more there are.
func Few(paths []string) string {
	few := OneLine(strings.Join(paths[:min(3, len(paths))], ", "), 400)
	if len(paths) > 3 {
		few += fmt.Sprintf(" and %d more", len(paths)-3)
	}
	return few
}

// Short abbreviates an object id.
func Short(oid string) string { return oid[:min(10, len(oid))] }

// Closest returns the index of the first of the lines that are most similar to wanted; -1 if less than half is similar.
func Closest(lines, wanted []string) int {
	const most = 1 << 22 // the maximum number of comparisons
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

// Likeness returns the equal part, from 0 to 1, at the beginning and end of two lines; less than half counts as 0.
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

// Shell returns a text as one word of a shell command: quoted if necessary, with hidden characters as in $'...'.
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
	return !unicode.In(r, unicode.L, unicode.M, unicode.N) || !isVisible(r)
}

// Count returns a number of things in words: 1 round, 2 rounds.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Pattern returns a regular expression that is compiled at its first use, since most commands use few of them.
type Pattern = func() *regexp.Regexp

// NewPattern returns the pattern of an expression; an invalid one panics at its first use.
func NewPattern(expression string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
