package rules

import (
	"bytes"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// testsSkipped finds tests that were switched off. Of 5600 ordinary commits
// 1.8 % add a Skip, nearly all behind a condition, which is left alone.
func testsSkipped() scan.Rule {
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
	return scan.Rule{
		Name: "test-skipped", Category: "tests", Severity: "high", Confidence: scan.Likely, Blocks: true, Guard: true, Moves: true, Why: aboutTests,
		File: func(c *scan.Change, f *scan.File) []scan.Hit {
			planned = c.Plan != nil
			return earlyReturns(c, f)
		},
		Wants: func(f *scan.File) bool {
			here = testcode.Skips(f.Ext)
			return f.Test || f.Ext == "rs" // Rust keeps tests beside the code
		},
		Line: func(p *scan.Line) []scan.Hit {
			if !isSkip(p, here) || p.Replaces(skips) {
				return nil
			}
			hits := p.Hit("a test is skipped")
			if !planned && isNewTest(p) {
				hits[0].Severity, hits[0].Title = "medium", "a new test is skipped"
			}
			return hits
		},
	}
}

// isSkip reports whether a line switches a test off in one of some forms.
func isSkip(p *scan.Line, forms []testcode.Skip) bool {
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
	return scan.Words(js)[p.File.Ext] && testcode.SkipsByOption(p.Text(), above)
}

// isNewTest reports whether the test that this line switches off comes with the
// change. A session under a plan is asked for tests that run; of a person it is
// a note to do it later.
func isNewTest(p *scan.Line) bool {
	if p.File.Status == 'A' {
		return true
	}
	if name := quoted.FindString(p.Text()); name != "" { // it.skip('name'
		for _, l := range p.Hunk {
			if l.Kind == '-' && strings.Contains(l.Text, name) {
				return false
			}
		}
		if testcode.Definition(p.File.Ext) != nil && isDefinition.MatchString(p.Text()) {
			return true
		}
	}
	depth := testcode.Indent(p.Text())
	for i := p.At - 1; i >= 0; i-- { // t.Skip() in the body
		if t := p.Hunk[i].Text; p.Hunk[i].Kind != '-' && strings.TrimSpace(t) != "" && testcode.Indent(t) < depth {
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
	quoted       = pattern.Of("'[^']+'|\"[^\"]+\"|`[^`]+`")
	isDefinition = pattern.Of(`^\s*(?:await )?(?:x?(?:it|test|describe|context|suite|specify)\b)`)
)

// earlyReturns finds the tests of a file that now return, whatever holds, before what they did:
// at the top, or after the set-up. Such a test proves nothing, and only a step that names the
// file may ask for it.
func earlyReturns(c *scan.Change, f *scan.File) []scan.Hit {
	if !f.Test || f.Binary || f.Status == 'D' || f.OldOID == f.NewOID || testcode.Definition(f.Ext) == nil {
		return nil
	}
	now, ok := c.Blob(f.NewOID)
	if !ok || len(now) > maxRead || !bytes.Contains(now, []byte("return")) {
		return nil
	}
	old, _ := c.Blob(f.OldOID)
	had, was := map[string]bool{}, map[string]bool{}
	for _, t := range testcode.Of(scan.Extension(f.OldPath), old) {
		was[t.Name] = true
	}
	for _, r := range testcode.Returning(scan.Extension(f.OldPath), old) {
		had[r.Name] = true
	}
	var hits []scan.Hit
	for _, h := range hitsOf(testcode.Returning(f.Ext, now)) {
		if had[h.Key] {
			continue
		}
		if h.Path = f.Path; c.Plan == nil && !was[h.Key] {
			h.Severity = "medium"
		}
		hits = append(hits, h)
	}
	return hits
}
