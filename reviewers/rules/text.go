package rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
)

// bidiControls finds the characters that reorder text for the eye but not for
// the compiler (CVE-2021-42574). In program text they have no honest use;
// translations and prose in right-to-left scripts do use them.
func bidiControls() scan.Rule {
	return scan.Rule{
		Name: "bidi", Category: "security", Severity: "high", Confidence: scan.Certain, Blocks: true, Guard: true, Moves: true,
		Why: "Characters that change the order in which text is shown can hide what the code does.",
		File: func(_ *scan.Change, f *scan.File) []scan.Hit {
			if f.Status == 'D' || !strings.ContainsFunc(f.Path, visible.Reorders) {
				return nil
			}
			return []scan.Hit{{Path: f.Path, Title: "the file's name holds a bidirectional control character"}}
		},
		Line: func(p *scan.Line) []scan.Hit {
			if isASCII(p.Text()) {
				return nil
			}
			i := strings.IndexFunc(p.Text(), visible.Reorders)
			if i < 0 {
				return nil
			}
			r, _ := utf8.DecodeRuneInString(p.Text()[i:])
			return graded(p, p.Hit(fmt.Sprintf("bidirectional control character %U", r)))
		},
	}
}

// graded lowers the severity of hits outside of program text.
func graded(p *scan.Line, hits []scan.Hit) []scan.Hit {
	if !p.File.Code {
		for i := range hits {
			hits[i].Severity = "low"
		}
	}
	return hits
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invisibles finds characters that show nothing: two names that look the same
// differ, a condition that looks true is false, or a payload hides in what looks
// like an empty string. Joiners between letters of scripts that need them, marks
// behind an emoji and a byte order mark at the start of a file are ordinary.
func invisibles() scan.Rule {
	return scan.Rule{
		Name: "invisible", Category: "security", Severity: "high", Confidence: scan.Certain, Blocks: true, Guard: true, Moves: true,
		Why: "A character that is not seen changes what the code means.",
		Line: func(p *scan.Line) []scan.Hit {
			if isASCII(p.Text()) {
				return nil
			}
			if r := invisibleIn(p.Text(), p.This().New == 1 || p.This().Old == 1); r != 0 {
				return graded(p, p.Hit(fmt.Sprintf("invisible character %U", r)))
			}
			return nil
		},
	}
}

// invisibleIn returns the first invisible character that does not belong where it is,
// or 0.
func invisibleIn(s string, first bool) rune {
	const byteOrderMark = 0xfeff
	for i, r := range visible.Hidden(s) {
		if visible.Ignorable(r) && !(r == byteOrderMark && first && i == 0) {
			return r
		}
	}
	return 0
}

// homoglyphs finds names that mix Latin letters with letters of another script that look the
// same. A word is ordinary if any of its letters looks different.
func homoglyphs() scan.Rule {
	return scan.Rule{
		Name: "homoglyph", Category: "security", Severity: "high", Confidence: scan.Likely, Blocks: true, Guard: true, Moves: true,
		Why:   "A name that looks like another one is another one.",
		Wants: func(f *scan.File) bool { return f.Code && !f.Fixture },
		Line: func(p *scan.Line) []scan.Hit {
			if isASCII(p.Text()) {
				return nil
			}
			for _, w := range strings.FieldsFunc(p.Text(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
				if isLookalike(w) {
					return p.Hit("a name mixes Latin letters with others that look the same: " + fmt.Sprintf("%+q", w))
				}
			}
			return nil
		},
	}
}

func isLookalike(w string) bool {
	latin, other := 0, 0
	for _, r := range w {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin++
		case r < utf8.RuneSelf:
		case unicode.IsLetter(r) && visible.LatinOf(r) != 0:
			other++
		default:
			return false
		}
	}
	return other > 0 && latin > 1
}
