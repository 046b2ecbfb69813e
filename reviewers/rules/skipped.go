package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// testsSkipped finds tests that were switched off. Of 5600 ordinary commits
// 1.8 % add a Skip, nearly all behind a condition, which is left alone.
func testsSkipped() Rule {
	var here []testcode.Skip
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
		File: func(c *Change, f *subject) []Hit {
			planned = c.Plan != nil
			return earlyReturns(c, f)
		},
		Wants: func(f *subject) bool {
			here = testcode.Skips(f.ext)
			return f.test || f.ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *place) []Hit {
			if !isSkip(p, here) || p.replaces(skips) {
				return nil
			}
			hits := p.hit("a test is skipped")
			if !planned && isNewTest(p) {
				hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
			}
			return hits
		},
	}
}

// isSkip reports whether a line switches a test off in one of some forms.
func isSkip(p *place, forms []testcode.Skip) bool {
	above := func(yield func(string) bool) {
		for i := p.at - 1; i >= 0; i-- {
			if p.hunk[i].Kind != '-' && !yield(p.hunk[i].Text) {
				return
			}
		}
	}
	for _, s := range forms {
		if s.Skips(p.text(), above) {
			return true
		}
	}
	return words(js)[p.file.ext] && testcode.SkipsByOption(p.text(), above)
}

// isNewTest reports whether the test that this line switches off comes with the
// change. A session under a plan is asked for tests that run; of a person it is
// a note to do it later.
func isNewTest(p *place) bool {
	if p.file.Status == 'A' {
		return true
	}
	if name := quoted.FindString(p.text()); name != "" { // it.skip('name'
		for _, l := range p.hunk {
			if l.Kind == '-' && strings.Contains(l.Text, name) {
				return false
			}
		}
		if testcode.Definition(p.file.ext) != nil && isDefinition.MatchString(p.text()) {
			return true
		}
	}
	depth := testcode.Indent(p.text())
	for i := p.at - 1; i >= 0; i-- { // t.Skip() in the body
		if t := p.hunk[i].Text; p.hunk[i].Kind != '-' && strings.TrimSpace(t) != "" && testcode.Indent(t) < depth {
			return p.hunk[i].Kind == '+'
		}
	}
	for _, l := range p.hunk[p.at+1:] { // @skip above it
		if t := strings.TrimSpace(l.Text); l.Kind != '-' && t != "" && !strings.HasPrefix(t, "@") && !strings.HasPrefix(t, "#[") && !strings.HasPrefix(t, "[") {
			return l.Kind == '+'
		}
	}
	return false
}

var (
	quoted       = pattern.Of("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = pattern.Of(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)
