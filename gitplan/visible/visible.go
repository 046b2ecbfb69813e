package visible

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
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

// replaced returns s with hidden characters replaced; s itself without any.
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
	s = blankLines.Compiled().ReplaceAllStringFunc(s,
		func(run string) string { return fmt.Sprintf("[%d blank lines]\n", strings.Count(run, "\n")) })
	return blankRun.Compiled().ReplaceAllStringFunc(s,
		func(run string) string { return fmt.Sprintf("[%d blanks]", len([]rune(run))) })
}

// latin are the letters of other scripts that are drawn like an ASCII letter, from Unicode's confusables.
var latin = pairs(
	"АВЕЅІЈКМНОРСТХаеорсухіјѕԁԛԝһԌӀ", "ABESIJKMHOPCTXaeopcyxijsdqwhGl", // Cyrillic
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρι", "ABEZHIKMNOPTYXoavpi", // Greek
	"ցհոսօ", "ghnuo", // Armenian
	"ᎠᎡᎢᎪᎫᎬᎳᎷᎻᎽᏀᏃᏚᏙᏞᏟᏢᏦᏴ", "DRTAJEWMHYGZSVLCPKB", // Cherokee
	"ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU", // Lisu
	"ⲤⲞⲢⲔⲘⲚⲦⲀⲂⲈ", "COPKMNTABE", // Coptic
	"∶꞉ː׃", "::::",
)

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
	return latin[r]
}

// Pattern is a regular expression that is compiled at its first use, since most commands use few of them.
type Pattern struct {
	expression string
	once       sync.Once
	re         *regexp.Regexp
}

// NewPattern returns the pattern of an expression; an invalid one panics at its first use.
func NewPattern(expression string) *Pattern { return &Pattern{expression: expression} }

// Compiled returns the compiled expression, which has more methods than those that are used most.
func (p *Pattern) Compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expression) })
	return p.re
}

func (p *Pattern) Match(b []byte) bool                    { return p.Compiled().Match(b) }
func (p *Pattern) MatchString(s string) bool              { return p.Compiled().MatchString(s) }
func (p *Pattern) FindString(s string) string             { return p.Compiled().FindString(s) }
func (p *Pattern) FindAllString(s string, n int) []string { return p.Compiled().FindAllString(s, n) }
func (p *Pattern) FindStringSubmatch(s string) []string   { return p.Compiled().FindStringSubmatch(s) }
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Compiled().ReplaceAllString(s, with)
}
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Compiled().FindAllStringSubmatch(s, n)
}
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.Compiled().ReplaceAllStringFunc(s, with)
}
