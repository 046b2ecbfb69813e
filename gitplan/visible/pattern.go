package visible

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled at its first use, since most commands use few of them.
type Pattern struct {
	expression string
	once       sync.Once
	re         *regexp.Regexp
}

// NewPattern returns the pattern of an expression; an invalid one panics at its first use.
func NewPattern(expression string) *Pattern { return &Pattern{expression: expression} }

// Compiled returns the compiled expression.
func (p *Pattern) Compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expression) })
	return p.re
}

func (p *Pattern) Match(b []byte) bool                    { return p.Compiled().Match(b) }
func (p *Pattern) MatchString(s string) bool              { return p.Compiled().MatchString(s) }
func (p *Pattern) FindString(s string) string             { return p.Compiled().FindString(s) }
func (p *Pattern) FindStringIndex(s string) []int         { return p.Compiled().FindStringIndex(s) }
func (p *Pattern) FindAllString(s string, n int) []string { return p.Compiled().FindAllString(s, n) }
func (p *Pattern) FindAllIndex(b []byte, n int) [][]int   { return p.Compiled().FindAllIndex(b, n) }
func (p *Pattern) FindSubmatch(b []byte) [][]byte         { return p.Compiled().FindSubmatch(b) }
func (p *Pattern) FindStringSubmatch(s string) []string   { return p.Compiled().FindStringSubmatch(s) }
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.Compiled().FindStringSubmatchIndex(s)
}
func (p *Pattern) ReplaceAll(b, with []byte) []byte { return p.Compiled().ReplaceAll(b, with) }
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Compiled().ReplaceAllString(s, with)
}
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Compiled().FindAllStringSubmatch(s, n)
}
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Compiled().FindAllStringSubmatchIndex(s, n)
}
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.Compiled().ReplaceAllStringFunc(s, with)
}
