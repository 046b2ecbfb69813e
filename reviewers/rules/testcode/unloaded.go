package testcode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

var (
	discarded = pattern.Of(`^\s*(?:var )?_ ?:?= `)
	class     = pattern.Of(`^class (\w+)\s*(?:\((.*)\))?\s*:`)
	loadTests = pattern.Of(`(?m)^def load_tests\(\s*(\w+)\s*,\s*(\w+).*$`)
)

// Unloaded finds the tests of Python that unittest no longer loads: a class is not a TestCase any
// more, or the file returns a list of tests other than those in it. collects says that classes
// are found by their names, as pytest finds them.
func Unloaded(old, now string, collects bool) (found []Found) {
	if m := loadTests.FindStringSubmatch(now); m != nil && !loadTests.MatchString(old) {
		lines := strings.Split(now, "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "def load_tests(") })
		if body := bodyOf(lines[at], lines[at+1:]); !regexp.MustCompile(`\b(?:` + m[1] + `|` + m[2] + `)\b`).MatchString(body) {
			found = append(found, Found{Line: at + 1, Quote: lines[at], Title: "load_tests leaves out the tests of the file"})
		}
	}
	wasClass, isClass := classLines(old), classLines(now)
	cases := 0
	for l := range strings.Lines(old) {
		if m := class.FindStringSubmatch(l); m != nil && strings.Contains(m[2], "TestCase") && !isClass[strings.TrimSpace(l)] {
			cases++
		}
	}
	if cases == 0 {
		return found
	}
	calls := callsIn(now)
	lines := strings.Split(now, "\n")
	for i, l := range lines {
		m := class.FindStringSubmatch(l)
		if m == nil || m[2] != "" && m[2] != "object" || wasClass[strings.TrimSpace(l)] {
			continue
		}
		collected := strings.HasPrefix(m[1], "Test") && collects
		if strings.Contains("\n"+bodyOf(l, lines[i+1:]), "\ndef test") && !collected && calls[m[1]] == 0 {
			found = append(found, Found{Line: i + 1, Quote: l, Title: "a class of tests is no longer a TestCase, so nothing runs it"})
		}
	}
	return found
}

// classLines returns the first lines of classes.
func classLines(text string) map[string]bool {
	lines := map[string]bool{}
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "class ") {
			lines[strings.TrimSpace(l)] = true
		}
	}
	return lines
}
