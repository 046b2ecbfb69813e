package visible

import "unicode"

// Reorders reports whether a character changes the order in which text is shown,
// beyond itself: embeddings, overrides and isolates. The plain marks of direction
// are not among them.
func Reorders(r rune) bool {
	return unicode.Is(unicode.Bidi_Control, r) && !isMark(r)
}

// Ignorable reports whether every font draws nothing for a character, apart from those that
// change the order of text.
func Ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.In(r, unicode.Prepended_Concatenation_Mark, unicode.Bidi_Control)
}

// isMark reports whether a character is one of the plain marks of direction.
func isMark(r rune) bool { return r == 0x200e || r == 0x200f || r == 0x61c }
