package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// grade is how much an assertion proves. Forms that prove the same (Nil, NoError, a length) are not compared.
type grade int

const (
	notCompared grade = iota
	isConstant        // it holds whatever the program does
	isOther           // it is not one certain value
	isThere           // it is not nil
	isTruthy
	holdsPart // it contains, or matches
	isEqual
)

const (
	asserting = `(?:(?:[aA]ssert|require|\bs?t|\bs\dt)\.)`
	nothingIs = `(?:true|True|false|False|nil|None|null|undefined)`
	literal   = `\s*(?:` + nothingIs + `|\d+|"[^"]*"|'[^']*')\s*`
	taking    = `\((?:[st]t?,)?` // of an assertion in Go: the test itself
)

var grades = []struct {
	grade   grade
	pattern *visible.Pattern
}{
	{isConstant, visible.NewPattern(asserting + `(?:[eE]qual|strictEqual|deepEqual|deepStrictEqual|is)` + taking + literal + `,` + literal + `\)|` +
		asserting + `(?:True|ok|truthy)` + taking + `\s*(?:true|1)\s*\)|\bassertTrue\((?:True|true|1)\)|\bassertEquals?\(` + literal + `,` + literal + `\)|` +
		`\bexpect\(` + literal + `\)\.to(?:Be|Equal|StrictEqual|BeTruthy)\(|^\s*assert (?:True|1)\s*$|\bassert!\(true\)|\bassert_eq!\(` + literal + `,` + literal + `\)|` +
		`\b(?:EXPECT|ASSERT)_(?:TRUE\(true\)|EQ\(` + literal + `,` + literal + `\))`)},
	{isOther, visible.NewPattern(asserting + `(?:NotEqual|NotEqualValues|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|notSame)\(|\bassertNotEquals?\(|\bassert_ne!\(|\)\.not\.to(?:Be|Equal|StrictEqual)\(|^\s*assert .+ != |\b(?:EXPECT|ASSERT)_(?:STR)?NE\(`)},
	{isThere, visible.NewPattern(asserting + `(?:NotNil|NotEmpty|NotZero|Error|exists)\(|\bassertIsNotNone\(|\.toBeDefined\(|\.not\.toBe(?:Null|Undefined)\(|^\s*assert .* is not None|^\s*` + asserting + `?(?:assertTrue|True|ok)\(.*(?:is not None|!= nil|!==? (?:null|undefined))`)},
	{holdsPart, visible.NewPattern(asserting + `(?:Contains|Regexp|Subset|match|includes)\(|\bassert(?:In|Regex)\(|\)\.to(?:Contain|Match)\(|^\s*assert .+ in `)},
	{isEqual, visible.NewPattern(asserting + `(?:Equal|EqualValues|Exactly|JSONEq|deepEqual|deepStrictEqual|strictEqual|equal|same|is)\(|\bassert(?:Equals?|DictEqual|ListEqual|CountEqual)\(|\bassert_eq(?:ual\b|!)|\)\.to(?:Be|Equal|StrictEqual)\(|^\s*assert .+ == |\b(?:EXPECT|ASSERT)_(?:STR)?EQ\(`)},
	{isTruthy, visible.NewPattern(asserting + `(?:True|ok|truthy)\(|\bassertTrue\(|\)\.toBeTruthy\(|^\s*assert [^=<>]+$|\b(?:EXPECT|ASSERT)_TRUE\(`)},
}

var (
	constantly = visible.NewPattern(`[(,]\s*` + nothingIs + `\s*[,)]|[!=]= ` + nothingIs + `\b|\bis ` + nothingIs)
	compares   = visible.NewPattern(`[=!]=|[<>]|\b(?:in|not|is|and|or)\b|(?i:equal|contain|match|instance|prefix|suffix|startswith|endswith|includes|close)`)
)

// gradeOfLine returns how much the assertion that begins on a line proves.
func gradeOfLine(line string) grade {
	if !assertsSome(line) || isComment(line) {
		return notCompared
	}
	for _, g := range grades {
		switch {
		case !g.pattern.MatchString(line):
		case (g.grade == isEqual || g.grade == isOther) && constantly.MatchString(line), g.grade == isTruthy && compares.MatchString(strings.ReplaceAll(line, "=>", "")):
			return notCompared
		default:
			return g.grade
		}
	}
	return notCompared
}

var (
	fails    = visible.NewPattern(`^\s*(?:[sb]?t|tb|f)\.(?:T\(\)\.)?(?:Error|Fatal|Fail)`)
	failsIf  = visible.NewPattern(`^\s*(?:\} else )?if .+[^=!<>]([!=])= [^&|=!<>]+\{$`)
	failsNot = visible.NewPattern(`[!=]= (?:0|""|` + nothingIs + `)\s*\{$`) // whether there is something at all
)

// gradeOf returns how much the assertion that begins on a line proves. In Go an if with a comparison is one if
// the next line fails the test.
func gradeOf(line, next string) grade {
	line = strings.TrimRight(line, " \r")
	m := failsIf.FindStringSubmatch(line)
	switch {
	case m == nil || isComment(line) || failsNot.MatchString(line):
		return gradeOfLine(line)
	case !fails.MatchString(next):
		return notCompared
	case m[1] == "!":
		return isEqual
	}
	return isOther
}

func assertsSome(line string) bool {
	return strings.Contains(line, "ssert") || strings.Contains(line, "require.") || strings.Contains(line, "t.") || strings.Contains(line, ".to") || strings.Contains(line, "EXPECT_") || strings.Contains(line, "ASSERT_")
}
