package testcode

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// anyTest matches an annotation because of which some runner may run what is below it.
var anyTest = pattern.Of(`(?i)test|case|fact|theory|check|prop|bench|fuzz|ignore|spec|before|after|setup|teardown|fixture|disabled`)

// Ordinary finds the tests of a file that became ordinary functions, which nobody calls.
func Ordinary(oldExt, ext, old, now string) (found []Found) {
	def, mark := definitionAndMark(ext)
	if def == nil {
		return nil
	}
	were, are := testLines(oldExt, old), testLines(ext, now)
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
			found = append(found, Found{Name: fn.name, Title: "a test became a function that nothing runs: " + fn.name})
		default:
			found = append(found, Found{Line: fn.line, Quote: fn.first, Title: "a test became a function that nothing runs"})
		}
	}
	return found
}

// testLines returns the lines on which a file defines tests.
func testLines(ext, text string) map[int]bool {
	lines := map[int]bool{}
	for _, t := range Of(ext, []byte(text)) {
		lines[t.Line] = true
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
