package rules

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A failing test can be made to pass by removing it; since the check passes then, nothing else would notice.
const aboutTests = "A test that is gone or does not run proves nothing any more."

// focuses are the marks of tests that run alone.
var focuses = []testMark{
	{js, visible.NewPattern("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.only\\b|" +
		"(?:f(?:it|describe|context))(?:\\.each\\b|\\s*\\(\\s*(?:['\"`]|" + byVariable + ")))"), false},
	{"go", visible.NewPattern(`^\s*(?:_ = )?F(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`), false},
	{"rb", visible.NewPattern(`^\s*(?:f(?:it|describe|context|eature|scenario)\s+['"]|(?:it|describe|context|` +
		`feature|scenario)\s+['"].*[,{ ]\s*(?::focus\b|focus:\s*true|:focus\s*=>\s*true))`), false},
	{"dart", visible.NewPattern(`\bsolo:\s*true\b`), false},
	{"exs", visible.NewPattern(`^\s*@(?:module)?tag :(?:focus|only)\b`), false},
	{"groovy kt java scala", visible.NewPattern(`^\s*@(?:spock\.lang\.)?IgnoreRest\b`), false},
	{"py", visible.NewPattern(`^\s*@(?:pytest\.mark\.)?(?:only|focus)\b`), false},
	{"lua", visible.NewPattern(`^\s*(?:it|describe)\(.*#only\b`), false},
}

// testsFocused finds tests marked to run alone, which never occurred in 5600 ordinary commits.
func testsFocused() Rule {
	var here []testMark
	return Rule{
		Name: "test-focused", Category: "tests", Severity: "high", Blocks: true, Guard: true, Moves: true,
		Why: "While one test is marked to run alone, no other runs.",
		Wants: func(f *File) bool {
			here = marksOf(f.Ext, focuses)
			return f.Test && len(here) > 0
		},
		Line: func(p *Line) []Hit {
			if slices.ContainsFunc(here, func(m testMark) bool { return m.pattern().MatchString(p.Text()) }) {
				return p.Hit("a test is marked to run alone")
			}
			return nil
		},
	}
}

func testsEmptied() Rule {
	return Rule{
		Name: "test-emptied", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			if f.FileDiff.Status == 'D' || f.FileDiff.Binary || f.FileDiff.OldOID == f.FileDiff.NewOID || !f.Test {
				return nil
			}
			head, _ := c.Blob(f.FileDiff.NewOID)
			before := map[string]testFunc{}
			base, _ := c.Blob(f.FileDiff.OldOID)
			for _, t := range testsIn(Extension(f.FileDiff.OldPath), base) {
				before[t.Name] = t
			}
			var hits []Hit
			for _, t := range testsIn(f.Ext, head) {
				h := Hit{Path: f.FileDiff.Path, Line: t.Line, Quote: t.Text, Title: "a test has nothing in it"}
				was := before[t.Name]
				if !t.Empty && silenced(t.Body, was.Body) {
					h.Title, t.Empty = "a test asserts nothing any more: its assertions are comments", true
				}
				if t.Empty && !was.Empty {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// optional is a test of node:test that an option can skip; it.skipIf is no definition either.
var optional = visible.NewPattern("^\\s*(?:it|test)\\(\\s*(?:'[^']*'|\"[^\"]*\"|`[^`]*`), *\\{[^}]*\\b(?:skip|todo):")

// AssertionsRemoved is the rule about fewer assertions.
const AssertionsRemoved = "assertions-removed"

// testsRemoved and the rule AssertionsRemoved find changes that leave fewer of them, over all files. 1 and 2 % of ordinary
// commits do it, so a review only advises, a step must say why, and a fix may not.
func testsRemoved() Rule {
	var def visible.Pattern
	return fewer("tests-removed", "medium", "test",
		func(f *File) bool { def = testFormOf(f.Ext).pattern; return def != nil },
		func(s string) bool { return def().MatchString(s) && !optional().MatchString(s) })
}

// fewer counts what a change adds and removes in tests that test-deleted leaves, and names the files that lose some.
func fewer(name, severity, what string, wants func(*File) bool, is func(string) bool) Rule {
	type file struct {
		path  string
		lost  int      // removed less added
		taken []string // what was removed
	}
	var files []file
	gone := false
	return Rule{
		Name: name, Category: "tests", Severity: severity, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			_, gone = emptied(c, f)
			gone = gone || f.FileDiff.Status == 'D'
			files = append(files, file{path: f.FileDiff.Path})
			return nil
		},
		Wants: func(f *File) bool { return f.Test && !gone && wants(f) },
		Line: func(p *Line) []Hit {
			l, here := p.This(), &files[len(files)-1]
			switch {
			case isComment(l.Text) || !is(l.Text):
			case l.Kind == '+':
				here.lost--
			default:
				here.lost++
				here.taken = append(here.taken, visible.OneLine(nameIn(l.Text), 60))
			}
			return nil
		},
		End: func(*Change) (hits []Hit) {
			lost := 0
			for _, f := range files {
				lost += f.lost
			}
			if lost > 1 {
				what += "s"
			}
			for _, f := range files {
				if n := min(f.lost, lost); n > 0 {
					title := fmt.Sprintf("the change takes %d more %s away than it adds: %s", n, what, visible.Few(f.taken))
					hits = append(hits, Hit{Path: f.path, Explain: severity != "low", Title: title})
				}
			}
			return hits
		},
	}
}

// nameIn returns the name of a function of Go that a line defines, else the line.
func nameIn(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "])`") // the end of a table
	rest, isFunc := strings.CutPrefix(line, "func ")
	if name, _, _ := strings.Cut(rest, "("); isFunc && name != "" { // a method has none here
		return name
	}
	return line
}

// testsDeleted finds test files that are gone, or emptied, and were not renamed. 1 % of ordinary commits do it, so
// reasons count: the tested code is gone, as many tests were added elsewhere, or a step deletes the file.
func testsDeleted() Rule {
	type deleted struct {
		path, how string
		tests     int
		asserts   int // outside of tests: a script of assertions is a test, and so is one of an unknown form
	}
	var gone []deleted
	isGone := false                  // the file under judgement
	added, asserted, code := 0, 0, 0 // tests, assertions and lines of product code: added less removed
	var def visible.Pattern
	return Rule{
		Name: "test-deleted", Category: "tests", Severity: "high", Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			def = testFormOf(f.Ext).pattern
			d := deleted{path: f.FileDiff.Path, how: "emptied of its tests"}
			was, ok := emptied(c, f)
			if f.Test && f.FileDiff.Status == 'D' {
				was, _ = c.Blob(f.FileDiff.OldOID)
				ok, d.how = true, "deleted"
			}
			asked := func(s plan.Step) bool { return s.Action == "delete" && plan.MatchesAny(s.Files, d.path) }
			if isGone = ok; ok && (c.Plan == nil || !slices.ContainsFunc(c.Plan.Steps, asked)) {
				d.tests, d.asserts = countTests(f.Ext, codeLines(was))
				if def == nil || d.tests > 0 || testName().MatchString(d.path) && (was == nil || d.asserts > 0) {
					gone = append(gone, d) // other files are only named like tests, or lie beside tests
				}
			}
			if f.FileDiff.Status == 'R' && IsTest(f.FileDiff.OldPath) && testName().MatchString(f.FileDiff.OldPath) && !f.Test && !f.Fixture {
				return []Hit{{Path: f.FileDiff.Path, Title: "a test file was renamed to something that is not a test file"}}
			}
			return nil
		},
		Wants: func(f *File) bool { return f.Test || f.Class == Source },
		Line: func(p *Line) []Hit {
			n := 1
			if p.This().Kind == '-' {
				n = -1
			}
			switch {
			case !p.File.Test:
				code += n
			case !isGone:
				if def != nil && def().MatchString(p.Text()) {
					added += n
				}
				if asserts(p.Text()) {
					asserted += n
				}
			}
			return nil
		},
		End: func(c *Change) []Hit {
			lost, bare := 0, 0
			for _, d := range gone {
				if lost += d.tests; d.tests == 0 {
					bare += d.asserts
				}
			}
			var hits []Hit
			for _, d := range gone {
				h := Hit{Path: d.path, Title: "a test file was " + d.how}
				switch {
				case testedIsGone(c, d.path):
					h.Severity, h.Title = "low", h.Title+" with what it tested"
				case lost+bare > 0 && added >= lost && (bare == 0 || asserted >= bare) && (!c.OfStep || mayChange(c, d.path)):
					h.Severity, h.Title = "low", h.Title+", and as many tests were added elsewhere"
					if h.Explain = c.OfStep; c.OfStep { // nothing shows that these test the same
						h.Severity = "medium"
					}
				case c.Plan == nil && code < 0:
					h.Severity, h.Title = "medium", h.Title+" while the code became less"
				case c.OfStep && fileName().MatchString(d.path): // where a session cannot write the index
					h.Title += fmt.Sprintf("; `git show HEAD:%s >%[1]s` brings it back", d.path)
				}
				hits = append(hits, h)
			}
			return hits
		},
	}
}

// mayChange reports whether the plan lets a step change the file: another's tests are not to be exchanged for its own.
func mayChange(c *Change, path string) bool {
	return c.Plan == nil || slices.ContainsFunc(c.Plan.Steps, func(s plan.Step) bool { return len(s.Files) == 0 || plan.MatchesAny(s.Files, path) })
}

var nameMarks = visible.NewPattern(`(?i:^test[_-]|[._-]?(?:unit)?(?:tests?|spec|e2e|it|testcase)$)|^Test([A-Z])`)

// subjectOf returns the name, without its ending, of the file that a test is about by its own.
func subjectOf(test string) string {
	return nameMarks().ReplaceAllString(strings.TrimSuffix(path.Base(test), path.Ext(test)), "$1")
}

// testedIsGone reports whether the change deletes or renames the file that the test is about: a.go for a_test.go.
func testedIsGone(c *Change, test string) bool {
	name := subjectOf(test)
	return slices.ContainsFunc(c.Diff.Files, func(f git.FileDiff) bool {
		was := cmp.Or(f.OldPath, f.Path)
		return (f.Status == 'D' || f.Status == 'R') && !IsTest(was) && isOneOf(Extension(was), sourceExt) &&
			(name != "" && strings.EqualFold(strings.TrimSuffix(path.Base(was), path.Ext(was)), name) || path.Dir(was) == path.Dir(test))
	})
}

// emptied reports whether a test file has no tests left, and which it had.
func emptied(c *Change, f *File) (was []byte, ok bool) {
	if !f.Test || f.FileDiff.Status != 'M' || f.FileDiff.Binary || f.FileDiff.OldOID == f.FileDiff.NewOID {
		return nil, false
	}
	now, isThere := c.Blob(f.FileDiff.NewOID)
	was, wasThere := c.Blob(f.FileDiff.OldOID)
	return was, isThere && wasThere && isEmptied(f.Ext, now, was)
}
