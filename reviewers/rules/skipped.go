package rules

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// testsSkipped finds tests that were switched off without a condition; with one, 1.8 % of ordinary commits do it.
func testsSkipped() Rule {
	var here []testMark
	anySkip := func(text string) string {
		if slices.ContainsFunc(here, func(m testMark) bool { return m.pattern().MatchString(text) }) {
			return "a skip"
		}
		return ""
	}
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		Wants: func(f *File) bool {
			here = marksOf(f.Ext, false)
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

//go:embed testmarks.txt
var testMarksText string

const (
	goSkip     = `(?:t|b|f|tb|s|suite|c|ctx|q|r)\.(?:T\(\)\.)?(?:Skip|Skipf|SkipNow)\(`
	byVariable = `\w+, *(?:async\b|function\b|\()`   // a test's name in a variable, and its function
	tapeHandle = `(?:(?:s?t|s\dt|tt|ctx|context)\.)` // the argument that tape and node:test pass to a test
	// skipOption matches an option that always skips a test; its text is the reason.
	skipOption = "(?:skip|todo): *(?:true|1|'[^']*'|\"[^\"]*\"|`[^`]*`) *(?:[,}]|$)"
)

// testMark is a line of testmarks.txt: a form in which a language marks a test to run alone or to be skipped.
type testMark struct {
	ext     string // extensions, separated by spaces
	pattern visible.Pattern
	focus   bool // the test runs alone; else it is skipped
	guarded bool // the skip is conditional if an if encloses it
}

var testMarks = sync.OnceValue(func() (all []testMark) {
	text := strings.NewReplacer("@JS", js, "@SKIP", goSkip, "@NAME", byVariable, "@HANDLE", tapeHandle,
		"@OPTION", skipOption).Replace(testMarksText)
	heading := ""
	for l := range strings.Lines(text) {
		if l = strings.TrimSuffix(l, "\n"); strings.HasPrefix(l, "[") {
			heading = l
		} else if ext, pattern, ok := strings.Cut(l, ": "); ok && heading != "" {
			all = append(all, testMark{ext, visible.NewPattern(pattern), heading == "[focus]", heading != "[skip]"})
		}
	}
	return all
})

// marksOf returns the marks of tests to run alone, or to be skipped, in the language of an extension.
func marksOf(ext string, focus bool) []testMark {
	return slices.DeleteFunc(slices.Clone(testMarks()), func(m testMark) bool {
		return m.focus != focus || !isOneOf(ext, m.ext)
	})
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
