package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	wordEnd   = 0x200b
	nonJoiner = 0x200c
	joiner    = 0x200d
	asText    = 0xfe0e // the selectors that have an emoji drawn as text, and in colours
	asEmoji   = 0xfe0f
	keycap    = 0x20e3
)

// joining are the scripts in which a joiner changes how a letter is drawn.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam,
	unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Hanifi_Rohingya, unicode.Sogdian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Brahmi, unicode.Grantha, unicode.Newa,
	unicode.Tirhuta, unicode.Chakma, unicode.Meetei_Mayek, unicode.Sharada, unicode.Kaithi,
}

// unspaced are the scripts without blanks, in which a word's end can be marked.
var unspaced = []*unicode.RangeTable{unicode.Khmer, unicode.Lao, unicode.Thai, unicode.Myanmar, unicode.Tibetan}

// varied are the scripts whose characters have registered variants, as symbols do.
var varied = []*unicode.RangeTable{
	unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean, unicode.Egyptian_Hieroglyphs,
}

// flags are the sequences of tags that Unicode recommends: the flags of England,
// Scotland and Wales. Fonts draw no others.
var flags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

func tagged(region string) string {
	var b strings.Builder
	b.WriteRune(0x1f3f4) // the black flag
	for _, c := range region {
		b.WriteRune(tags + c)
	}
	b.WriteRune(0xe007f)
	return b.String()
}

// flag returns the length, in bytes, of such a flag at the start of s; 0 if there is none.
func flag(s string) int {
	for _, f := range flags {
		if strings.HasPrefix(s, f) {
			return len(f)
		}
	}
	return 0
}

// isText reports whether a character that is hidden by itself is text where it is,
// between what is before it and after it.
func isText(before string, r rune, after string) bool {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == wordEnd:
		return joinsWords(prev) && joinsWords(next)
	case r == nonJoiner:
		return joins(before)
	case r == joiner:
		return joins(before) || isEmoji(lastEmoji(before)) && isEmoji(next)
	case r == asEmoji && next == keycap:
		return strings.ContainsRune("0123456789#*", prev)
	case r == asText || r == asEmoji:
		return prev >= utf8.RuneSelf && seen(prev) && (unicode.In(prev, unicode.S, unicode.P) || prev == 0x2139)
	case r >= 0x180b && r <= 0x180f: // the selectors and the vowel separator of Mongolian
		return unicode.Is(unicode.Mongolian, prev) && seen(prev)
	case r >= 0xfe00 && r < asText:
		return prev >= utf8.RuneSelf && seen(prev) && (unicode.In(prev, unicode.Sm, unicode.P) || unicode.In(prev, varied...))
	case r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, prev)
	}
	return false
}

// joins reports whether s ends in a letter that a joiner changes, with its marks.
func joins(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	for i := 0; i < 4 && unicode.Is(unicode.Inherited, r) && unicode.Is(unicode.Mn, r) && seen(r); i++ {
		s = s[:len(s)-n]
		r, n = utf8.DecodeLastRuneInString(s)
	}
	return unicode.In(r, joining...) && seen(r)
}

func joinsWords(r rune) bool { return unicode.In(r, unspaced...) && seen(r) }

// lastEmoji returns the character that a joiner behind s joins: a selector or a skin tone
// belongs to the emoji before it.
func lastEmoji(s string) rune {
	r, n := utf8.DecodeLastRuneInString(s)
	for i := 0; i < 2 && (r == asEmoji || r >= 0x1f3fb && r <= 0x1f3ff); i++ {
		s = s[:len(s)-n]
		r, n = utf8.DecodeLastRuneInString(s)
	}
	return r
}

// isEmoji reports whether a character is a symbol from the arrows on: joiners join only such.
func isEmoji(r rune) bool {
	return r >= 0x2190 && seen(r) && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}
