package testcode

import (
	"strings"
	"unicode"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// aFunc is a function of a file, or a class.
type aFunc struct {
	name  string
	first string   // its line, without blanks around it
	above []string // annotations
	body  string
	line  int
}

var function = pattern.Of(`^\s*(?:(?:pub|public|private|protected|internal|static|async|suspend|export|final|override) )*(?:func|def|fn|function|fun|void|Task)\s+(?:\([^)]*\)\s*)?` + "`?" + `(\w+)`)

// functionsOf finds the functions of a file as formatters leave it.
func functionsOf(text string) (out []aFunc) {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		m := function.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		f := aFunc{name: m[1], first: strings.TrimSpace(l), line: i + 1, body: bodyOf(l, lines[i+1:])}
		for j := i - 1; j >= 0; j-- {
			t := strings.TrimSpace(lines[j])
			if t == "" || !strings.ContainsAny(t[:1], "@[#") {
				break
			}
			f.above = append(f.above, t)
		}
		out = append(out, f)
	}
	return out
}

// bodyOf returns the lines that are indented deeper than the first line, without blanks.
func bodyOf(first string, rest []string) string {
	const most = 8 << 10 // bytes: functions may contain functions
	var b strings.Builder
	depth := Indent(first)
	for _, l := range rest {
		if b.Len() > most {
			break
		}
		t := strings.TrimSpace(l)
		if t != "" && Indent(l) <= depth {
			if t == "{" {
				continue
			}
			break
		}
		if t != "" && !IsComment(t) {
			b.WriteString(t + "\n")
		}
	}
	return b.String()
}

// callsIn counts how often each name is in a text, except where a function or class of
// that name is defined. What only keeps a compiler quiet does not count.
func callsIn(text string) map[string]int {
	calls := map[string]int{}
	for l := range strings.Lines(text) {
		if IsComment(strings.TrimSpace(l)) || discarded.MatchString(l) {
			continue
		}
		for word := range strings.FieldsFuncSeq(l, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			calls[word]++
		}
		for _, m := range [][]string{function.FindStringSubmatch(l), class.FindStringSubmatch(l)} {
			if m != nil {
				calls[m[1]]--
			}
		}
	}
	return calls
}
