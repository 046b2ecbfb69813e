package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// The rules about tests answer one temptation: a test that fails can be made
// to pass by taking it away. A session that does so leaves a green check
// behind, so nothing else would notice.
const aboutTests = "A test that is gone or does not run proves nothing any more."

// testsDeleted finds test files that are gone and were not renamed. It happens
// in honest work too (1 % of ordinary commits), so reasons count: what was tested
// is gone as well, or as many tests were added elsewhere; and where no plan is
// being worked on, that the code became less. A step that asks for the deletion
// (Action: delete, the file in Files) may do so.
func testsDeleted() Rule {
	var gone []deletedTest
	added, code := 0, 0 // tests, and lines of product code: added less removed
	var def *pattern
	return Rule{
		Name: "test-deleted", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, f *subject) []Hit {
			if def = definition(f.Path); f.Status == 'D' && f.test && !asksToDelete(c.Plan, f.Path) {
				gone = append(gone, deletedTest{path: f.Path, known: def != nil})
			}
			if f.Status == 'R' && isTest(f.OldPath) && testName.MatchString(path.Base(f.OldPath)) && !f.test && !f.fixture {
				return []Hit{{Path: f.Path, Title: "a test file was renamed to what is no test file"}}
			}
			return nil
		},
		Wants: func(f *subject) bool { return f.test || f.class == Source },
		Line: func(p *place) []Hit {
			n := 1
			if p.line().Kind == '-' {
				n = -1
			}
			if last := len(gone) - 1; last >= 0 && gone[last].path == p.file.Path {
				gone[last].seen = true
			}
			switch {
			case !p.file.test:
				code += n
			case p.file.Status != 'D':
				if def != nil && def.MatchString(p.text()) {
					added += n
				}
			case len(gone) > 0 && gone[len(gone)-1].path == p.file.Path && def != nil && def.MatchString(p.text()):
				gone[len(gone)-1].tests++
			}
			return nil
		},
		End: func(c *Change) []Hit {
			lost := 0
			for _, d := range gone {
				lost += d.tests
			}
			var hits []Hit
			for _, d := range gone {
				h := Hit{Path: d.path, Title: "a test file was deleted"}
				switch {
				case d.known && d.tests == 0 && (d.seen || !testName.MatchString(path.Base(d.path))): // what tests need, not a test
					continue
				case lost > 0 && added >= lost:
					h.Severity, h.Title = "low", "a test file was deleted, and as many tests were added elsewhere"
				case testedIsGone(c, d.path):
					h.Severity, h.Title = "low", "a test file was deleted with what it tested"
				case c.Plan == nil && code < 0:
					h.Severity, h.Title = "medium", "a test file was deleted while the code became less"
				}
				hits = append(hits, h)
			}
			return hits
		},
	}
}

// deletedTest is a test file that is gone.
type deletedTest struct {
	path  string
	known bool // what a test looks like in its language
	seen  bool // its lines
	tests int
}

var testMarks = lazily(`(?i)^test_|[._-]?(?:tests?|spec|e2e|it|testcase)$`)

// testedIsGone reports whether the change deletes, or renames, the file whose
// test the path is by its name: store/user.go for store/user_test.go.
func testedIsGone(c *Change, test string) bool {
	stem := func(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }
	name := stem(test)
	for testMarks.MatchString(name) {
		name = testMarks.compiled().ReplaceAllString(name, "")
	}
	for _, f := range c.Diff.Files {
		was := f.Path
		if f.Status == 'R' {
			was = f.OldPath
		}
		if (f.Status == 'D' || f.Status == 'R') && !isTest(was) && sourceExt[extension(was)] &&
			(name != "" && strings.EqualFold(stem(was), name) || path.Dir(was) == path.Dir(test)) {
			return true
		}
	}
	return false
}

func asksToDelete(p *Plan, path string) bool {
	if p == nil {
		return false
	}
	for _, s := range p.Steps {
		if s.Deletes && Names(s.Files, path) {
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
	{"go", lazily(`^\s*(?:t|b|f|tb|s|suite|c|ctx|q|r)\.(?:T\(\)\.)?(?:Skip|Skipf|SkipNow)\(`), true},
	{"go", lazily(`^\s*(?:_ = )?(?:P|X)(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`), false},
	{"py", lazily(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\s*(?:$|\(\s*(?:\)|reason|strict|True|raises)|#)|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s*(?:True|1)\b|(?:unittest\.)?skipUnless\(\s*(?:False|0)\b)`), false},
	{"py", lazily(`^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b|^\s*__test__\s*=\s*False|^collect_ignore\b`), false},
	{"py", lazily(`^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{js, lazily("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.(?:skip|todo|fixme)(?:\\.each)?\\s*\\(?\\s*(?:['\"`\\[]|true\\b|\\(?\\)?\\s*;?$)|x(?:it|test|describe|context|specify)\\s*\\(\\s*['\"`])"), false},
	{js, lazily(`^\s*this\.skip\(\)`), true},
	{"java kt scala groovy", lazily(`^\s*@(?:Disabled|Ignore|org\.junit\.Ignore)(?:\(|\s|$)|@Test\(.*\benabled\s*=\s*false`), false},
	{"scala", lazily(`^\s*ignore\("`), false},
	{"rs", lazily(`^\s*#\[ignore\b`), false},
	{"cs", lazily(`^\s*\[(?:\w+, )*(?:Ignore\b|(?:Fact|Theory|Test|TestMethod)\(\s*Skip\s*=|Explicit\b)`), false},
	{"rb", lazily(`^\s*(?:x(?:it|describe|context|specify|scenario)\s+['"]|(?:skip|pending)(?:\s+['"(]|\s*$|\(['"])|(?:it|describe|context|scenario)\s+['"].*,\s*(?::skip|skip:\s*(?:true|['"])))`), true},
	{"php", lazily(`markTest(?:Skipped|Incomplete)\(`), true},
	{"exs ex", lazily(`^\s*@(?:module)?(?:describe)?tag (?::skip\b|skip:)`), false},
	{"swift", lazily(`^\s*throw XCTSkip\(|@Test\(.*\.disabled\(`), true},
	{"c cc cpp cxx hpp h", lazily(`^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*\w+\s*,\s*DISABLED_`), false},
	{"c cc cpp cxx hpp h", lazily(`^\s*GTEST_SKIP\(\)`), true},
	{"dart", lazily(`\bskip:\s*(?:true|['"])`), false},
	{"lua", lazily(`^\s*pending\(`), false},
	{"sh bash bats", lazily(`^\s*skip(?:\s+['"]|\s*$)`), true},
}

// testsSkipped finds tests that were switched off. Of 5600 ordinary commits
// 1.8 % add a Skip, nearly all behind a condition, which is left alone.
func testsSkipped() Rule {
	byExt := map[string][]skip{}
	for _, s := range skips {
		for ext := range words(s.ext) {
			byExt[ext] = append(byExt[ext], s)
		}
	}
	var here []skip
	planned := false
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, _ *subject) []Hit {
			planned = c.Plan != nil
			return nil
		},
		Wants: func(f *subject) bool {
			here = byExt[f.ext]
			return f.test || f.ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *place) []Hit {
			for _, s := range here {
				if s.pattern.MatchString(p.text()) && !(s.guarded && conditional(p.hunk[:p.at+1])) && !p.replaces(s.pattern.FindString) {
					hits := p.hit("a test is skipped")
					if !planned && isNewTest(p) {
						hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
					}
					return hits
				}
			}
			return nil
		},
	}
}

// isNewTest reports whether the test that this line switches off comes with the
// change. A session under a plan is asked for tests that run; of a person it is
// a note to do it later.
func isNewTest(p *place) bool {
	if p.file.Status == 'A' {
		return true
	}
	if name := quoted.FindString(p.text()); name != "" { // it.skip('name'
		for _, l := range p.hunk {
			if l.Kind == '-' && strings.Contains(l.Text, name) {
				return false
			}
		}
		if definition(p.file.Path) != nil && isDefinition.MatchString(p.text()) {
			return true
		}
	}
	depth := indent(p.text())
	for i := p.at - 1; i >= 0; i-- { // t.Skip() in the body
		if t := p.hunk[i].Text; p.hunk[i].Kind != '-' && strings.TrimSpace(t) != "" && indent(t) < depth {
			return p.hunk[i].Kind == '+'
		}
	}
	for _, l := range p.hunk[p.at+1:] { // @skip above it
		if t := strings.TrimSpace(l.Text); l.Kind != '-' && t != "" && !strings.HasPrefix(t, "@") && !strings.HasPrefix(t, "#[") && !strings.HasPrefix(t, "[") {
			return l.Kind == '+'
		}
	}
	return false
}

var (
	quoted       = lazily("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = lazily(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)

var (
	condition = lazily(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	trailing  = lazily(`[)'"]\s+(?:if|unless)\s+\S`) // Ruby, Python
	always    = lazily(`^\s*if\s*\(?\s*(?:true|True|1|!false|not False)\s*\)?\s*[:{]?\s*$`)
)

// conditional reports whether the last line stands under a condition: the
// nearest line above it that is indented less decides. A condition that always
// holds is none.
func conditional(lines []git.Line) bool {
	last := lines[len(lines)-1]
	if trailing.MatchString(last.Text) {
		return true
	}
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

var focuses = []phrase{
	{ext: js, pattern: lazily("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.only\\b|(?:f(?:it|describe|context))\\s*\\(\\s*['\"`])")},
	{ext: "go", pattern: lazily(`^\s*(?:_ = )?F(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`)},
	{ext: "rb", pattern: lazily(`^\s*(?:f(?:it|describe|context|eature|scenario)\s+['"]|(?:it|describe|context|feature|scenario)\s+['"].*[,{ ]\s*(?::focus\b|focus:\s*true|:focus\s*=>\s*true))`)},
	{ext: "dart", pattern: lazily(`\bsolo:\s*true\b`)},
	{ext: "exs", pattern: lazily(`^\s*@(?:module)?tag :(?:focus|only)\b`)},
	{ext: "groovy kt java scala", pattern: lazily(`^\s*@(?:spock\.lang\.)?IgnoreRest\b`)},
	{ext: "py", pattern: lazily(`^\s*@(?:pytest\.mark\.)?(?:only|focus)\b`)},
	{ext: "lua", pattern: lazily(`^\s*(?:it|describe)\(.*#only\b`)},
}

// testsFocused finds tests marked to run alone, which switches all others off.
// In 5600 ordinary commits it never occurred.
func testsFocused() Rule {
	var here []*pattern
	return Rule{
		Name: "test-focused", Category: "tests", Severity: "high", Confidence: Certain, Blocks: true, Guard: true, Moves: true,
		Why: "While one test is marked to run alone, no other runs.",
		Wants: func(f *subject) bool {
			here = nil
			for _, p := range focuses {
				if words(p.ext)[f.ext] {
					here = append(here, p.pattern)
				}
			}
			return f.test && len(here) > 0
		},
		Line: func(p *place) []Hit {
			for _, pat := range here {
				if pat.MatchString(p.text()) {
					return p.hit("a test is marked to run alone")
				}
			}
			return nil
		},
	}
}

// testsEmptied finds tests without a body that had one, or that are new.
func testsEmptied() Rule {
	return Rule{
		Name: "test-emptied", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Why: aboutTests,
		File: func(c *Change, f *subject) []Hit {
			if f.Status == 'D' || f.Binary || f.OldOID == f.NewOID || !f.test {
				return nil
			}
			head, ok := blob(c, f.NewOID)
			if !ok {
				return nil
			}
			before := map[string]bool{}
			if base, ok := blob(c, f.OldOID); ok {
				for _, t := range testsOf(f.OldPath, base) {
					before[t.name] = t.empty
				}
			}
			var hits []Hit
			for _, t := range testsOf(f.Path, head) {
				if t.empty && !before[t.name] {
					hits = append(hits, Hit{Path: f.Path, Line: t.line, Quote: t.text, Title: "a test has nothing in it"})
				}
			}
			return hits
		},
	}
}

var assertion = lazily(`\b(?:assert\w*|expect\w*|require\.\w+|t\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|verify\w*|XCTAssert\w*|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK|raises)\b[!(.]|[.\s]should(?:_not)?[.\s]|^\s*assert[_ (]`)

// testsRemoved and assertionsRemoved find changes that leave fewer of them than
// there were, over all files: moving a test is none. Both happen in honest work
// (1 and 2 % of ordinary commits), so they only advise in a review; a fix may
// not do it.
func testsRemoved() Rule {
	var def *pattern
	return fewer("tests-removed", "medium", "tests",
		func(f *subject) bool { def = definition(f.Path); return def != nil },
		func(s string) bool { return def.MatchString(s) })
}

func assertionsRemoved() Rule {
	return fewer("assertions-removed", "low", "assertions", func(*subject) bool { return true }, assertion.MatchString)
}

// fewer counts what a change adds and takes away of something in tests. Files
// that are gone as a whole are test-deleted's.
func fewer(name, severity, what string, wants func(*subject) bool, is func(string) bool) Rule {
	lost, line := 0, 0
	path := ""
	return Rule{
		Name: name, Category: "tests", Severity: severity, Confidence: Hint, Moves: true, Why: aboutTests,
		Wants: func(f *subject) bool { return f.test && f.Status != 'D' && wants(f) },
		Line: func(p *place) []Hit {
			l := p.line()
			switch {
			case isComment(l.Text) || !is(l.Text):
			case l.Kind == '+':
				lost--
			default:
				lost++
				if line == 0 {
					path, line = p.file.Path, l.Old
				}
			}
			return nil
		},
		End: func(*Change) []Hit {
			if lost <= 0 {
				return nil
			}
			return []Hit{{Path: path, OldLine: line, Title: fmt.Sprintf("the change takes %d more %s away than it adds", lost, what)}}
		},
	}
}
