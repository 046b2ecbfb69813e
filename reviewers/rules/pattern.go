package rules

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first. Most
// commands judge nothing, and compiling all of them takes as long as everything
// else at the program's start.
type pattern struct {
	expression string
	once       sync.Once
	re         *regexp.Regexp
}

func lazily(expression string) *pattern { return &pattern{expression: expression} }

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expression) })
	return p.re
}

func (p *pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}
func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}
func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}
func (p *pattern) FindString(s string) string { return p.compiled().FindString(s) }
