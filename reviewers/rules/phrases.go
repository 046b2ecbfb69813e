package rules

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// ownCode chooses program text that people wrote here, not fixtures.
func ownCode(f *File) bool { return f.Code && !f.Fixture }

//go:embed silencers.txt
var silencersText string

// silencer is a line of silencers.txt: marks that switch a checker off, by the extensions of a language.
type silencer struct {
	ext   string
	marks []string
}

var silencers = sync.OnceValue(func() (all []silencer) {
	for l := range strings.Lines(silencersText) {
		if ext, marks, ok := strings.Cut(strings.Replace(l, "@JS", js, 1), ": "); ok && !strings.HasPrefix(l, "#") {
			all = append(all, silencer{ext, strings.Fields(marks)})
		}
	}
	return all
})

// suppressions finds silenced checkers. 3.4 % of commits do it, so a review advises; a fix may not silence its finding.
func suppressions() Rule {
	var marks []string
	silenced := func(text string) string { return firstIn(strings.Join(strings.Fields(text), ""), marks) }
	return Rule{
		Name: "suppression", Category: "suppression", Severity: "low", Moves: true,
		Why: "A checker is silenced. Say why, or answer what it found.",
		Wants: func(f *File) bool {
			marks = nil
			for _, s := range silencers() {
				if isOneOf(f.Ext, s.ext) && (ownCode(f) || f.Class == CI && !f.Fixture) {
					marks = append(marks, s.marks...)
				}
			}
			return len(marks) > 0
		},
		Line: func(p *Line) []Hit {
			if silenced(p.Text()) != "" && !p.Replaces(silenced) {
				return p.Hit("a checker is switched off here")
			}
			return nil
		},
	}
}

func firstIn(text string, words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.Contains(text, w) }); i >= 0 {
		return words[i]
	}
	return ""
}

const (
	remark   = `(?i)^\s*(?://+|#+|/\*+|<!--|--+|;+|\*|\{/\*|%|"""|''')\s*[\[(<]?`
	omitted  = `(?:omitted|truncated|elided|shortened|unchanged|abbreviated)`
	asBefore = `(?:(?:remains?|stays?|is|are) (?:the same|unchanged|as (?:before|is|it was)|identical|omitted|` +
		`below|here)|goe?s? (?:here|below)|unchanged\b|here\b|omitted\b|as before|continues|\.\.\.|…)`
)

// elided matches the remarks with which models leave out code.
var elided = []visible.Pattern{
	visible.NewPattern(remark + `(?:\.{3}|…)\s*\(?(?:and )?(?:the )?(?:` + alternatives(`(?:rest|remainder)(?:\s+of\b|\W*$) remaining existing previous
		other\s(?:methods|functions|code|imports|fields|cases|tests|existing) unchanged same\sas omitted your\s(?:existing\s)?code
		more\s(?:code|methods|functions|tests) keep code\s(?:unchanged|continues|above|below)`) + `)\b`),
	visible.NewPattern(remark + `(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:existing |original |previous )?(?:` +
		alternatives(`code file function class implementation methods? functions module component imports tests logic script body`) + `)\b\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:keep |all )?(?:existing|previous|original|other|remaining|unchanged) (?:` +
		alternatives(`code imports methods functions implementation fields logic tests content routes handlers props styles`) + `)\W{0,3}` + asBefore),
	visible.NewPattern(remark + `(?:(?:code|implementation|content|lines|details|body|rest|imports) )?(?:is |are )?` +
		omitted + ` for (?:brevity|clarity|space)`),
}

// elisionWords are in every such remark: most lines have none, and need no pattern.
var elisionWords = strings.Fields(`... … main unchanged Unchanged UNCHANGED same omitted Omitted truncated
		Truncated elided shortened abbreviated here goes go continues before below`)

// elisions finds remarks in place of code. In the histories measured there was none.
func elisions() Rule {
	find := func(text string) string {
		if firstIn(text, elisionWords) == "" {
			return ""
		}
		for _, p := range elided {
			if said := p().FindString(text); said != "" {
				return said
			}
		}
		return ""
	}
	return Rule{
		Name: "elision", Category: "unfinished", Severity: "high", Blocks: true, Guard: true, Moves: true,
		Why:   "A remark is where code should be: that code was not written, or was lost.",
		Wants: func(f *File) bool { return ownCode(f) && f.Class != CI },
		Line: func(p *Line) []Hit {
			switch {
			case p.This().New == 1 && strings.HasPrefix(p.Text(), "```"):
				return p.Hit("a fence of Markdown around the code")
			case find(p.Text()) != "" && !p.Replaces(find):
				return p.Hit("a remark in place of code")
			}
			return nil
		},
	}
}
