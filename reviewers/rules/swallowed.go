package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

var (
	exceptAll   = pattern.Of(`^\s*except\s*:\s*(?:#.*)?$`)
	exceptPass  = pattern.Of(`^\s*except(?:\s+(?:Base)?Exception(?: as \w+)?)?\s*:\s*(?:pass|\.\.\.)$`)
	exceptThen  = pattern.Of(`^\s*except\s+(?:Base)?Exception(?: as \w+)?\s*:$`)
	catchesNone = pattern.Of(`\bcatch\s*(?:\([^()]*\)\s*)?\{\s*\}`)
	catchOpens  = pattern.Of(`\bcatch\s*(?:\([^()]*\)\s*)?\{$`)
)

// errorsSwallowed finds handlers that catch every error and do nothing about it. A
// remark in the place of the handling is a reason, and what raises again handles.
func errorsSwallowed() scan.Rule {
	return scan.Rule{
		Name: "error-swallowed", Category: "errors", Severity: "low", Confidence: scan.Hint, Moves: true,
		Why: "Whatever goes wrong there is never seen: catch what is expected, or say why nothing is to be done.",
		Wants: func(f *scan.File) bool {
			return productCode(f) && (f.Ext == "py" || scan.Words(js + " " + jvm + " cs php swift dart")[f.Ext])
		},
		Line: func(p *scan.Line) []scan.Hit {
			t := strings.TrimRight(p.Text(), " \r")
			if !strings.Contains(t, "except") && !strings.Contains(t, "catch") || testcode.IsComment(t) {
				return nil
			}
			swallows := catchesNone.MatchString(t) || catchOpens.MatchString(t) && strings.HasPrefix(below(p), "}")
			if p.File.Ext == "py" {
				swallows = exceptPass.MatchString(t) || exceptThen.MatchString(t) && (below(p) == "pass" || below(p) == "...") || exceptAll.MatchString(t) && !raises(p)
			}
			if !swallows {
				return nil
			}
			return p.Hit("every error is caught here, and nothing is done about it")
		},
	}
}

// below is the next line that is below one, without blanks around it.
func below(p *scan.Line) string {
	for _, l := range p.Hunk[p.At+1:] {
		if t := strings.TrimSpace(l.Text); l.Kind == p.This().Kind || l.Kind == ' ' {
			if t != "" {
				return t
			}
		}
	}
	return ""
}

// raises reports whether what is indented below a line raises an error.
func raises(p *scan.Line) bool {
	const most = 50 // lines
	depth := testcode.Indent(p.Text())
	for i, l := range p.Hunk[p.At+1:] {
		t := strings.TrimSpace(l.Text)
		if i == most || t != "" && testcode.Indent(l.Text) <= depth {
			break
		}
		if strings.HasPrefix(t, "raise") {
			return true
		}
	}
	return false
}
