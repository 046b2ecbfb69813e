package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// assertionsWeakened finds assertions replaced by weaker ones, such as not nil for equal, unless others are added.
// Honest work does so, too, so it advises; a fix may not, and no step may put a constant, such as assert True, there.
func assertionsWeakened() Rule {
	var lost [isEqual + 1]int // assertions of each grade: removed less added
	var found []Hit
	var was []grade // for each hit, the grade of the replaced line
	return Rule{
		Name: "assertion-weakened", Category: "tests", Severity: "medium", Guard: true, Moves: true,
		Why:   "It accepts values that the assertion it replaces rejected.",
		Wants: func(f *File) bool { return f.Test && f.FileDiff.Status != 'D' },
		Line: func(p *Line) []Hit {
			grade := gradeAt(p.Hunk, p.At)
			if p.This().Kind == '-' {
				lost[grade]++
			} else {
				lost[grade]--
			}
			if p.This().Kind == '+' && (p.At+1 == len(p.Hunk) || p.Hunk[p.At+1].Kind != '+') && len(found) < MaxHits {
				if l, before, now := weaker(p.Hunk, p.At); l != nil {
					h := Hit{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: "an assertion proves less than the one before it"}
					switch {
					case constant().MatchString(l.Text) && inOneTest(p.File.Ext, p.Hunk, p.At):
						h.Severity, h.Title = "high", "an assertion that always holds replaces a real one"
					case before == isEqual && now == holdsPart:
						h.Severity = "low"
					}
					found, was = append(found, h), append(was, before)
				}
			}
			return nil
		},
		End: func(*Change) (hits []Hit) {
			for i, h := range found {
				if lost[was[i]] > 0 || h.Severity == "high" {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// inOneTest reports whether the lines that replace others up to last are of one test: they begin and end none.
func inOneTest(ext string, lines []git.DiffLine, last int) bool {
	def, side := testFormOf(ext).pattern, map[string]byte{}
	for ; def != nil && last >= 0 && lines[last].Kind != ' '; last-- {
		name, kind := def().FindString(lines[last].Text), lines[last].Kind
		if name != "" && side[name] != 0 && side[name] != kind {
			delete(side, name)
		} else if name != "" {
			side[name] = kind
		}
	}
	return len(side) == 0
}

func gradeAt(hunk []git.DiffLine, at int) grade {
	next := slices.IndexFunc(hunk[at+1:], func(l git.DiffLine) bool {
		return hunk[at].Kind == ' ' || l.Kind == ' ' || l.Kind == hunk[at].Kind // the same side's
	})
	line, follows := hunk[at].Text, ""
	if next >= 0 {
		follows = hunk[at+1+next].Text
	}
	switch g := gradeOf(line, follows); {
	case g != notCompared && swallowed(hunk, at):
		return isConstant
	case g == notCompared && hunk[at].Kind == '+' &&
		(more().MatchString(line) || failsNone().MatchString(line) && fails().MatchString(follows)):
		return isTruthy // only for an added line: the replacement of a removed one may be as strong
	default:
		return g
	}
}

// swallowed reports whether the block around an assertion ends with a catch that does nothing when it fails.
func swallowed(hunk []git.DiffLine, at int) bool {
	if swallowsHere().MatchString(hunk[at].Text) {
		return true
	}
	const most = 50   // lines of such a block, so that a hunk is judged in linear time
	var side []string // the lines from the end of the block on
	for _, l := range hunk[at+1 : min(len(hunk), at+most)] {
		if (l.Kind == ' ' || l.Kind == hunk[at].Kind) && (side != nil || l.Text != "" && indent(l.Text) < indent(hunk[at].Text)) {
			side = append(side, l.Text)
		}
	}
	return swallows().MatchString(strings.Join(side[:min(len(side), 3)], "\n"))
}

// weaker returns the first assertion added up to last that is weaker than the one removed there.
func weaker(lines []git.DiffLine, last int) (l *git.DiffLine, before, now grade) {
	type graded struct {
		grade grade
		at    int
	}
	var added, removed []graded
	for i := last; i >= 0 && lines[i].Kind != ' ' && !(lines[i].Kind == '+' && len(removed) > 0); i-- {
		grade := gradeAt(lines, i)
		switch {
		case lines[i].Kind == '-':
			removed = append(removed, graded{grade, i})
		case grade != notCompared:
			added = append(added, graded{grade, i})
		}
	}
	removed = slices.DeleteFunc(removed, func(g graded) bool { return g.grade == notCompared })
	strongest := func(a, b graded) int { return int(b.grade - a.grade) }
	slices.SortStableFunc(added, strongest)
	slices.SortStableFunc(removed, strongest)
	for i := range min(len(added), len(removed)) {
		if added[i].grade < removed[i].grade {
			return &lines[added[i].at], removed[i].grade, added[i].grade
		}
	}
	return nil, 0, 0
}

// grade is how much an assertion proves. Forms that prove the same (Nil, NoError, a length) are not compared.
type grade int

const (
	notCompared grade = iota
	isConstant        // it holds whatever the program does
	isOther           // it is not one certain value
	isThere           // it is not nil
	isTruthy          // or more than nothing
	holdsPart         // it contains, or matches
	isEqual
)

const (
	asserting = `(?:(?:[aA]ssert|require|\bs?t|\bs\dt)\.)`
	nothingIs = `(?:true|True|false|False|nil|None|null|undefined)`
	literal   = `\s*(?:` + nothingIs + `|\d+|"[^"]*"|'[^']*')\s*`
	taking    = `\((?:[st]t?,)?` // with the first argument of an assertion in Go, the test
)

// constants are assertions of constants alone; a test of nothing else is empty.
const constants = asserting + `(?:[eE]qual|strictEqual|deepEqual|deepStrictEqual|is)` + taking +
	literal + `,` + literal + `\)|` +
	asserting + `(?:True|ok|truthy)` + taking + `\s*(?:true|1)\s*\)|\bassertTrue\((?:True|true|1)\)|\bassertEquals?\(` +
	literal + `,` + literal + `\)|` +
	`\bexpect\(` + literal + `\)\.to(?:Be|Equal|StrictEqual|BeTruthy)\(|\bassert (?:True|1)\s*$|\bassert!\(true\)|` +
	`\bassert_eq!\(` + literal + `,` + literal + `\)|\b(?:EXPECT|ASSERT)_(?:TRUE\(true\)|EQ\(` + literal + `,` + literal + `\))`

// constant is an assertion that holds whatever the program returns.
var constant = visible.NewPattern(constants + `|^\s*assert .+ or True\b|\bexpect\(.*\|\| true\)`)

var grades = []struct {
	grade   grade
	pattern visible.Pattern
}{
	{isConstant, constant},
	{isConstant, visible.NewPattern(`^\s*assert \([^()]*(?:\([^()]*\)[^()]*)*, *f?["'][^()]*\)\s*$`)},
	{isOther, visible.NewPattern(asserting + `(?:NotEqual|NotEqualValues|notEqual|notStrictEqual|notDeepEqual|` +
		`notDeepStrictEqual|notSame)\(|\bassertNotEquals?\(|\bassert_ne!\(|\)\.not\.to(?:Be|Equal|` +
		`StrictEqual)\(|^\s*assert .+ != |\b(?:EXPECT|ASSERT)_(?:STR)?NE\(`)},
	{isThere, visible.NewPattern(asserting + `(?:NotNil|NotEmpty|NotZero|Error|exists)\(|\bassertIsNotNone\(|\.toBeDefined\(|\.not\.toBe(?:Null|Undefined)\(|^\s*assert .* is not None|^\s*` + asserting + `?(?:assertTrue|True|ok)\(.*(?:is not None|!= nil|!==? (?:null|undefined))`)},
	{holdsPart, visible.NewPattern(asserting +
		`(?:Contains|Regexp|Subset|match|includes)\(|\bassert(?:In|Regex)\(|\)\.to(?:Contain|Match)\(|^\s*assert .+ in `)},
	{isEqual, visible.NewPattern(asserting + `(?:Equal|EqualValues|Exactly|JSONEq|deepEqual|deepStrictEqual|` +
		`strictEqual|equal|same|is)\(|\bassert(?:Equals?|Same|DictEqual|ListEqual|CountEqual)\(|` +
		`\bassert_eq(?:ual\b|!)|\)\.to(?:Be|Equal|StrictEqual)\(|^\s*assert .+ == |\b(?:EXPECT|` +
		`ASSERT)_(?:STR)?EQ\(`)},
	{isTruthy, visible.NewPattern(asserting +
		`(?:True|ok|truthy)\(|\bassertTrue\(|\)\.toBeTruthy\(|^\s*assert [^=<>]+$|\b(?:EXPECT|ASSERT)_TRUE\(`)},
}

var (
	constantly = visible.NewPattern(`[(,]\s*` + nothingIs + `\s*[,)]|[!=]= ` + nothingIs + `\b|\bis ` + nothingIs)
	compares   = visible.NewPattern(`[=!]=|[<>]|\b(?:in|not|is|and|or)\b|(?i:equal|contain|match|instance|prefix|` +
		`suffix|startswith|endswith|includes|close)`)
)

const argument = `\s*([^(),]+(?:\([^()]*\))?)\s*`

// twice is a comparison of two texts, which hold if they are the same; more is one with next to nothing.
var (
	twice = visible.NewPattern(`(?:` + asserting + `(?:Equal|EqualValues|strictEqual|deepEqual|deepStrictEqual|equal|same|is)|` +
		`\bassert(?:Equals?|Same|_eq!|_equal)|\b(?:EXPECT|ASSERT)_EQ)` + taking + argument + `,` + argument + `[,)]|` +
		`\bexpect\(` + argument + `\)\.to(?:Be|Equal|StrictEqual)\(` + argument + `\)|^\s*assert ([^=]+) == ([^=]+)$`)
	more = visible.NewPattern(`(?:\bassertGreater(?:Equal)?|` + asserting + `(?:Greater(?:OrEqual)?|isAbove|isAtLeast)|` +
		`\b(?:EXPECT|ASSERT)_G[TE])\(.*, *[01] *[,)]|\.(?:toBeGreaterThan(?:OrEqual)?|above|greaterThan|least)\([01]\)|` +
		asserting + `Positive\(|(?:^\s*assert |\bassert(?:True|!)?\(|` + asserting +
		`(?:True|ok|truthy)\()[^=&|]* >=? [01] *(?:[,)]|$)`)
	failsNone    = visible.NewPattern(`^\s*(?:\} else )?if (?:\w+ != nil \|\| )?[^&|]+ (?:== (?:0|"")|<= 0|< 1) \{$`)
	swallowsHere = visible.NewPattern(`\btry\s*\{.*\}\s*catch\s*(?:\([^)]*\)\s*)?\{\s*\}|` +
		`\.catch\(\(?\w*\)?\s*=>\s*\{\s*\}\)`)
	swallows = visible.NewPattern(`^\s*(?:except(?: \(?(?:Base)?Exception\b.*| \(?AssertionError\b.*)?:\s*pass\b|\}\s*catch\s*(?:\(.*\) *)?\{\s*\})`)
)

var (
	fails    = visible.NewPattern(`^\s*(?:[sb]?t|tb|f)\.(?:T\(\)\.)?(?:Error|Fatal|Fail)`)
	failsIf  = visible.NewPattern(`^\s*(?:\} else )?if .+[^=!<>]([!=])= [^&|=!<>]+\{$`)
	failsNot = visible.NewPattern(`[!=]= (?:0|""|` + nothingIs + `)\s*\{$`) // whether there is something at all
	// wantsSome is a condition that fails a test without an error, or without a value.
	wantsSome = visible.NewPattern(`^\s*(?:\} else )?if [^&|]*== nil \{$`)
	never     = visible.NewPattern(`\bif .*&& false \{$|[ (]([\w.()]+) != ([\w.()]+) \{$`) // if both sides are the same
)

// gradeOf returns how much an assertion proves; in Go an if is one if the next line fails the test.
func gradeOf(line, next string) grade {
	line = strings.TrimRight(line, " \r")
	m := failsIf().FindStringSubmatch(line)
	if n := never().FindStringSubmatch(line); n != nil && n[1] == n[2] && fails().MatchString(next) {
		return isConstant
	}
	isIf := m != nil && !failsNot().MatchString(line)
	switch {
	case wantsSome().MatchString(line) && fails().MatchString(next):
		return isThere
	case isComment(line), isIf && !fails().MatchString(next):
		return notCompared
	case isIf && m[1] == "!":
		return isEqual
	case isIf:
		return isOther
	}
	m = twice().FindStringSubmatch(line)
	for i := 1; i < len(m); i += 2 {
		if m[i] != "" && strings.TrimSpace(m[i]) == strings.TrimSpace(m[i+1]) {
			return isConstant
		}
	}
	for _, g := range grades {
		switch {
		case !g.pattern().MatchString(line):
		case (g.grade == isEqual || g.grade == isOther) && constantly().MatchString(line),
			g.grade == isTruthy && compares().MatchString(strings.ReplaceAll(line, "=>", "")):
			return notCompared
		default:
			return g.grade
		}
	}
	return notCompared
}
