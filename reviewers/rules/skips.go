package rules

import (
	"iter"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// skip is how one language skips a test without a condition.
type skip struct {
	ext     string // extensions, separated by spaces
	pattern *visible.Pattern
	guarded bool // it is conditional if the line above that encloses it is an if
}

const (
	goSkip     = `(?:t|b|f|tb|s|suite|c|ctx|q|r)\.(?:T\(\)\.)?(?:Skip|Skipf|SkipNow)\(`
	tapeHandle = `(?:(?:s?t|s\dt|tt|ctx|context)\.)` // what tape and node:test pass to a test
	// skipOption skips such a test forever: its text is the reason.
	skipOption = "(?:skip|todo): *(?:true|1|'[^']*'|\"[^\"]*\"|`[^`]*`) *(?:[,}]|$)"
)

var skips = []skip{
	{"go", visible.NewPattern(`^\s*` + goSkip), true},
	{"go", visible.NewPattern(`^\s*(?:func (?:Test|Fuzz)\w*\([^)]*\)|\w+\.Run\(.*func\(\w+ \*testing\.T\)) *\{ *` + goSkip), false},
	{"go", visible.NewPattern(`^(?:[^"'{}/` + "`" + `]|"(?:[^"\\]|\\.)*")*; *` + goSkip), true},
	{"go", visible.NewPattern(`^\s*if .*\{ *` + goSkip), true},
	{"go", visible.NewPattern(`^\s*(?:_ = )?(?:P|X)(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`), false},
	{"py", visible.NewPattern(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\s*(?:$|\(\s*(?:\)|reason|strict|True|raises)|#)|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s*(?:True|1)\b|(?:unittest\.)?skipUnless\(\s*(?:False|0)\b)`), false},
	{"py", visible.NewPattern(`^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b|^\s*__test__\s*=\s*False|^collect_ignore\b`), false},
	{"py", visible.NewPattern(`^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{js, visible.NewPattern("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.(?:skip|todo|fixme)(?:\\.each)?\\s*\\(?\\s*(?:['\"`\\[]|true\\b|\\(?\\)?\\s*;?$)|x(?:it|test|describe|context|specify)\\s*\\(\\s*['\"`])"), false},
	{js, visible.NewPattern(`^\s*this\.skip\(\)`), true},
	{js, visible.NewPattern(`^\s*(?:it|test|describe|suite)(?:\.\w+)*\.(?:skipIf\((?:true|1)\)|runIf\((?:false|0)\))`), false},
	{js, visible.NewPattern("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`], *\\{[^}]*\\b" + skipOption), false},
	{js, visible.NewPattern("^\\s*(?:return |await )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), true},
	{js, visible.NewPattern("^\\s*" + tapeHandle + "?(?:it|test)\\(\\s*['\"`].*(?:function\\s*\\w*\\([^)]*\\)\\s*\\{|=>\\s*\\{?)\\s*(?:return )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), false},
	{"java kt scala groovy", visible.NewPattern(`^\s*@(?:Disabled|Ignore|org\.junit\.Ignore)(?:\(|\s|$)|@Test\(.*\benabled\s*=\s*false`), false},
	{"scala", visible.NewPattern(`^\s*ignore\("`), false},
	{"rs", visible.NewPattern(`^\s*#\[ignore\b`), false},
	{"cs", visible.NewPattern(`^\s*\[(?:\w+, )*(?:Ignore\b|(?:Fact|Theory|Test|TestMethod)\(\s*Skip\s*=|Explicit\b)`), false},
	{"rb", visible.NewPattern(`^\s*(?:x(?:it|describe|context|specify|scenario)\s+['"]|(?:skip|pending)(?:\s+['"(]|\s*$|\(['"])|(?:it|describe|context|scenario)\s+['"].*,\s*(?::skip|skip:\s*(?:true|['"])))`), true},
	{"php", visible.NewPattern(`markTest(?:Skipped|Incomplete)\(`), true},
	{"exs ex", visible.NewPattern(`^\s*@(?:module)?(?:describe)?tag (?::skip\b|skip:)`), false},
	{"swift", visible.NewPattern(`^\s*throw XCTSkip\(|@Test\(.*\.disabled\(`), true},
	{"c cc cpp cxx hpp h", visible.NewPattern(`^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*\w+\s*,\s*DISABLED_`), false},
	{"c cc cpp cxx hpp h", visible.NewPattern(`^\s*GTEST_SKIP\(\)`), true},
	{"c cc cpp cxx hpp h cs swift", visible.NewPattern(`^\s*#\s*if\s+(?:0|false)\b`), false},
	{"py", visible.NewPattern(`^\s*if (?:False|0)\s*:`), false},
	{"rs", visible.NewPattern(`^\s*#!?\[cfg\((?:any\(\)|false|FALSE|not\(test\)|all\(test, *(?:any\(\)|not\(test\)|false)\))\)`), false},
	{"dart", visible.NewPattern(`\bskip:\s*(?:true|['"])`), false},
	{"lua", visible.NewPattern(`^\s*pending\(`), false},
	{"sh bash bats", visible.NewPattern(`^\s*skip(?:\s+['"]|\s*$)`), true},
}

func skipsOf(ext string) (list []skip) {
	for _, s := range skips {
		if isOneOf(ext, s.ext) {
			list = append(list, s)
		}
	}
	return list
}

func (s *skip) Match(line string) bool { return s.pattern.MatchString(line) }

// Skips reports whether a line skips a test without a condition; above are the lines above it, the nearest first.
func (s *skip) Skips(line string, above iter.Seq[string]) bool {
	return s.Match(line) && !(s.guarded && conditional(line, above))
}

var (
	optionLine  = visible.NewPattern(`^\s*\{?\s*(?:\w+: *[^,{}]*, *)*` + skipOption + `\s*\}?,?$`)
	nameLine    = visible.NewPattern("^\\s*['\"`].*['\"`],$")
	openLine    = visible.NewPattern(`^\s*` + tapeHandle + `?(?:it|test|describe|suite)\($`)
	optionsOpen = visible.NewPattern("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`],\\s*\\{$")
)

// skipsByOption reports whether a line is an option that switches off a test of JavaScript, whose call is above.
func skipsByOption(line string, above iter.Seq[string]) bool {
	if !strings.Contains(line, "skip:") && !strings.Contains(line, "todo:") || !optionLine.MatchString(line) {
		return false
	}
	name := false
	for l := range above {
		l = strings.TrimRight(l, " \r")
		if name {
			return openLine.MatchString(l)
		}
		if name = nameLine.MatchString(l); !name {
			return optionsOpen.MatchString(l)
		}
	}
	return false
}

var (
	returns     = visible.NewPattern(`^(?:return;?|return None|return (?:\w+\.end|done)\(\);?)$`)
	returnsHere = visible.NewPattern(`[{):] *return;? *\}?$`)
)

// onlyReturns reports whether a line only returns, or does so behind a condition that always holds.
func onlyReturns(line string) bool {
	t := strings.TrimSpace(line)
	return returns.MatchString(t) || alwaysHolds(t) && returnsHere.MatchString(t)
}

// always are conditions that hold whatever the program does.
var always = strings.Fields(`true True 1 !false !0 !!1 notFalse not0 notNone 1==1 0==0 t!=nil b!=nil len(t.Name())>0 len(t.Name())!=0 len(t.Name())>=1 t.Name()!=""`)

// alwaysHolds reports whether a line begins an if whose condition decides nothing.
func alwaysHolds(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "if")
	rest = strings.Join(strings.Fields(rest), "")
	if i := strings.LastIndexAny(rest, "{:"); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, ";"), "return")
	if inner, paren := strings.CutPrefix(rest, "("); paren {
		rest = strings.TrimSuffix(inner, ")")
	}
	return ok && slices.Contains(always, rest)
}

var (
	condition = visible.NewPattern(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	trailing  = visible.NewPattern(`[)'"]\s+(?:if|unless)\s+\S`) // Ruby, Python
)

// conditional reports whether a line, or the nearest line above that is indented less, is an if that may not hold.
func conditional(line string, above iter.Seq[string]) bool {
	if trailing.MatchString(line) || condition.MatchString(line) && !alwaysHolds(line) {
		return true
	}
	depth := indent(line)
	for t := range above {
		if strings.TrimSpace(t) != "" && indent(t) < depth {
			return condition.MatchString(t) && !alwaysHolds(t)
		}
	}
	return false
}
