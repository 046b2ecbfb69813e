package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// skip is how one language skips a test without a condition. A skip with a condition (platform,
// missing program, -short) is ordinary.
type skip struct {
	ext     string // extensions, separated by spaces
	pattern *pattern.Pattern
	guarded bool // it is conditional if the line above that encloses it is an if
}

const (
	goSkip     = `(?:t|b|f|tb|s|suite|c|ctx|q|r)\.(?:T\(\)\.)?(?:Skip|Skipf|SkipNow)\(`
	tapeHandle = `(?:(?:s?t|s\dt|tt|ctx|context)\.)` // what tape and node:test pass to a test
	// skipOption skips such a test forever: its text is the reason.
	skipOption = "(?:skip|todo): *(?:true|1|'[^']*'|\"[^\"]*\"|`[^`]*`) *(?:[,}]|$)"
)

var skips = []skip{
	{"go", pattern.Of(`^\s*` + goSkip), true},
	{"go", pattern.Of(`^\s*(?:func (?:Test|Fuzz)\w*\([^)]*\)|\w+\.Run\(.*func\(\w+ \*testing\.T\)) *\{ *` + goSkip), false},
	{"go", pattern.Of(`^(?:[^"'{}/` + "`" + `]|"(?:[^"\\]|\\.)*")*; *` + goSkip), true},
	{"go", pattern.Of(`^\s*if .*\{ *` + goSkip), true},
	{"go", pattern.Of(`^\s*(?:_ = )?(?:P|X)(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`), false},
	{"py", pattern.Of(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\s*(?:$|\(\s*(?:\)|reason|strict|True|raises)|#)|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s*(?:True|1)\b|(?:unittest\.)?skipUnless\(\s*(?:False|0)\b)`), false},
	{"py", pattern.Of(`^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b|^\s*__test__\s*=\s*False|^collect_ignore\b`), false},
	{"py", pattern.Of(`^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{js, pattern.Of("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.(?:skip|todo|fixme)(?:\\.each)?\\s*\\(?\\s*(?:['\"`\\[]|true\\b|\\(?\\)?\\s*;?$)|x(?:it|test|describe|context|specify)\\s*\\(\\s*['\"`])"), false},
	{js, pattern.Of(`^\s*this\.skip\(\)`), true},
	{js, pattern.Of(`^\s*(?:it|test|describe|suite)(?:\.\w+)*\.(?:skipIf\((?:true|1)\)|runIf\((?:false|0)\))`), false},
	{js, pattern.Of("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`], *\\{[^}]*\\b" + skipOption), false},
	{js, pattern.Of("^\\s*(?:return |await )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), true},
	{js, pattern.Of("^\\s*" + tapeHandle + "?(?:it|test)\\(\\s*['\"`].*(?:function\\s*\\w*\\([^)]*\\)\\s*\\{|=>\\s*\\{?)\\s*(?:return )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), false},
	{"java kt scala groovy", pattern.Of(`^\s*@(?:Disabled|Ignore|org\.junit\.Ignore)(?:\(|\s|$)|@Test\(.*\benabled\s*=\s*false`), false},
	{"scala", pattern.Of(`^\s*ignore\("`), false},
	{"rs", pattern.Of(`^\s*#\[ignore\b`), false},
	{"cs", pattern.Of(`^\s*\[(?:\w+, )*(?:Ignore\b|(?:Fact|Theory|Test|TestMethod)\(\s*Skip\s*=|Explicit\b)`), false},
	{"rb", pattern.Of(`^\s*(?:x(?:it|describe|context|specify|scenario)\s+['"]|(?:skip|pending)(?:\s+['"(]|\s*$|\(['"])|(?:it|describe|context|scenario)\s+['"].*,\s*(?::skip|skip:\s*(?:true|['"])))`), true},
	{"php", pattern.Of(`markTest(?:Skipped|Incomplete)\(`), true},
	{"exs ex", pattern.Of(`^\s*@(?:module)?(?:describe)?tag (?::skip\b|skip:)`), false},
	{"swift", pattern.Of(`^\s*throw XCTSkip\(|@Test\(.*\.disabled\(`), true},
	{"c cc cpp cxx hpp h", pattern.Of(`^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*\w+\s*,\s*DISABLED_`), false},
	{"c cc cpp cxx hpp h", pattern.Of(`^\s*GTEST_SKIP\(\)`), true},
	{"c cc cpp cxx hpp h cs swift", pattern.Of(`^\s*#\s*if\s+(?:0|false)\b`), false},
	{"py", pattern.Of(`^\s*if (?:False|0)\s*:`), false},
	{"rs", pattern.Of(`^\s*#!?\[cfg\((?:any\(\)|false|FALSE|not\(test\)|all\(test, *(?:any\(\)|not\(test\)|false)\))\)`), false},
	{"dart", pattern.Of(`\bskip:\s*(?:true|['"])`), false},
	{"lua", pattern.Of(`^\s*pending\(`), false},
	{"sh bash bats", pattern.Of(`^\s*skip(?:\s+['"]|\s*$)`), true},
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
	skips := func(text string) string { // in whatever form
		for _, s := range here {
			if s.pattern.MatchString(text) {
				return "a skip"
			}
		}
		return ""
	}
	planned := false
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, f *subject) []Hit {
			planned = c.Plan != nil
			return earlyReturns(c, f)
		},
		Wants: func(f *subject) bool {
			here = byExt[f.ext]
			return f.test || f.ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *place) []Hit {
			if !isSkip(p, here) || p.replaces(skips) {
				return nil
			}
			hits := p.hit("a test is skipped")
			if !planned && isNewTest(p) {
				hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
			}
			return hits
		},
	}
}

// isSkip reports whether a line switches a test off in one of some forms.
func isSkip(p *place, forms []skip) bool {
	for _, s := range forms {
		if s.pattern.MatchString(p.text()) && !(s.guarded && conditional(p.hunk[:p.at+1])) {
			return true
		}
	}
	return words(js)[p.file.ext] && isOption(p)
}

var (
	optionLine  = pattern.Of(`^\s*\{?\s*(?:\w+: *[^,{}]*, *)*` + skipOption + `\s*\}?,?$`)
	nameLine    = pattern.Of("^\\s*['\"`].*['\"`],$")
	openLine    = pattern.Of(`^\s*` + tapeHandle + `?(?:it|test|describe|suite)\($`)
	optionsOpen = pattern.Of("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`],\\s*\\{$")
)

// isOption reports whether a line is the options of a test, or one of them, that switch it
// off: the call was begun on the lines above.
func isOption(p *place) bool {
	if !strings.Contains(p.text(), "skip:") && !strings.Contains(p.text(), "todo:") || !optionLine.MatchString(p.text()) {
		return false
	}
	var above []string // the nearest first
	for i := p.at - 1; i >= 0 && len(above) < 2; i-- {
		if p.hunk[i].Kind != '-' {
			above = append(above, strings.TrimRight(p.hunk[i].Text, " \r"))
		}
	}
	return len(above) > 0 && optionsOpen.MatchString(above[0]) ||
		len(above) > 1 && nameLine.MatchString(above[0]) && openLine.MatchString(above[1])
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
	quoted       = pattern.Of("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = pattern.Of(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)

var (
	condition = pattern.Of(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	trailing  = pattern.Of(`[)'"]\s+(?:if|unless)\s+\S`) // Ruby, Python
)

// conditional reports whether the last line is under a condition, its own or that of the
// nearest line above it that is indented less. A condition that is always true does not count.
func conditional(lines []diffs.Line) bool {
	last := lines[len(lines)-1]
	if trailing.MatchString(last.Text) || condition.MatchString(last.Text) && !alwaysHolds(last.Text) {
		return true
	}
	depth := indent(last.Text)
	for i := len(lines) - 2; i >= 0; i-- {
		t := lines[i].Text
		if lines[i].Kind == '-' || strings.TrimSpace(t) == "" || indent(t) >= depth {
			continue
		}
		return condition.MatchString(t) && !alwaysHolds(t)
	}
	return false
}
