package rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// hiddenText finds characters that make code read differently from what a compiler sees: those that reorder text
// (CVE-2021-42574), invisible ones, and lookalikes of Latin letters. Outside of program text it only notes them.
func hiddenText() Rule {
	return Rule{
		Name: "hidden-text", Category: "security", Severity: "high", Blocks: true, Guard: true, Moves: true,
		Why: "Characters that are invisible, reorder text or look like other letters hide what the code does.",
		File: func(_ *Change, f *File) []Hit {
			if f.FileDiff.Status == 'D' || !strings.ContainsFunc(f.FileDiff.Path, visible.Reorders) {
				return nil
			}
			return []Hit{{Path: f.FileDiff.Path, Title: "the file's name holds a bidirectional control character"}}
		},
		Line: func(p *Line) []Hit {
			if !strings.ContainsFunc(p.Text(), func(r rune) bool { return r >= utf8.RuneSelf }) {
				return nil
			}
			title := hiddenIn(p)
			if title == "" {
				return nil
			}
			hits := p.Hit(title)
			if !p.File.Code {
				hits[0].Severity = "low"
			}
			return hits
		},
	}
}

func hiddenIn(p *Line) string {
	const byteOrderMark = 0xfeff
	text, first := p.Text(), p.This().New == 1 || p.This().Old == 1
	if i := strings.IndexFunc(text, visible.Reorders); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Sprintf("bidirectional control character %U", r)
	}
	for i, r := range visible.Hidden(text) {
		if visible.Ignorable(r) && !(r == byteOrderMark && first && i == 0) {
			return fmt.Sprintf("invisible character %U", r)
		}
	}
	if !ownCode(p.File) {
		return ""
	}
	for _, w := range strings.FieldsFunc(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if isLookalike(w) {
			return fmt.Sprintf("a name mixes Latin letters with others that look the same: %+q", w)
		}
	}
	return ""
}

// isLookalike reports whether all letters of a word look Latin and some are not.
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
