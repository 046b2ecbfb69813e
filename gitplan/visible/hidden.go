package visible

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisibleClasses has the Unicode classes of characters that are not drawn, or that fonts draw differently.
var invisibleClasses = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point,
}

// isVisible reports whether a character is visible in every context.
func isVisible(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r == 0x2800: // a braille pattern without a dot, which to Unicode is a symbol
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // the number signs of Arabic and others
		return true
	}
	return !unicode.In(r, invisibleClasses...)
}

// Hidden yields the characters of a text that are invisible where they stand, with their byte offsets.
func Hidden(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		for i := 0; i < len(s); {
			if c := s[i]; c < utf8.RuneSelf {
				ends := c == '\n' || c == '\r' && strings.HasPrefix(s[i+1:], "\n")
				if (c < ' ' && !ends && c != '\t' || c == 0x7f) && !yield(i, rune(c)) {
					return
				}
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isVisible(r) && !changesPrevious(s[:i], r, s[i+n:]) && !yield(i, r) {
				return
			}
			i += n
		}
	}
}

// All reports whether every character of a text is visible.
func All(s string) bool {
	for range Hidden(s) {
		return false
	}
	return true
}

const (
	nonJoiner = 0x200c
	joiner    = 0x200d
	selector  = "\ufe0f" // selects the coloured form of an emoji
	keycap    = "\u20e3"
)

// changesPrevious reports whether a joiner or selector changes the look of the character before it, as in Hindi or emoji.
func changesPrevious(before string, r rune, after string) bool {
	joins := r == joiner || r == nonJoiner
	if joins {
		before = strings.TrimSuffix(before, selector)
	}
	prev, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case string(r) == selector && strings.HasPrefix(after, keycap):
		return strings.ContainsRune("0123456789#*", prev)
	case joins || unicode.Is(unicode.Variation_Selector, r) && !mayHideText(before, prev, r):
		return isVisible(prev) &&
			(prev > unicode.MaxLatin1 && !unicode.Is(unicode.Latin, prev) || prev >= utf8.RuneSelf && unicode.IsSymbol(prev))
	}
	return false
}

// mayHideText reports whether a variation selector may be a letter of a hidden message: it follows a character that has
// no variants, or a different selector precedes it closely. The two selectors between emoji and text never are.
func mayHideText(before string, prev, r rune) bool {
	if r|1 == 0xfe0f || unicode.Is(unicode.Mongolian, prev) {
		return false
	}
	for range 16 {
		c, n := utf8.DecodeLastRuneInString(before)
		if before = before[:len(before)-n]; c != r && unicode.Is(unicode.Variation_Selector, c) && c|1 != 0xfe0f {
			return true
		}
	}
	// mathematical symbols have variants
	return r >= 0xe0100 && !unicode.Is(unicode.Ideographic, prev) || unicode.IsSymbol(prev) && r != 0xfe00
}

// Reorders reports whether a character changes the order of text beyond itself: embeddings, overrides, isolates.
func Reorders(r rune) bool {
	return unicode.Is(unicode.Bidi_Control, r) && r != 0x200e && r != 0x200f && r != 0x61c // the plain marks of direction
}

// Ignorable reports whether every font draws nothing for a character that changes no order.
func Ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.In(r, unicode.Prepended_Concatenation_Mark, unicode.Bidi_Control)
}

// Describe names the hidden characters of a text; "" without any.
func Describe(s string) string {
	const most = 5
	var names []string
	for _, r := range Hidden(s) {
		if name := fmt.Sprintf("%U", r); len(names) <= most && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > most {
		names[most] = "more"
	}
	return strings.Join(names, ", ")
}
