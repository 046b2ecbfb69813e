package rules

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/git"
)

// The rules about tests answer one temptation: a test that fails can be made
// to pass by taking it away. A session that does so leaves a green check
// behind, so nothing else would notice.
const aboutTests = "A test that is gone or does not run proves nothing any more."

// testsDeleted finds test files that are gone and were not renamed. A step
// that asks for the deletion (Action: delete, the file in Files) may do so.
func testsDeleted() Rule {
	return Rule{
		Name: "test-deleted", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: aboutTests,
		Find: func(c Change) []Hit {
			var hits []Hit
			for _, f := range c.Diff.Files {
				if f.Status == 'D' && isTest(f.Path) && !asksToDelete(c.Plan, f.Path) {
					hits = append(hits, Hit{Path: f.Path, Title: "a test file was deleted"})
				}
				if f.Status == 'R' && isTest(f.OldPath) && !isTest(f.Path) {
					hits = append(hits, Hit{Path: f.Path, Title: "a test file was renamed to what is no test file"})
				}
			}
			return hits
		},
	}
}

func asksToDelete(p *gitplan.Plan, path string) bool {
	if p == nil {
		return false
	}
	for i := range p.Steps {
		if p.Steps[i].Action == "delete" && Names(p.Steps[i].Files, path) {
			return true
		}
	}
	return false
}

// skip is how one language switches a test off without a condition. A skip
// with a condition (platform, missing program, -short) is ordinary.
type skip struct {
	ext     string // extensions, separated by spaces
	pattern *pattern
	guarded bool // it is conditional where the line above that encloses it is an if
}

var skips = []skip{
	{"go", lazily(`^\s*\w+\.(?:Skip|Skipf|SkipNow)\(`), true},
	{"py", lazily(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\b|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s*True\b)`), false},
	{"py", lazily(`^\s*(?:pytest\.skip|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{"js jsx ts tsx mjs cjs mts cts", lazily("^\\s*(?:(?:it|test|describe|context|suite)\\.(?:skip|todo|fixme)\\s*\\(\\s*['\"`]|x(?:it|test|describe)\\s*\\(|(?:it|test|describe)\\.skip\\.each)"), false},
	{"java kt scala groovy", lazily(`^\s*@(?:Disabled|Ignore)(?:\(|\s|$)`), false},
	{"rs", lazily(`^\s*#\[ignore\b`), false},
	{"cs", lazily(`^\s*\[(?:Ignore\b|(?:Fact|Theory)\(\s*Skip\s*=)`), false},
	{"rb", lazily(`^\s*(?:x(?:it|describe|context)\s+['"]|(?:skip|pending)(?:\s+['"(]|\s*$))`), true},
	{"php", lazily(`markTest(?:Skipped|Incomplete)\(`), true},
	{"exs ex", lazily(`^\s*@(?:module)?tag :skip\b`), false},
	{"swift", lazily(`^\s*throw XCTSkip\(`), true},
}

// testsSkipped finds tests that were switched off. Of 5600 ordinary commits
// 1.8 % add a Skip, nearly all behind a condition, which is left alone.
func testsSkipped() Rule {
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: aboutTests,
		Find: func(c Change) []Hit {
			var hits []Hit
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				if !isTest(f.Path) && extension(f.Path) != "rs" { // Rust keeps tests beside the code
					continue
				}
				for _, h := range f.Hunks {
					for j, l := range h.Lines {
						if l.Kind == '+' && skipped(f.Path, h.Lines[:j+1]) && !moved(h, l.Text) {
							hits = append(hits, Hit{Path: f.Path, Line: l.New, Quote: l.Text, Title: "a test is skipped"})
						}
					}
				}
			}
			return hits
		},
	}
}

// skipped judges the last of lines; the others stand above it.
func skipped(path string, lines []git.Line) bool {
	l := lines[len(lines)-1]
	for _, s := range skips {
		if words(s.ext)[extension(path)] && s.pattern.MatchString(l.Text) {
			return !s.guarded || !conditional(lines)
		}
	}
	return false
}

var (
	condition = lazily(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	always    = lazily(`^\s*if\s*\(?\s*(?:true|True|1|!false|not False)\s*\)?\s*[:{]?\s*$`)
)

// conditional reports whether the last line stands under a condition: the
// nearest line above it that is indented less decides. A condition that always
// holds is none.
func conditional(lines []git.Line) bool {
	last := lines[len(lines)-1]
	depth := indent(last.Text)
	for i := len(lines) - 2; i >= 0; i-- {
		t := lines[i].Text
		if lines[i].Kind == '-' || strings.TrimSpace(t) == "" || indent(t) >= depth {
			continue
		}
		return condition.MatchString(t) && !always.MatchString(t)
	}
	return false
}

// indent counts leading blanks, a tab as eight.
func indent(s string) int {
	n := 0
	for _, r := range s {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8
		default:
			return n
		}
	}
	return n
}

// moved reports whether the hunk takes the same text away elsewhere.
func moved(h git.Hunk, text string) bool {
	for _, l := range h.Lines {
		if l.Kind == '-' && strings.TrimSpace(l.Text) == strings.TrimSpace(text) {
			return true
		}
	}
	return false
}

var focus = lazily("^\\s*(?:(?:it|test|describe|context|suite|specify)\\.only\\b|f(?:it|describe|context)\\s*\\(\\s*['\"`]|F(?:It|Describe|Context|Entry|When|Specify)\\(\\s*\")")

// testsFocused finds tests marked to run alone, which switches all others off.
// In 5600 ordinary commits it never occurred.
func testsFocused() Rule {
	return Rule{
		Name: "test-focused", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: "While one test is marked to run alone, no other runs.",
		Find: func(c Change) []Hit {
			var hits []Hit
			added(c, func(f *git.FileDiff) bool { return isTest(f.Path) }, func(f *git.FileDiff, l git.Line) {
				if focus.MatchString(l.Text) {
					hits = append(hits, Hit{Path: f.Path, Line: l.New, Quote: l.Text, Title: "a test is marked to run alone"})
				}
			})
			return hits
		},
	}
}

// testsEmptied finds tests without a body that had one, or that are new.
func testsEmptied() Rule {
	return Rule{
		Name: "test-emptied", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: aboutTests,
		Find: func(c Change) []Hit {
			var hits []Hit
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				if f.Status == 'D' || !isTest(f.Path) || len(f.Hunks) == 0 {
					continue
				}
				head, ok := blob(c, f.NewOID)
				if !ok {
					continue
				}
				before := map[string]bool{}
				if base, ok := blob(c, f.OldOID); ok {
					for _, t := range testsOf(f.OldPath, base) {
						before[t.name] = t.empty
					}
				}
				for _, t := range testsOf(f.Path, head) {
					if t.empty && !before[t.name] {
						hits = append(hits, Hit{Path: f.Path, Line: t.line, Quote: t.text, Title: "a test has nothing in it"})
					}
				}
			}
			return hits
		},
	}
}

var assertion = lazily(`\b(?:assert\w*|expect\w*|require\.\w+|should\w*|t\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|verify\w*|XCTAssert\w*)\b[!(.\s]`)

// testsRemoved finds changes that leave fewer tests, or fewer assertions, than
// there were. Both happen in honest work (1 and 2 % of ordinary commits), so
// it only advises in a review; a fix may not do it.
func testsRemoved() Rule {
	return Rule{
		Name: "tests-removed", Category: "tests", Severity: "medium", Why: aboutTests,
		Find: func(c Change) []Hit {
			tests, asserts := 0, 0
			var first *git.FileDiff
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				if !isTest(f.Path) || f.Status == 'D' {
					continue
				}
				lost, assertsLost := testsLost(f)
				tests, asserts = tests+lost, asserts+assertsLost
				if first == nil && (lost > 0 || assertsLost > 0) {
					first = f
				}
			}
			switch {
			case first == nil:
				return nil
			case tests > 0:
				return []Hit{{Path: first.Path, Title: fmt.Sprintf("the change takes %d more tests away than it adds", tests)}}
			case asserts > 0:
				return []Hit{{Path: first.Path, Severity: "low", Title: fmt.Sprintf("the change takes %d more assertions away than it adds", asserts)}}
			}
			return nil
		},
	}
}

// testsLost counts what the lines of f take away minus what they add.
func testsLost(f *git.FileDiff) (tests, asserts int) {
	def := definition(f.Path)
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			n := 0
			switch l.Kind {
			case '-':
				n = 1
			case '+':
				n = -1
			default:
				continue
			}
			if def != nil && def.MatchString(l.Text) {
				tests += n
			}
			if assertion.MatchString(l.Text) {
				asserts += n
			}
		}
	}
	return tests, asserts
}
