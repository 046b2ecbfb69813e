package rules

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first. Most
// commands judge nothing, and compiling all of them takes as long as everything
// else at the program's start.
type pattern struct{ compiled func() *regexp.Regexp }

func lazily(expression string) *pattern {
	return &pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

func (p *pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}
func (p *pattern) FindString(s string) string { return p.compiled().FindString(s) }
