package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// testFunc is a test in a file.
type testFunc struct {
	Name  string   // its definition, without the body
	Text  string   // its first line
	Line  int      // the number of that line, from 1
	Empty bool     // its body does nothing, or its table has no case
	Body  []string // the lines below that are indented deeper
}

const (
	inMode    = `(?:\.concurrent|\.sequential)*`
	calls     = "\\(\\s*['\"`].*?,(?:(?:[^=]|=[^>])*?(?:=>\\s*\\{|function\\s*\\w*\\([^)]*\\)\\s*\\{))?"
	table     = `(?:it|test|describe)` + inMode + `\.(?:each|for)\b.*?[)` + "`]" // on one line
	tableEnds = `\](?: (?:as|satisfies) [^()]*)?\)|` + "`"                       // or on its last one
)

// testForm is what the first line of a test looks like in some languages.
type testForm struct {
	ext     string
	pattern visible.Pattern
	mark    visible.Pattern // the mark in a line above, if the form alone may be any function's; else nil
}

var testForms = []testForm{
	{ext: "go", pattern: visible.NewPattern(`^func (?:Test|Fuzz)\w*\(\w+ \*testing\.[TF]\)`)},
	{ext: "py", pattern: visible.NewPattern(`^\s*(?:async )?def test\w*\(.*\).*:`)},
	{ext: "js jsx ts tsx mjs cjs mts cts", pattern: visible.NewPattern(`^\s*(?:(?:it|test)` + inMode + `\s*` + calls +
		`|(?:` + table + `|` + tableEnds + `)\s*(?:` + calls + `|\(\s*$))`)},
	{"java kt scala groovy cs", visible.NewPattern(`^\s*(?:public |private |internal |async |suspend )*(?:void|Task|fun) \S.*\(.*\).*\{`), visible.NewPattern(`^\s*(?:@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:\w+, )*(?:Fact|Theory|Test|TestMethod|TestCase)\b)`)},
	{"rs", visible.NewPattern(`^\s*(?:async )?fn \w+\(\).*\{`), visible.NewPattern(`^\s*#\[(?:\w+::)?test\b`)},
	{ext: "rb", pattern: visible.NewPattern(`^\s*(?:it|test|specify) ['"].*do\s*$|^\s*def test_\w+`)},
	{ext: "php", pattern: visible.NewPattern(`^\s*public function test\w*\(`)},
	{ext: "exs", pattern: visible.NewPattern(`^\s*test ".*do\s*$`)},
	{ext: "swift", pattern: visible.NewPattern(`^\s*func test\w*\(\)`)},
}

var assertion = visible.NewPattern(`\b(?:assert\w*|expect\w*|require\.\w+|t\.(?:Error|Errorf|Fatal|Fatalf|Fail|` +
	`FailNow)|verify\w*|XCTAssert\w*|EXPECT_\w+|(?:\w+_)?(?:ASSERT|assert)\w*|(?:BOOST_)?(?:REQUIRE|` +
	`CHECK)(?:_\w+)?|QCOMPARE|QVERIFY2?|raises)\b[!(.]|[.\s]should(?:_not)?[.\s]|^\s*assert[_ (]|` +
	`^\s*(?:is|ok|isnt|is_deeply|like|unlike|cmp_ok|isa_ok) ?(?:[($@!{\['"\\]|.*;$)|^\s*(?:assert[A-Z]\w*|test_expect_\w+) `) // Perl's, and the shell's

// testFormOf returns the form in the language of an extension, without a pattern if that is unknown.
func testFormOf(ext string) (unknown testForm) {
	for _, f := range testForms {
		if isOneOf(ext, f.ext) {
			return f
		}
	}
	return unknown
}

func marked(lines []string, i int, mark visible.Pattern) bool {
	for i--; i >= 0 && !mark().MatchString(lines[i]); i-- {
		if t := strings.TrimSpace(lines[i]); t == "" || !strings.ContainsAny(t[:1], "@[#/*") {
			return false
		}
	}
	return i >= 0
}

// testsIn finds the tests of a file.
func testsIn(ext string, data []byte) []testFunc {
	form := testFormOf(ext)
	def, mark := form.pattern, form.mark
	if def == nil {
		return nil
	}
	lines := strings.Split(string(data), "\n")
	var tests []testFunc
	for i, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		m := def().FindString(l)
		if m == "" || mark != nil && !marked(lines, i, mark) && (!named().MatchString(m) || marked(lines, i, overrides)) {
			continue
		}
		t := testFunc{Name: strings.TrimSpace(m), Text: l, Line: i + 1, Body: lines[i+1:]}
		end := slices.IndexFunc(t.Body, func(below string) bool {
			text := strings.TrimSpace(below) // a brace on a line of its own opens the body
			return text != "" && indent(below) <= indent(l) && text != "{" && !label().MatchString(text)
		})
		if end >= 0 {
			t.Body = t.Body[:end]
		}
		t.Empty = noCases(lines[:i+1]) || !strings.HasSuffix(m, ",") && // test('name', work) has no body
			(returnsFirst().MatchString(l[len(m):]) || emptyBody(l, t.Body))
		tests = append(tests, t)
	}
	return tests
}

// noCases reports whether a test of JavaScript, whose name is in the last line, runs for each row of an empty table.
func noCases(lines []string) bool {
	last := len(lines) - 1
	text := strings.TrimSpace(lines[last])
	for at := last - 1; at >= 0 && strings.HasPrefix(text, "]"); at-- {
		if above := strings.TrimSpace(lines[at]); above != "" && !isComment(above) {
			text = above + text
			break
		}
	}
	return emptyTable().MatchString(text)
}

var (
	named     = visible.NewPattern(`\bvoid test\w*\(\)`) // JUnit 3 went by the name
	overrides = visible.NewPattern(`^\s*@Override\b`)

	oneLine      = visible.NewPattern(`\{(.*)\}\s*\)?;?\s*(?://.*)?$`)
	rubys        = visible.NewPattern(`^\s*def \w+(?:\(\))?\s*(?:;|=\s)\s*(.*?)\s*;?\s*(?:\bend)?\s*(?:#.*)?$`)
	returnsFirst = visible.NewPattern(`^\s*(?:\{\s*)?return\s*;`)
	emptyTable   = visible.NewPattern(`^(?:it|test|describe)(?:\.\w+)*\.(?:each|for)\b[^(]*\(\s*\[\s*\]`)

	label   = visible.NewPattern(`^\w+:$`) // gofmt puts it one level out
	nothing = visible.NewPattern(`^(?://.*|#.*|/\*.*|\*.*|pass|\.\.\.|return;?|\w+\.Parallel\(\)|(?:return )?(?:\w+\.end|done)\(\);?|"""[^"]*"""|'''[^']*'''|[\w$.>-]*(?:` + constants + `)[^;(]*;?|[{})\];]*)$`)
)

// emptyBody reports whether a test does nothing: comments, pass, a bare return, an assertion that is always true.
func emptyBody(first string, body []string) bool {
	if m := oneLine().FindStringSubmatch(first); m != nil {
		return nothing().MatchString(strings.TrimSpace(m[1]))
	}
	if m := rubys().FindStringSubmatch(first); m != nil {
		return nothing().MatchString(m[1])
	}
	if after, ok := strings.CutSuffix(strings.TrimSpace(first), ":"); !ok && strings.Contains(after, "): ") { // def f(): pass
		return nothing().MatchString(after[strings.LastIndex(after, "): ")+3:])
	}
	return !slices.ContainsFunc(body, func(l string) bool {
		t := strings.TrimSpace(l)
		return !nothing().MatchString(t) && !label().MatchString(t)
	})
}

func asserts(text string) bool { return assertion().MatchString(text) && !isComment(text) }

var remarkOfLines = visible.NewPattern(`(?ms)^\s*/\*.*?\*/`)

// silenced reports whether a test asserts nothing any more, and what asserted is in a remark.
func silenced(now, was []string) bool {
	const remark = " \t\r/#*"
	had := map[string]bool{}
	for _, l := range was {
		if asserts(l) {
			had[strings.Trim(l, remark)] = true
		}
	}
	return slices.ContainsFunc(now, func(l string) bool { return had[strings.Trim(l, remark)] }) &&
		!slices.ContainsFunc(strings.Split(remarkOfLines().ReplaceAllString(strings.Join(now, "\n"), ""), "\n"), asserts)
}

var function = visible.NewPattern(`^\s*(?:(?:pub|public|private|protected|internal|static|async|suspend|export|final|override) )*(?:func|def|fn|function|fun|void|Task)\s+(?:\([^)]*\)\s*)?` + "`?" + `(\w+)`)

func functionName(line string) string {
	if m := function().FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// js has the extensions of files with js or TypeScript in them, separated by spaces.
const js = "js jsx ts tsx mjs cjs mts cts vue svelte"

// isOneOf reports whether a word, such as an extension, is one of some that are separated by spaces.
func isOneOf(word, some string) bool { return slices.Contains(strings.Fields(some), word) }

var commentLine = visible.NewPattern(`^\s*(?://|#|/\*|\*|--|;|<!--|REM\b|"""|''')`)

func isComment(line string) bool { return commentLine().MatchString(line) }

func indent(s string) int {
	blanks := s[:len(s)-len(strings.TrimLeft(s, " \t"))]
	return len(blanks) + 7*strings.Count(blanks, "\t")
}

// isEmptied reports whether a test file lost all code, or its tests and assertions and has no new code that could run them.
func isEmptied(ext string, now, was []byte) bool {
	had, left, known := codeLines(was), codeLines(now), map[string]bool{}
	if tests, _ := countTests(ext, had); tests == 0 {
		return len(left) == 0 && len(had) > 0
	}
	if tests, checks := countTests(ext, left); tests+checks > 0 {
		return false
	}
	for _, l := range had {
		known[l] = true
	}
	return !slices.ContainsFunc(left, func(l string) bool { return !known[l] })
}

var remarks = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}}

// codeLines returns the lines of a file that are neither blank nor remarks.
func codeLines(data []byte) []string {
	var lines []string
	until := "" // the end of a comment that began above; "" outside of comments
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		t := strings.TrimSpace(l)
		if until != "" {
			if strings.Contains(t, until) {
				until = ""
			}
			continue
		}
		for _, r := range remarks {
			if rest, begun := strings.CutPrefix(t, r[0]); begun && !strings.Contains(rest, r[1]) {
				until = r[1]
			}
		}
		if t != "" && !isComment(t) {
			lines = append(lines, l)
		}
	}
	return lines
}

// countTests returns how many tests a file has, and how many lines outside of their first that assert.
func countTests(ext string, lines []string) (tests, checks int) {
	def := testFormOf(ext).pattern
	for _, l := range lines {
		switch {
		case def != nil && def().MatchString(l):
			tests++
		case asserts(l):
			checks++
		}
	}
	return tests, checks
}
