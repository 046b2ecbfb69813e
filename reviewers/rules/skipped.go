package rules

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// testsSkipped finds tests that were switched off without a condition; with one, 1.8 % of ordinary commits do it.
func testsSkipped() Rule {
	var here []skip
	skips := func(text string) string { // in whatever form
		for _, s := range here {
			if s.Match(text) {
				return "a skip"
			}
		}
		return ""
	}
	planned := false
	return Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Confidence: Likely, Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			planned = c.Plan != nil
			return nil
		},
		Wants: func(f *File) bool {
			here = skipsOf(f.Ext)
			return f.Test || f.Ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *Line) []Hit {
			hits := p.Hit("a test is skipped")
			switch {
			case endsRun(p):
				return p.Hit("this ends the run with success, whatever the tests would find")
			case returnsEarly(p):
				hits = p.Hit("a test returns before it does anything")
			case !isSkip(p, here) || p.Replaces(skips):
				return nil
			}
			if !planned && isNewTest(p) {
				hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
			}
			return hits
		},
	}
}

// exits are lines that end a whole run with success: at the top of a file, or in a function called before the tests.
var exits = []struct {
	ext         string
	line, opens *visible.Pattern
}{
	{"go", visible.NewPattern(`^\s+os\.Exit\(0\)`), visible.NewPattern(`^func (?:TestMain|init)\(`)},
	{"py", visible.NewPattern(`^(?:sys\.exit|os\._exit|exit|quit)\(0?\)`), nil},
	{js, visible.NewPattern(`^process\.exit\(0?\)`), nil},
}

// endsRun reports whether a line leaves out all tests of a run, under no condition.
func endsRun(p *Line) bool {
	for _, e := range exits {
		if !isOneOf(p.File.Ext, e.ext) || !e.line.MatchString(p.Text()) {
			continue
		}
		if e.opens == nil { // a script may end so
			return slices.ContainsFunc(p.Hunk[p.At+1:], func(l git.DiffLine) bool { return l.Kind != '-' && strings.TrimSpace(l.Text) != "" })
		}
		depth := indent(p.Text())
		for i := p.At - 1; i >= 0; i-- {
			if t := p.Hunk[i].Text; p.Hunk[i].Kind != '-' && strings.TrimSpace(t) != "" && indent(t) < depth && !alwaysHolds(t) {
				return e.opens.MatchString(t)
			}
		}
	}
	return false
}

// returnsEarly reports whether a line returns from a test, whatever holds, before other statements of its body.
func returnsEarly(p *Line) bool {
	def := testDefinition(p.File.Ext)
	if def == nil || !onlyReturns(p.Text()) {
		return false
	}
	depth, follows, quoted := indent(p.Text()), false, 0
	for i := p.At - 1; i >= 0; i-- {
		t := p.Hunk[i].Text
		quoted += strings.Count(t, "`") + strings.Count(t, `"""`) + strings.Count(t, "'''")
		if p.Hunk[i].Kind == '-' || strings.TrimSpace(t) == "" || indent(t) >= depth {
			continue
		}
		if !alwaysHolds(t) {
			if !def.MatchString(t) || quoted%2 == 1 { // the text of a program
				return false
			}
			break
		}
		depth = indent(t)
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

func isSkip(p *Line, forms []skip) bool {
	above := func(yield func(string) bool) {
		for i := p.At - 1; i >= 0; i-- {
			if p.Hunk[i].Kind != '-' && !yield(p.Hunk[i].Text) {
				return
			}
		}
	}
	for _, s := range forms {
		if s.Skips(p.Text(), above) {
			return true
		}
	}
	return isOneOf(p.File.Ext, js) && skipsByOption(p.Text(), above)
}

// isNewTest reports whether the test that this line switches off is new: of a person that is a note for later.
func isNewTest(p *Line) bool {
	if p.File.FileDiff.Status == 'A' {
		return true
	}
	if name := quoted.FindString(p.Text()); name != "" { // it.skip('name'
		for _, l := range p.Hunk {
			if l.Kind == '-' && strings.Contains(l.Text, name) {
				return false
			}
		}
		if testDefinition(p.File.Ext) != nil && isDefinition.MatchString(p.Text()) {
			return true
		}
	}
	depth := indent(p.Text())
	for i := p.At - 1; i >= 0; i-- { // t.Skip() in the body
		if t := p.Hunk[i].Text; p.Hunk[i].Kind != '-' && strings.TrimSpace(t) != "" && indent(t) < depth {
			return p.Hunk[i].Kind == '+'
		}
	}
	for _, l := range p.Hunk[p.At+1:] { // @skip above it
		if t := strings.TrimSpace(l.Text); l.Kind != '-' && t != "" && !strings.HasPrefix(t, "@") && !strings.HasPrefix(t, "#[") && !strings.HasPrefix(t, "[") {
			return l.Kind == '+'
		}
	}
	return false
}

var (
	quoted       = visible.NewPattern("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = visible.NewPattern(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)
