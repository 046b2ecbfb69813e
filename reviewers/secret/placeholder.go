package secret

import (
	"math"
	"slices"
	"strings"
)

// stopWords show that a value was typed. In long random values the short ones count only beside a separator.
var (
	stopWords  = []string{"example", "placeholder", "redacted", "changeme", "change_me", "change-me", "yourtoken", "yourkey", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "........", "****", "xxxxxxxx"}
	shortWords = []string{"dummy", "sample", "your_", "your-", "fake", "insert", "xxxx", "....", "aaaaa", "00000"}
	partWords  = []string{"-fake", "fake-", "_fake", "fake_", "-dummy", "dummy-", "_dummy", "dummy_", "-sample", "sample-"}
)

const longValue = 40

// Placeholder reports whether a value looks typed; part is the section of it that should be random, for its entropy.
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
