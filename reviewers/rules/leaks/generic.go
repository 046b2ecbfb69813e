package leaks

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// genericSecrets finds a name that says "password" or "key" and, beside it, a
// value that looks drawn: long, of letters and digits, with much entropy. In
// whole trees that leaves 0.23 places in 100 000 lines (measured), too many to
// stop anybody: it only advises.
func genericSecrets() scan.Rule {
	return scan.Rule{
		Name: "secret-generic", Category: "secret", Severity: "medium", Confidence: scan.Likely, Moves: true,
		Why: "It looks like a credential. If it is one, revoke it and read it from the environment.",
		Wants: func(f *scan.File) bool {
			switch f.Class {
			case scan.Source, scan.Config, scan.CI, scan.Other:
				return !f.ForTests
			}
			return false
		},
		Line: func(p *scan.Line) []scan.Hit {
			if len(p.Text()) > 2000 || !hasLongWord(p.Text()) || !scan.HasAny(p.Text(), credentialWords) {
				return nil
			}
			m := assigned.FindStringSubmatch(p.Text())
			if m == nil {
				return nil
			}
			value := m[1] + m[2]
			if !secret.Drawn(value) || secret.Placeholder(value, value) || secret.Known(p.Text()) {
				return nil
			}
			return []scan.Hit{secretHit(p.File.Path, p.This().New, "what looks like a credential", value)}
		},
	}
}

var (
	credentialWords = strings.Fields("assw pwd passphrase secret token key auth redential jwt Pwd Passphrase Secret Token Key Auth Jwt ASSW PWD PASSPHRASE SECRET TOKEN KEY AUTH REDENTIAL JWT")
	assigned        = pattern.Of(`(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api_?-?key|access_?-?key|auth_?-?key|private_?-?key|client_?-?key|signing_?-?key|encryption_?-?key|credentials?|jwt)(?:_?-?(?:id|base|value|str|prod|dev|live|key|token|hash))?\d?["'\]]{0,2}\s*(?::=|=>|=|:|,)\s*(?:["'\x60]([A-Za-z0-9+/_.~!@#$%^&*-]{16,200}={0,2})["'\x60]|([A-Za-z0-9+/_-]{20,200}={0,2})\s*(?:#.*)?$)`)
)

// hasLongWord reports whether a text has a run of 16 letters, digits and marks, with a digit in
// it: no value is shorter. That is quicker than the pattern.
func hasLongWord(s string) bool {
	run, digit := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			run, digit = run+1, true
		case c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '(' || c == ')' || c == ',' || c == ':' || c == ';':
			run, digit = 0, false
		default:
			run++
		}
		if run >= 16 && digit {
			return true
		}
	}
	return false
}
