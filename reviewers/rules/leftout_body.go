package rules

import (
	"regexp"
	"slices"
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
	depth := indent(first)
	for _, l := range rest {
		if b.Len() > most {
			break
		}
		t := strings.TrimSpace(l)
		if t != "" && indent(l) <= depth {
			if t == "{" {
				continue
			}
			break
		}
		if t != "" && !isComment(t) {
			b.WriteString(t + "\n")
		}
	}
	return b.String()
}

// anyTest matches an annotation because of which some runner may run what is below it.
var anyTest = pattern.Of(`(?i)test|case|fact|theory|check|prop|bench|fuzz|ignore|spec|before|after|setup|teardown|fixture|disabled`)

// noTests finds the tests of a file that became ordinary functions, which nobody calls.
func noTests(f *subject, old, now string) (hits []Hit) {
	def, mark := definitionAndMark(f.Path)
	if def == nil {
		return nil
	}
	were, are := testLines(f.OldPath, old), testLines(f.Path, now)
	l := lostTests{marks: mark != nil, had: map[string]bool{}, named: map[string]aFunc{}, bodies: map[string]bool{}}
	tests := map[string]aFunc{}
	for _, fn := range functionsOf(old) {
		if l.had[fn.name] = true; were[fn.line] {
			tests[fn.name], l.named[fn.name] = fn, fn
		}
	}
	fns := functionsOf(now)
	for _, fn := range fns {
		if are[fn.line] {
			delete(l.named, fn.name)
		}
	}
	for _, fn := range l.named {
		l.bodies[fn.body] = fn.body != ""
	}
	var calls map[string]int
	for _, fn := range fns {
		_, same := tests[fn.name]
		switch {
		case are[fn.line]:
			continue
		case !l.became(fn):
			continue
		case calls == nil:
			calls = callsIn(now)
		}
		switch {
		case calls[fn.name] > 0:
		case same: // only what is above it changed
			hits = append(hits, Hit{Key: fn.name, Title: "a test became a function that nothing runs: " + fn.name})
		default:
			hits = append(hits, Hit{Line: fn.line, Quote: fn.first, Title: "a test became a function that nothing runs"})
		}
	}
	return hits
}

// testLines returns the lines on which a file defines tests.
func testLines(path, text string) map[int]bool {
	lines := map[int]bool{}
	for _, t := range testsOf(path, []byte(text)) {
		lines[t.line] = true
	}
	return lines
}

// lostTests are those that a file had and no longer has.
type lostTests struct {
	marks  bool             // an annotation makes the test, not its name
	named  map[string]aFunc // by name
	bodies map[string]bool
	had    map[string]bool // functions of any kind
}

// became reports whether a function was one of the tests that are gone: it has its name, or its
// whole body, or only lacks the annotation that made it a test.
func (l *lostTests) became(fn aFunc) bool {
	const few = 200 // names that are compared one by one
	marked := slices.ContainsFunc(fn.above, anyTest.MatchString)
	if _, was := l.named[fn.name]; was {
		return l.marks && !marked
	}
	if l.had[fn.name] || !l.marks && strings.HasPrefix(fn.name, "test") && !strings.HasPrefix(fn.first, "func ") {
		return false // still a test, on however many lines it is defined
	}
	if l.bodies[fn.body] && !marked {
		return true
	}
	if is := strings.ToLower(fn.name); len(l.named) <= few {
		for name := range l.named {
			if strings.Contains(is, strings.ToLower(name)) {
				return true
			}
		}
	}
	return false
}

// callsIn counts how often each name is in a text, except where a function or class of
// that name is defined. What only keeps a compiler quiet does not count.
func callsIn(text string) map[string]int {
	calls := map[string]int{}
	for l := range strings.Lines(text) {
		if isComment(strings.TrimSpace(l)) || discarded.MatchString(l) {
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

var (
	discarded = pattern.Of(`^\s*(?:var )?_ ?:?= `)
	class     = pattern.Of(`^class (\w+)\s*(?:\((.*)\))?\s*:`)
	loadTests = pattern.Of(`(?m)^def load_tests\(\s*(\w+)\s*,\s*(\w+).*$`)
)

// unloaded finds the tests of Python that unittest no longer loads: a class is not a TestCase any
// more, or the file returns a list of tests other than those in it.
func unloaded(c *Change, old, now string) (hits []Hit) {
	if m := loadTests.FindStringSubmatch(now); m != nil && !loadTests.MatchString(old) {
		lines := strings.Split(now, "\n")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "def load_tests(") })
		if body := bodyOf(lines[at], lines[at+1:]); !regexp.MustCompile(`\b(?:` + m[1] + `|` + m[2] + `)\b`).MatchString(body) {
			hits = append(hits, Hit{Line: at + 1, Quote: lines[at], Title: "load_tests leaves out the tests of the file"})
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
		return hits
	}
	calls := callsIn(now)
	lines := strings.Split(now, "\n")
	for i, l := range lines {
		m := class.FindStringSubmatch(l)
		if m == nil || m[2] != "" && m[2] != "object" || wasClass[strings.TrimSpace(l)] {
			continue
		}
		collected := strings.HasPrefix(m[1], "Test") && (len(c.Checks) == 0 || inChecks(c, "pytest"))
		if strings.Contains("\n"+bodyOf(l, lines[i+1:]), "\ndef test") && !collected && calls[m[1]] == 0 {
			hits = append(hits, Hit{Line: i + 1, Quote: l, Title: "a class of tests is no longer a TestCase, so nothing runs it"})
		}
	}
	return hits
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

// inChecks reports whether a check contains a word.
func inChecks(c *Change, word string) bool {
	for _, check := range c.Checks {
		if strings.Contains(check, word) {
			return true
		}
	}
	return false
}
