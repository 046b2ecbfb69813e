package secret

import (
	"math"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// stopWords show that a value was typed. The short ones occur in random values too, if
// these are long enough: in long values they count only beside a separator.
var (
	stopWords  = []string{"example", "placeholder", "redacted", "changeme", "change_me", "change-me", "yourtoken", "yourkey", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "........", "****", "xxxxxxxx"}
	shortWords = []string{"dummy", "sample", "your_", "your-", "fake", "insert", "xxxx", "....", "aaaaa", "00000"}
	partWords  = []string{"-fake", "fake-", "_fake", "fake_", "-dummy", "dummy-", "_dummy", "dummy_", "-sample", "sample-"}
)

const longValue = 40

// Placeholder reports whether a value looks typed rather than generated. part is what of it
// should be random; without it entropy is not measured.
func Placeholder(value, part string) bool {
	low := strings.ToLower(value)
	short := shortWords
	if len(value) > longValue {
		short = partWords
	}
	if slices.ContainsFunc(stopWords, func(w string) bool { return strings.Contains(low, w) }) {
		return true
	}
	for _, w := range short {
		if strings.Contains(low, w) && typed(value, low, w) {
			return true
		}
	}
	least := 2.8 // bits a character; 20 random hex digits have about 3.3
	if len(part) <= 16 {
		least = 2.5 // as few as these have less by chance
	}
	return part != "" && entropy(part) < least
}

// typed reports whether a value holds a word spelled as a person types it, all lower case, all
// upper case or only the first letter upper case: in random values cases are mixed.
func typed(value, low, word string) bool {
	for from := 0; ; {
		at := strings.Index(low[from:], word)
		if at < 0 || len(low) != len(value) {
			return at >= 0
		}
		from += at + 1
		is := value[from-1:][:len(word)]
		rest := strings.TrimLeft(is, "_-")[1:]
		if rest == strings.ToLower(rest) || is == strings.ToUpper(is) {
			return true
		}
	}
}

// entropy returns the Shannon entropy of a text in bits a character.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	e := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}

// Mixed reports whether a value has both letters and digits.
func Mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) >= 0
}

// structured matches what has a meaning: a path, an address, a name, a checksum.
var structured = pattern.Of(`^(?:[A-Za-z]*\d{0,4}[._/-])+[A-Za-z]*\d{0,4}$|^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|^(?i:sha\d+|md5|https?|[hre]s\d{3})[-:]|^[A-Z]+(?:_[A-Z0-9]+)+$|^[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$|\.(?:com|org|io|net|json|ya?ml|key|pem|go|js|ts|py)$|^[./@]|^arn:|^\$|[%$]\{|^projects/|^ssh-`)

// Drawn reports whether a value was made by a generator: letters and
// digits mixed, high entropy, no words with separators, no checksum's form.
func Drawn(s string) bool {
	if !Mixed(s) || structured.MatchString(s) {
		return false
	}
	bar := 3.5 // bits a character; 20 random letters and digits have about 4.1
	if strings.Trim(s, "0123456789abcdefABCDEF") == "" {
		bar = 3.0 // hexadecimal: at most 4
	}
	return entropy(s) >= bar && switches(s) >= 4
}

// switches counts the changes between letters and digits: words followed by a number have few,
// generated values many.
func switches(s string) int {
	n, last := 0, byte(0)
	for i := 0; i < len(s); i++ {
		kind := byte('a')
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			kind = '0'
		case c >= 'A' && c <= 'Z':
			kind = 'A'
		case c < 'a' || c > 'z':
			continue
		}
		if last != 0 && kind != last {
			n++
		}
		last = kind
	}
	return n
}
