package testcode

import (
	"iter"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Skip is how one language skips a test without a condition. A skip with a condition (platform,
// missing program, -short) is ordinary.
type Skip struct {
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

var skips = []Skip{
	{"go", pattern.Of(`^\s*` + goSkip), true},
	{"go", pattern.Of(`^\s*(?:func (?:Test|Fuzz)\w*\([^)]*\)|\w+\.Run\(.*func\(\w+ \*testing\.T\)) *\{ *` + goSkip), false},
	{"go", pattern.Of(`^(?:[^"'{}/` + "`" + `]|"(?:[^"\\]|\\.)*")*; *` + goSkip), true},
	{"go", pattern.Of(`^\s*if .*\{ *` + goSkip), true},
	{"go", pattern.Of(`^\s*(?:_ = )?(?:P|X)(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`), false},
	{"py", pattern.Of(`^\s*@(?:pytest\.mark\.skip\b|(?:unittest\.)?skip\(|pytest\.mark\.xfail\s*(?:$|\(\s*(?:\)|reason|strict|True|raises)|#)|(?:unittest\.)?expectedFailure\b|(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s*(?:True|1)\b|(?:unittest\.)?skipUnless\(\s*(?:False|0)\b)`), false},
	{"py", pattern.Of(`^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b|^\s*__test__\s*=\s*False|^collect_ignore\b`), false},
	{"py", pattern.Of(`^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise (?:unittest\.)?SkipTest)\b`), true},
	{JavaScript, pattern.Of("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.(?:skip|todo|fixme)(?:\\.each)?\\s*\\(?\\s*(?:['\"`\\[]|true\\b|\\(?\\)?\\s*;?$)|x(?:it|test|describe|context|specify)\\s*\\(\\s*['\"`])"), false},
	{JavaScript, pattern.Of(`^\s*this\.skip\(\)`), true},
	{JavaScript, pattern.Of(`^\s*(?:it|test|describe|suite)(?:\.\w+)*\.(?:skipIf\((?:true|1)\)|runIf\((?:false|0)\))`), false},
	{JavaScript, pattern.Of("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`], *\\{[^}]*\\b" + skipOption), false},
	{JavaScript, pattern.Of("^\\s*(?:return |await )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), true},
	{JavaScript, pattern.Of("^\\s*" + tapeHandle + "?(?:it|test)\\(\\s*['\"`].*(?:function\\s*\\w*\\([^)]*\\)\\s*\\{|=>\\s*\\{?)\\s*(?:return )?" + tapeHandle + "(?:skip|todo)\\(\\s*(?:\\)|['\"`])"), false},
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

// Skips returns the ways to skip a test in the language of an extension.
func Skips(ext string) (list []Skip) {
	for _, s := range skips {
		if isOneOf(ext, s.ext) {
			list = append(list, s)
		}
	}
	return list
}

// Match reports whether a line skips a test like that, whatever its condition.
func (s *Skip) Match(line string) bool { return s.pattern.MatchString(line) }

// Skips reports whether a line skips a test like that without a condition. above are the lines
// above it, the nearest first.
func (s *Skip) Skips(line string, above iter.Seq[string]) bool {
	return s.Match(line) && !(s.guarded && conditional(line, above))
}

var (
	optionLine  = pattern.Of(`^\s*\{?\s*(?:\w+: *[^,{}]*, *)*` + skipOption + `\s*\}?,?$`)
	nameLine    = pattern.Of("^\\s*['\"`].*['\"`],$")
	openLine    = pattern.Of(`^\s*` + tapeHandle + `?(?:it|test|describe|suite)\($`)
	optionsOpen = pattern.Of("^\\s*" + tapeHandle + "?(?:it|test|describe|suite)\\(\\s*['\"`].*['\"`],\\s*\\{$")
)

// SkipsByOption reports whether a line has the options of a test of JavaScript, or one of them,
// that switch it off: its call began on the lines above, of which the nearest comes first.
func SkipsByOption(line string, above iter.Seq[string]) bool {
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
	returns     = pattern.Of(`^(?:return;?|return None|return (?:\w+\.end|done)\(\);?)$`)
	returnsHere = pattern.Of(`[{):] *return;? *\}?$`)
)

// Returns reports whether a line only returns, or does so behind a condition that always holds.
func Returns(line string) bool {
	t := strings.TrimSpace(line)
	return returns.MatchString(t) || AlwaysHolds(t) && returnsHere.MatchString(t)
}

// always are conditions that hold whatever the program does.
var always = strings.Fields(`true True 1 !false !0 !!1 notFalse not0 notNone 1==1 0==0 t!=nil b!=nil len(t.Name())>0 len(t.Name())!=0 len(t.Name())>=1 t.Name()!=""`)

// AlwaysHolds reports whether a line begins an if whose condition decides nothing.
func AlwaysHolds(line string) bool {
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
	condition = pattern.Of(`^\s*(?:\}?\s*(?:else|elif|elsif|elseif)\b|if\b|unless\b|when\b|switch\b|case\b|except\b|rescue\b|catch\b|guard\b)`)
	trailing  = pattern.Of(`[)'"]\s+(?:if|unless)\s+\S`) // Ruby, Python
)

// conditional reports whether a line is under a condition, its own or that of the nearest line
// above it that is indented less. A condition that is always true does not count.
func conditional(line string, above iter.Seq[string]) bool {
	if trailing.MatchString(line) || condition.MatchString(line) && !AlwaysHolds(line) {
		return true
	}
	depth := Indent(line)
	for t := range above {
		if strings.TrimSpace(t) != "" && Indent(t) < depth {
			return condition.MatchString(t) && !AlwaysHolds(t)
		}
	}
	return false
}
