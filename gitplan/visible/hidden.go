package visible

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// brailleBlank is a braille pattern without a dot, which to Unicode is a symbol.
const brailleBlank = 0x2800

// unseen are Unicode's properties of what is drawn as nothing, or differently from place to
// place. What is not assigned yet is drawn as a box, and so is seen.
var unseen = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
}

// seen reports whether a character is seen wherever it is.
func seen(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r == brailleBlank:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // the number signs of Arabic and others
		return true
	}
	return !unicode.In(r, unseen...)
}

// Hidden yields the characters of a text that are not seen where they stand, with
// their offsets. Tabs and the ends of lines are seen.
func Hidden(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		for i := 0; i < len(s); {
			if c := s[i]; c < utf8.RuneSelf {
				if (c < ' ' && !endsOrTab(s, i) || c == 0x7f) && !yield(i, rune(c)) {
					return
				}
				i++
				continue
			}
			if n := flag(s[i:]); n > 0 {
				i += n
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if !seen(r) && !isText(s[:i], r, s[i+n:]) && !yield(i, r) {
				return
			}
			i += n
		}
	}
}

// endsOrTab reports whether a control character ends a line, or is a tab.
func endsOrTab(s string, i int) bool {
	return s[i] == '\n' || s[i] == '\t' || s[i] == '\r' && strings.HasPrefix(s[i+1:], "\n")
}

// All reports whether every character of a text is seen.
func All(s string) bool {
	for range Hidden(s) {
		return false
	}
	return true
}
