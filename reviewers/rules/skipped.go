package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// testsSkipped finds tests that were switched off without a condition; with one, 1.8 % of ordinary commits do it.
func testsSkipped() Rule {
	var here []testMark
	anySkip := func(text string) string { // in whatever form
		if slices.ContainsFunc(here, func(m testMark) bool { return m.pattern().MatchString(text) }) {
			return "a skip"
		}
		return ""
	}
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		Wants: func(f *File) bool {
			here = marksOf(f.Ext, skips)
			return f.Test || f.Ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *Line) []Hit {
			hits := p.Hit("a test is skipped")
			switch {
			case endsRun(p):
				return p.Hit("this ends the run with success, whatever the tests would find")
			case returnsEarly(p):
				hits = p.Hit("a test returns before it does anything")
			case p.Replaces(anySkip), !isSkip(p, here) && (anySkip(p.Text()) == "" || !replacesAssertion(p)):
				return nil
			case !isSkip(p, here):
				hits[0].Severity, hits[0].Title, hits[0].Explain = "medium", "a test is skipped where it failed before", true
				return hits
			}
			if p.Change.Plan == nil && isNewTest(p) {
				hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
			}
			return hits
		},
	}
}

// replacesAssertion reports whether a line is added where more assertions are taken away than added.
func replacesAssertion(p *Line) bool {
	changed := map[byte]int{}
	for i, l := range p.Hunk {
		if l.Kind == ' ' && i > p.At {
			break
		} else if l.Kind == ' ' {
			clear(changed)
		} else if asserts(l.Text) {
			changed[l.Kind]++
		}
	}
	return p.This().Kind == '+' && changed['-'] > changed['+']
}

// exits are lines that end a whole run with success: at the top of a file, or in a function called before the tests.
var exits = []struct {
	ext         string
	line, opens visible.Pattern
}{
	{"go", visible.NewPattern(`^\s+(?:os|syscall)\.Exit\(0\)`), visible.NewPattern(`^func (?:TestMain|init)\(`)},
	{"py", visible.NewPattern(`^(?:sys\.exit|os\._exit|exit|quit)\(0?\)|^pytest\.exit\(|^unittest\.(?:main|` +
		`TestProgram|TextTestRunner|TestCase\.(?:assert\w+|fail|run))\b[\w.]* *=[^=]`), nil},
	{js, visible.NewPattern(`^(?:after(?:All)?\(.*)?process\.(?:exit|reallyExit)\(0?\)|` +
		`^process\.on\(['"](?:beforeE|e)xit['"],.*(?:xit\(0?\)|exitCode *= *0)`), nil},
	{"rb", visible.NewPattern(`^exit!?(?:\((?:0|true)?\)| 0| true)?\s*$`), nil},
	{"pl t sh bash bats",
		visible.NewPattern(`^exit(?:\s+0|\(0\))?;?\s*$|^done_testing(?:\(\))?; *exit|^trap ['"]?exit 0['"]? `), nil},
	{"c cc cpp cxx", visible.NewPattern(`^\s+(?:std::)?(?:_|quick_)?exit\((?:0|EXIT_SUCCESS)\);`),
		visible.NewPattern(`^(?:TYPED_)?TEST\w*\(|^BOOST_AUTO_TEST_CASE\(`)},
}

// endsRun reports whether a line leaves out all tests of a run, under no condition.
func endsRun(p *Line) bool {
	for _, e := range exits {
		if !isOneOf(p.File.Ext, e.ext) || !e.line().MatchString(p.Text()) {
			continue
		}
		if e.opens == nil { // a script may end so
			return slices.ContainsFunc(p.Hunk[p.At+1:],
				func(l git.DiffLine) bool { return l.Kind != '-' && strings.TrimSpace(l.Text) != "" })
		}
		if at, _ := enclosing(p); at >= 0 {
			return e.opens().MatchString(p.Hunk[at].Text)
		}
	}
	return false
}

// enclosing returns where the line is that encloses another, except conditions that always hold, and how deep that, or
// the first such condition, is indented; at is -1 without one.
func enclosing(p *Line) (at, depth int) {
	depth = indent(p.Text())
	for at = p.At - 1; at >= 0; at-- {
		t := p.Hunk[at].Text
		if p.Hunk[at].Kind == '-' || strings.TrimSpace(t) == "" || indent(t) >= depth {
			continue
		}
		if !alwaysHolds(t) {
			break
		}
		depth = indent(t)
	}
	return at, depth
}

// returnsEarly reports whether a line returns from a test, whatever holds, before other statements of its body.
func returnsEarly(p *Line) bool {
	def := testFormOf(p.File.Ext).pattern
	if def == nil || !onlyReturns(p.Text()) {
		return false
	}
	at, depth := enclosing(p)
	if at < 0 || !def().MatchString(p.Hunk[at].Text) {
		return false
	}
	follows, quoted := false, 0
	for _, l := range p.Hunk[at:p.At] {
		quoted += strings.Count(l.Text, "`") + strings.Count(l.Text, `"""`) + strings.Count(l.Text, "'''")
	}
	if quoted%2 == 1 { // the text of a program
		return false
	}
	for _, l := range p.Hunk[p.At+1:] {
		t := strings.TrimSpace(l.Text)
		if l.Kind == '-' || strings.Trim(t, "})];,") == "" {
			continue
		}
		if indent(l.Text) < depth || strings.HasPrefix(strings.TrimLeft(t, "} "), "else") || strings.HasPrefix(t, "function ") {
			break
		}
		follows = follows || indent(l.Text) == depth
	}
	return follows
}

func isSkip(p *Line, forms []testMark) bool {
	text := p.Text()
	if strings.HasSuffix(text, "(") && p.At+1 < len(p.Hunk) { // the arguments are on the next line
		text += strings.TrimSpace(p.Hunk[p.At+1].Text)
	}
	return slices.ContainsFunc(forms, func(m testMark) bool {
		return m.pattern().MatchString(text) && !(m.guarded && conditional(p))
	}) ||
		isOneOf(p.File.Ext, js) && skipsByOption(p)
}

// isNewTest reports whether the test that this line switches off is new: of a person that is a note for later.
func isNewTest(p *Line) bool {
	if name := quoted().FindString(p.Text()); name != "" { // it.skip('name'
		for _, l := range p.Hunk {
			if l.Kind == '-' && strings.Contains(l.Text, name) {
				return false
			}
		}
		if testFormOf(p.File.Ext).pattern != nil && isDefinition().MatchString(p.Text()) {
			return true
		}
	}
	if at, _ := enclosing(p); at >= 0 { // t.Skip() in the body
		return p.Hunk[at].Kind == '+'
	}
	for _, l := range p.Hunk[p.At+1:] { // @skip above it
		if t := strings.TrimSpace(l.Text); l.Kind != '-' && t != "" && !startsWith(t, []string{"@", "#[", "["}) {
			return l.Kind == '+'
		}
	}
	return false
}

var (
	quoted       = visible.NewPattern("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = visible.NewPattern(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)

// testMark is how one language marks a test to run alone, or to be skipped without a condition.
type testMark struct {
	ext     string // extensions, separated by spaces
	pattern visible.Pattern
	guarded bool // the skip is conditional if an if encloses it
}

// marksOf returns the marks of the language with an extension.
func marksOf(ext string, all []testMark) []testMark {
	return slices.DeleteFunc(slices.Clone(all), func(m testMark) bool { return !isOneOf(ext, m.ext) })
}

const (
	goSkip     = `(?:t|b|f|tb|s|suite|c|ctx|q|r)\.(?:T\(\)\.)?(?:Skip|Skipf|SkipNow)\(`
	byVariable = `\w+, *(?:async\b|function\b|\()`   // a test's name in a variable, and its function
	tapeHandle = `(?:(?:s?t|s\dt|tt|ctx|context)\.)` // the argument that tape and node:test pass to a test
	// skipOption matches an option that always skips a test; its text is the reason.
	skipOption = "(?:skip|todo): *(?:true|1|'[^']*'|\"[^\"]*\"|`[^`]*`) *(?:[,}]|$)"
)

// skips are the marks of tests that are skipped.
var skips = []testMark{
	{"go", visible.NewPattern(`^\s*` + goSkip), true},
	{"go", visible.NewPattern(`^\s*(?:func (?:Test|Fuzz)\w*\([^)]*\)|` +
		`\w+\.Run\(.*func\(\w+ \*testing\.T\)) *\{ *` + goSkip + `|^\s*(?:_ = )?flag\.Set\("test\.(?:run|skip|` +
		`short)"|^\s*if false \{|^(?:func (?:TestMain|init)\(|var ).*\b(?:os|syscall)\.Exit\(0\)`), false},
	{"go", visible.NewPattern(`^(?:[^"'{}/` + "`" + `]|"(?:[^"\\]|\\.)*")*; *` + goSkip), true},
	{"go", visible.NewPattern(`^\s*if .*\{ *` + goSkip), true},
	{"go", visible.NewPattern(`^\s*(?:_ = )?(?:P|X)(?:It|Describe|Context|Entry|When|Specify|` +
		`DescribeTable)\(\s*"`), false},
	{"py", visible.NewPattern(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\s*(?:$|` +
		`\(\s*(?:\)|reason|strict|True|raises)|#)|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|` +
		`(?:unittest\.)?skipIf)\(\s*(?:condition *= *)?["']?(?:(?:True|1|not (?:False|None|0))\b|` +
		`sys\.version_info *>=? *\((?:2|3,? *[0-6]?\)))|pytest\.mark\.parametrize\(.*, *\[\] *\)|` +
		`(?:unittest\.)?skipUnless\(\s*(?:False|0)\b)`), false},
	{"py", visible.NewPattern(`^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b|^\s*__test__\s*=\s*False|` +
		`^collect_ignore\b`), false},
	{"py", visible.NewPattern(`^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{js, visible.NewPattern("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.(?:skip|" +
		"todo|fixme|failing|fails)(?:\\.each)?\\s*\\(?\\s*(?:['\"`\\[]|true\\b|" + byVariable + "|\\(?\\)?\\s*;?$)|" +
		"x(?:it|test|describe|context|specify)(?:\\.each\\b|\\s*\\(\\s*(?:['\"`]|" + byVariable + ")))"), false},
	{js, visible.NewPattern(`^\s*(?:this\.skip\(\)|pending\(['"]|(?:const|let|var) (?:it|test|describe|` +
		`expect) *= *(?:\(.*\)|\w+) *=> *\{ *\})`), true},
	{js, visible.NewPattern(`^\s*(?:it|test|describe|suite)(?:\.\w+)*\.(?:skipIf\((?:true|1)\)|runIf\((?:false|` +
		`0)\))|^\s*if \((?:false|0)\) \{`), false},
	{js, visible.NewPattern("^\\s*" + tapeHandle +
		"?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`], *\\{[^}]*\\b" + skipOption), false},
	{js, visible.NewPattern("^\\s*(?:return |await )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), true},
	{js, visible.NewPattern("^\\s*" + tapeHandle + "?(?:it|" +
		"test)\\(\\s*['\"`].*(?:function\\s*\\w*\\([^)]*\\)\\s*\\{|" +
		"=>\\s*\\{?)\\s*(?:return )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), false},
	{"java kt scala groovy", visible.NewPattern(`^\s*@(?:[\w.]+\.)?(?:Disabled|Ignore)(?:\(|\s|$)|` +
		`@Test\(.*\b(?:enabled\s*=\s*false|expected\s*=\s*(?:[\w.]*AssertionError|Throwable)\b)`), false},
	{"java kt scala groovy", visible.NewPattern(`^\s*(?:Assum(?:e|ptions)\.)?assume(?:True\(\s*false|` +
		`False\(\s*true)|^\s*System\.exit\(0\)`), true},
	{"scala", visible.NewPattern(`^\s*ignore\("|"\s+ignore\s*\{`), false},
	{"rs", visible.NewPattern(`^\s*#\[(?:ignore\b|cfg_attr\((?:test|all\(\)|not\(any\(\)\)|true), *ignore\b)`), false},
	{"cs", visible.NewPattern(`^\s*\[(?:\w+, )*(?:Ignore\b|(?:Fact|Theory|Test|TestMethod)\(\s*Skip\s*=|` +
		`Explicit\b)`), false},
	{"cs", visible.NewPattern(`^\s*(?:Skip\.If\(true|Assert\.(?:Ignore|Inconclusive|Pass)\()`), true},
	{"rb", visible.NewPattern(`^at_exit \{.*exit!?\b|^\s*(?:x(?:it|describe|context|specify|scenario)\s+['"]|` +
		`(?:skip|pending)(?:\s+['"(]|\s*$|\(['"])|(?:it|describe|context|scenario)\s+['"].*,\s*(?::skip|` +
		`skip:\s*(?:true|['"])))`), true},
	{"php", visible.NewPattern(`markTest(?:Skipped|Incomplete)\(`), true},
	{"exs ex", visible.NewPattern(`^\s*@(?:module)?(?:describe)?tag (?::skip\b|skip:)`), false},
	{"swift", visible.NewPattern(`^\s*throw XCTSkip\(|@Test\(.*\.disabled\(`), true},
	{"c cc cpp cxx hpp h", visible.NewPattern(`^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*\w+\s*,\s*DISABLED_`), false},
	{"c cc cpp cxx hpp h", visible.NewPattern(`^\s*GTEST_SKIP\(\)`), true},
	{"c cc cpp cxx hpp h", visible.NewPattern(`^\s*TEST_CASE\(".*(?:doctest::skip\(\)|"\[\.|\[!hide\])`), false},
	{"c cc cpp cxx hpp h cs swift", visible.NewPattern(`^\s*#\s*if\s+(?:0|false)\b`), false},
	{"py", visible.NewPattern(`^\s*if (?:False|0)\s*:|^atexit\.register\(.*exit\(0?\)|^(?:del test_|` +
		`test_\w+ *= *None\b)`), false},
	{"rs", visible.NewPattern(`^\s*#!?\[cfg\((?:any\(\)|false|FALSE|not\(test\)|all\(test, *(?:any\(\)|not\(test\)|` +
		`false)\))\)`), false},
	{"dart", visible.NewPattern(`\bskip:\s*(?:true|['"])`), false},
	{"lua", visible.NewPattern(`^\s*pending\(`), false},
	{"hs", visible.NewPattern(`^\s*x(?:it|describe|context|specify) "|^\s*(?:it|` +
		`specify) ".*\bpending(?:With)?\b`), false},
	{"clj cljs cljc", visible.NewPattern(`^\s*#_ *\(deftest\b|^\(comment\s*$`), false},
	{"jl", visible.NewPattern(`^\s*@test_(?:skip|broken)\b`), false},
	{"r", visible.NewPattern(`^\s*(?:testthat::)?skip\(`), true},
	{"zig", visible.NewPattern(`^\s*return error\.SkipZigTest`), true},
	{"pl t", visible.NewPattern(`^\s*(?:plan\(?\s*['"]?skip_all\b|use Test::More skip_all\b|local \$TODO\b)`), true},
	{"sh bash bats", visible.NewPattern(`^\s*skip(?:\s+['"]|\s*$)`), true},
}

var (
	optionLine  = visible.NewPattern(`^\s*\{?\s*(?:\w+: *[^,{}]*, *)*` + skipOption + `\s*\}?,?$`)
	nameLine    = visible.NewPattern("^\\s*['\"`].*['\"`],$")
	openLine    = visible.NewPattern(`^\s*` + tapeHandle + `?(?:it|test|describe|suite)\($`)
	optionsOpen = visible.NewPattern("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`],\\s*\\{$")
)

// skipsByOption reports whether a line is an option that switches off a test of JavaScript, whose call is above.
func skipsByOption(p *Line) bool {
	if line := p.Text(); !strings.Contains(line, "skip:") && !strings.Contains(line, "todo:") || !optionLine().MatchString(line) {
		return false
	}
	name := false
	for _, above := range slices.Backward(p.Hunk[:p.At]) {
		if above.Kind == '-' {
			continue
		}
		l := strings.TrimRight(above.Text, " \r")
		if name {
			return openLine().MatchString(l)
		}
		if name = nameLine().MatchString(l); !name {
			return optionsOpen().MatchString(l)
		}
	}
	return false
}

var (
	returns = visible.NewPattern(`^(?:return;?|return None|return (?:\w+\.end|done)\(\);?|next|` +
		`(?:std::process::|process\.|runtime\.|os\.)?(?:_?exit!?|Goexit|Exit)\(0?\);?)$`)
	returnsHere = visible.NewPattern(`[{):] *return;? *\}?$`)
)

// onlyReturns reports whether a line only returns, or does so behind a condition that always holds.
func onlyReturns(line string) bool {
	t := strings.TrimSpace(line)
	return returns().MatchString(t) || alwaysHolds(t) && returnsHere().MatchString(t)
}

// always are conditions that hold whatever the program does.
var always = strings.Fields(`true True 1 !false !0 !!1 notFalse not0 notNone 1==1 0==0 t!=nil b!=nil
		len(t.Name())>0 len(t.Name())!=0 len(t.Name())>=1 t.Name()!="" len(os.Args)>0 runtime.GOOS!=""
		runtime.GOARCH!="" !testing.Short() testing.Testing()`)

// alwaysHolds reports whether a line begins an if whose condition decides nothing.
func alwaysHolds(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "if")
	rest = strings.Join(strings.Fields(strings.ReplaceAll(rest, " or ", "||")), "")
	if i := strings.LastIndexAny(rest, "{:"); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, ";"), "return")
	if inner, paren := strings.CutPrefix(rest, "("); paren {
		rest = strings.TrimSuffix(inner, ")")
	}
	return ok && slices.ContainsFunc(strings.Split(rest, "||"), func(c string) bool {
		a, b, equal := strings.Cut(c, "==")
		return slices.Contains(always, c) || equal && a == strings.TrimPrefix(b, "=")
	})
}

var (
	condition = visible.NewPattern(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	trailing  = visible.NewPattern(`[)'"]\s+(?:if|unless)\s+\S`) // Ruby, Python
)

// conditional reports whether a line, or the one that encloses it, is an if that may not hold.
func conditional(p *Line) bool {
	line := p.Text()
	at, _ := enclosing(p)
	return trailing().MatchString(line) || condition().MatchString(line) && !alwaysHolds(line) || at >= 0 && condition().MatchString(p.Hunk[at].Text)
}
