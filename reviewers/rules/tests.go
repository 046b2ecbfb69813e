package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// A failing test can be made to pass by removing it; since the check passes then, nothing else would notice.
const aboutTests = "A test that is gone or does not run proves nothing any more."

// focuses mark a test to run alone, by the extensions of a language.
var focuses = []struct {
	ext     string
	pattern *visible.Pattern
}{
	{js, visible.NewPattern("^\\s*(?:await )?(?:(?:it|test|describe|context|suite|specify)(?:\\.\\w+)*\\.only\\b|(?:f(?:it|describe|context))\\s*\\(\\s*(?:['\"`]|" + byVariable + "))")},
	{"go", visible.NewPattern(`^\s*(?:_ = )?F(?:It|Describe|Context|Entry|When|Specify|DescribeTable)\(\s*"`)},
	{"rb", visible.NewPattern(`^\s*(?:f(?:it|describe|context|eature|scenario)\s+['"]|(?:it|describe|context|feature|scenario)\s+['"].*[,{ ]\s*(?::focus\b|focus:\s*true|:focus\s*=>\s*true))`)},
	{"dart", visible.NewPattern(`\bsolo:\s*true\b`)},
	{"exs", visible.NewPattern(`^\s*@(?:module)?tag :(?:focus|only)\b`)},
	{"groovy kt java scala", visible.NewPattern(`^\s*@(?:spock\.lang\.)?IgnoreRest\b`)},
	{"py", visible.NewPattern(`^\s*@(?:pytest\.mark\.)?(?:only|focus)\b`)},
	{"lua", visible.NewPattern(`^\s*(?:it|describe)\(.*#only\b`)},
}

// testsFocused finds tests marked to run alone, which never occurred in 5600 ordinary commits.
func testsFocused() Rule {
	var here []*visible.Pattern
	return Rule{
		Name: "test-focused", Category: "tests", Severity: "high", Confidence: Certain, Blocks: true, Guard: true, Moves: true,
		Why: "While one test is marked to run alone, no other runs.",
		Wants: func(f *File) bool {
			here = nil
			for _, p := range focuses {
				if isOneOf(f.Ext, p.ext) {
					here = append(here, p.pattern)
				}
			}
			return f.Test && len(here) > 0
		},
		Line: func(p *Line) []Hit {
			if slices.ContainsFunc(here, func(mark *visible.Pattern) bool { return mark.MatchString(p.Text()) }) {
				return p.Hit("a test is marked to run alone")
			}
			return nil
		},
	}
}

func testsEmptied() Rule {
	return Rule{
		Name: "test-emptied", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			if f.FileDiff.Status == 'D' || f.FileDiff.Binary || f.FileDiff.OldOID == f.FileDiff.NewOID || !f.Test {
				return nil
			}
			head, ok := c.Blob(f.FileDiff.NewOID)
			if !ok {
				return nil
			}
			before := map[string]bool{}
			if base, ok := c.Blob(f.FileDiff.OldOID); ok {
				for _, t := range testsIn(Extension(f.FileDiff.OldPath), base) {
					before[t.Name] = t.Empty
				}
			}
			var hits []Hit
			for _, t := range testsIn(f.Ext, head) {
				if t.Empty && !before[t.Name] {
					hits = append(hits, Hit{Path: f.FileDiff.Path, Line: t.Line, Quote: t.Text, Title: "a test has nothing in it"})
				}
			}
			return hits
		},
	}
}

// testsRemoved and assertionsRemoved find changes that leave fewer of them, over all files. 1 and 2 % of ordinary
// commits do it, so a review only advises; a fix may not.
func testsRemoved() Rule {
	var def *visible.Pattern
	return fewer("tests-removed", "medium", "test",
		func(f *File) bool { def = testDefinition(f.Ext); return def != nil },
		func(s string) bool { return def.MatchString(s) })
}

// fewer counts what a change adds and removes in tests, except in files that test-deleted judges.
func fewer(name, severity, what string, wants func(*File) bool, is func(string) bool) Rule {
	lost, path, gone := 0, "", false
	return Rule{
		Name: name, Category: "tests", Severity: severity, Confidence: Hint, Guard: severity != "low", Moves: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			_, gone = emptied(c, f)
			gone = gone || f.FileDiff.Status == 'D'
			return nil
		},
		Wants: func(f *File) bool { return f.Test && !gone && wants(f) },
		Line: func(p *Line) []Hit {
			l := p.This()
			switch {
			case isComment(l.Text) || !is(l.Text):
			case l.Kind == '+':
				lost--
			default:
				lost++
				path = cmp.Or(path, p.File.FileDiff.Path)
			}
			return nil
		},
		End: func(*Change) []Hit {
			if lost <= 0 {
				return nil
			}
			if lost > 1 {
				what += "s"
			}
			return []Hit{{Path: path, Title: fmt.Sprintf("the change takes %d more %s away than it adds", lost, what)}}
		},
	}
}
