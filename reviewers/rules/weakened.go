package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// How much an assertion proves. One that is none of these, or that proves as much in another form
// (Nil, NoError, a length), is not compared.
const (
	notCompared = iota
	isOther     // it is not one certain value
	isThere     // it is not nil
	isTruthy
	holdsPart // it contains, or matches
	isEqual
)

const (
	asserting = `(?:(?:[aA]ssert|require|\bs?t|\bs\dt)\.)`
	nothingIs = `(?:true|True|false|False|nil|None|null|undefined)`
)

var grades = []struct {
	rank    int
	pattern *pattern.Pattern
}{
	{isOther, pattern.Of(asserting + `(?:NotEqual|NotEqualValues|notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|notSame)\(|\bassertNotEquals?\(|\bassert_ne!\(|\)\.not\.to(?:Be|Equal|StrictEqual)\(|^\s*assert .+ != |\b(?:EXPECT|ASSERT)_(?:STR)?NE\(`)},
	{isThere, pattern.Of(asserting + `(?:NotNil|NotEmpty|NotZero|Error|exists)\(|\bassertIsNotNone\(|\.toBeDefined\(|\.not\.toBe(?:Null|Undefined)\(|^\s*assert .* is not None|^\s*` + asserting + `?(?:assertTrue|True|ok)\(.*(?:is not None|!= nil|!==? (?:null|undefined))`)},
	{holdsPart, pattern.Of(asserting + `(?:Contains|Regexp|Subset|match|includes)\(|\bassert(?:In|Regex)\(|\)\.to(?:Contain|Match)\(|^\s*assert .+ in `)},
	{isEqual, pattern.Of(asserting + `(?:Equal|EqualValues|Exactly|JSONEq|deepEqual|deepStrictEqual|strictEqual|equal|same|is)\(|\bassert(?:Equals?|DictEqual|ListEqual|CountEqual)\(|\bassert_eq(?:ual\b|!)|\)\.to(?:Be|Equal|StrictEqual)\(|^\s*assert .+ == |\b(?:EXPECT|ASSERT)_(?:STR)?EQ\(`)},
	{isTruthy, pattern.Of(asserting + `(?:True|ok|truthy)\(|\bassertTrue\(|\)\.toBeTruthy\(|^\s*assert [^=<>]+$|\b(?:EXPECT|ASSERT)_TRUE\(`)},
}

var (
	constantly = pattern.Of(`[(,]\s*` + nothingIs + `\s*[,)]|[!=]= ` + nothingIs + `\b|\bis ` + nothingIs)
	compares   = pattern.Of(`[=!]=|[<>]|\b(?:in|not|is|and|or)\b|(?i:equal|contain|match|instance|prefix|suffix|startswith|endswith|includes|close)`)
)

// gradeOf returns how much the assertion that begins on a line proves.
func gradeOf(line string) int {
	if !assertsSome(line) || isComment(line) {
		return notCompared
	}
	for _, g := range grades {
		switch {
		case !g.pattern.MatchString(line):
		case (g.rank == isEqual || g.rank == isOther) && constantly.MatchString(line), g.rank == isTruthy && compares.MatchString(line):
			return notCompared
		default:
			return g.rank
		}
	}
	return notCompared
}

var (
	fails    = pattern.Of(`^\s*(?:[sb]?t|tb|f)\.(?:T\(\)\.)?(?:Error|Fatal|Fail)`)
	failsIf  = pattern.Of(`^\s*(?:\} else )?if .+[^=!<>]([!=])= [^&|=!<>]+\{$`)
	failsNot = pattern.Of(`[!=]= (?:0|""|` + nothingIs + `)\s*\{$`) // whether there is something at all
)

// gradeAt is gradeOf for a line of a hunk. In Go an if with a comparison asserts, if what follows
// fails the test.
func gradeAt(hunk []diffs.Line, at int) int {
	text := strings.TrimRight(hunk[at].Text, " \r")
	if !strings.HasSuffix(text, "{") {
		return gradeOf(hunk[at].Text)
	}
	m := failsIf.FindStringSubmatch(text)
	if m == nil || isComment(text) || failsNot.MatchString(text) {
		return gradeOf(hunk[at].Text)
	}
	for _, l := range hunk[at+1:] {
		switch {
		case hunk[at].Kind != ' ' && l.Kind != ' ' && l.Kind != hunk[at].Kind:
			continue // of the other side
		case !fails.MatchString(l.Text):
			return notCompared
		case m[1] == "!":
			return isEqual
		}
		return isOther
	}
	return notCompared
}

// assertsSome says quickly that most lines assert nothing.
func assertsSome(line string) bool {
	return strings.Contains(line, "ssert") || strings.Contains(line, "require.") || strings.Contains(line, "t.") || strings.Contains(line, ".to") || strings.Contains(line, "EXPECT_") || strings.Contains(line, "ASSERT_")
}

// assertionsWeakened finds assertions in whose place is one that proves less: that a value is
// there instead of which one it is. How many there are is the same. Honest work does it if a
// value is not known, so it advises; a fix may not do it. Assertions that the change adds
// elsewhere make up for it.
func assertionsWeakened() Rule {
	var lost [isEqual + 1]int // assertions of each rank: removed less added
	var found []Hit
	var was []int // of each hit: what it replaces
	return Rule{
		Name: "assertion-weakened", Category: "tests", Severity: "medium", Confidence: Hint, Moves: true,
		Why:   "It passes with values with which the assertion before it failed.",
		Wants: func(f *subject) bool { return f.test && f.Status != 'D' },
		Line: func(p *place) []Hit {
			rank := gradeAt(p.hunk, p.at)
			if p.line().Kind == '-' {
				lost[rank]++
			} else {
				lost[rank]--
			}
			if p.line().Kind == '+' && (p.at+1 == len(p.hunk) || p.hunk[p.at+1].Kind != '+') && len(found) < maxHits {
				if l, before, now := weaker(p.hunk, p.at); l != nil {
					h := Hit{Path: p.file.Path, Line: l.New, Quote: l.Text, Title: "an assertion proves less than the one before it"}
					if before == isEqual && now == holdsPart {
						h.Severity = "low"
					}
					found, was = append(found, h), append(was, before)
				}
			}
			return nil
		},
		End: func(*Change) (hits []Hit) {
			for i, h := range found {
				if lost[was[i]] > 0 {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// weaker compares the assertions that were added in the lines of a hunk up to one with those that
// were removed there, the strongest with the strongest. It returns the first weaker one.
func weaker(lines []diffs.Line, last int) (l *diffs.Line, before, now int) {
	type graded struct{ rank, at int }
	var added, removed []graded
	for i := last; i >= 0 && lines[i].Kind != ' ' && !(lines[i].Kind == '+' && len(removed) > 0); i-- {
		rank := gradeAt(lines, i)
		switch {
		case lines[i].Kind == '-':
			removed = append(removed, graded{rank, i})
		case rank != notCompared:
			added = append(added, graded{rank, i})
		}
	}
	removed = slices.DeleteFunc(removed, func(g graded) bool { return g.rank == notCompared })
	strongest := func(a, b graded) int { return b.rank - a.rank }
	slices.SortStableFunc(added, strongest)
	slices.SortStableFunc(removed, strongest)
	for i := range min(len(added), len(removed)) {
		if added[i].rank < removed[i].rank {
			return &lines[added[i].at], removed[i].rank, added[i].rank
		}
	}
	return nil, 0, 0
}
