package secret

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Secret is a credential, and its place in a text.
type Secret struct {
	Family   string // the name of its format, for people
	Value    string
	From, To int // offsets in bytes
	Line     int // the line in a stream, from 1; 0 in other texts
}

// PrivateKey is the Family of private keys in PEM.
const PrivateKey = "private key"

// In returns the credentials and private keys in a text.
func In(text string) []Secret { return search(text, pemBlock, func(*family) bool { return true }) }

// search finds credentials of some families, and private keys by a pattern.
func search(text string, key visible.Pattern, of func(*family) bool) (found []Secret) {
	add := func(family string, p visible.Pattern, random func(value string) string) {
		for at := 0; ; {
			m := p().FindStringSubmatchIndex(text[at:])
			if m == nil {
				return
			}
			from, to := at+m[len(m)-2], at+m[len(m)-1]
			if value := text[from:to]; !Placeholder(value, random(value)) {
				found = append(found, Secret{Family: family, Value: value, From: from, To: to})
			}
			at = to // the separator after a value may be the one before the next value
		}
	}
	for _, fam := range marked(text) {
		if of(fam) {
			add(fam.name, fam.pattern, fam.secretPart)
		}
	}
	if strings.Contains(text, "PRIVATE KEY") {
		add(PrivateKey, key, keyBody().FindString)
	}
	return found
}

// InLine returns the credentials in a line. Private keys take several lines.
func InLine(text string) []Secret {
	return slices.DeleteFunc(In(text), func(s Secret) bool { return s.Family == PrivateKey })
}

// mark is one of the literal texts of a family.
type mark struct {
	text   string
	family int  // the index in families
	begins bool // it begins the value, so that characters of a token follow
}

// shortest is the minimum length in bytes of a value that begins with a mark.
const shortest = 16

// marksByFirst returns the marks of all families by their first byte, so that few are compared at each position.
var marksByFirst = sync.OnceValue(func() *[256][]mark {
	var marks [256][]mark
	for i, f := range families() {
		for _, has := range f.has {
			marks[has[0]] = append(marks[has[0]], mark{has, i, f.token && !strings.ContainsAny(has[:1], ":-.")})
		}
	}
	return &marks
})

func notOfToken(c rune) bool {
	return c != '_' && (c < '+' || c > '9') && c != '=' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// marked returns the families with a mark in a text.
func marked(text string) (out []*family) {
	marks, found := marksByFirst(), make([]bool, len(families()))
	for i := range len(text) {
		for _, m := range marks[text[i]] {
			if !found[m.family] && strings.HasPrefix(text[i:], m.text) &&
				!(m.begins && strings.IndexFunc(text[i:min(len(text), i+shortest)], notOfToken) >= 0) {
				found[m.family] = true
			}
		}
	}
	for i, is := range found {
		if is {
			out = append(out, &families()[i])
		}
	}
	return out
}

// Mask replaces the credentials in a text by [redacted]; JSON stays valid. If invisible characters hide one, all of
// them are removed.
func Mask(text string) string {
	found := In(text)
	clean := visible.Without(text)
	var across []Secret
	if clean != text {
		across = In(clean)
	}
	if len(across) == 0 {
		return without(text, found)
	}
	text = without(clean, across)
	for _, c := range found { // including a value that an invisible character ended
		text = strings.ReplaceAll(text, visible.Without(c.Value), "[redacted]")
	}
	return text
}

func without(text string, found []Secret) string {
	slices.SortFunc(found, func(a, b Secret) int { return a.From - b.From })
	var b strings.Builder
	at := 0
	for _, c := range found {
		if c.From >= at { // two formats may match the same value
			b.WriteString(text[at:c.From] + "[redacted]")
		}
		at = max(at, c.To)
	}
	return b.String() + text[at:]
}

// Abridged returns a secret's first four characters and its length.
func Abridged(value string) string {
	if len(value) <= 8 {
		return fmt.Sprintf("… %d characters", len(value))
	}
	return fmt.Sprintf("%s… %d characters", strings.ToValidUTF8(value[:4], "?"), len(value))
}

// stopWords mark a value as a placeholder. In long values, which may have short words by chance, partWords replace
// shortWords.
var (
	stopWords = []string{"example", "placeholder", "redacted", "changeme", "change_me", "change-me", "yourtoken",
		"yourkey", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "........", "****", "xxxxxxxx"}
	shortWords = []string{"dummy", "sample", "your_", "your-", "fake", "insert", "xxxx", "....", "aaaaa", "00000"}
	partWords  = []string{"-fake", "fake-", "_fake", "fake_", "-dummy", "dummy-", "_dummy", "dummy_", "-sample", "sample-"}
)

const longValue = 40 // bytes

// Placeholder reports whether a value looks typed, as in examples: by its words, or by the low entropy of part, the
// section of the value that should be random.
func Placeholder(value, part string) bool {
	low := strings.ToLower(value)
	short := shortWords
	if len(value) > longValue {
		short = partWords
	}
	if slices.ContainsFunc(stopWords, func(w string) bool { return strings.Contains(low, w) }) ||
		slices.ContainsFunc(short, func(w string) bool { return typed(value, low, w) }) {
		return true
	}
	least := 2.8 // bits per character; 20 random hex digits have about 3.3
	if len(part) <= 16 {
		least = 2.5 // short random values may have less
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

const (
	windowSize = 256 << 10 // bytes of a stream that are searched at once
	overlap    = 16 << 10  // bytes that two windows share
	enough     = 100       // the maximum number of credentials that are returned
)

// InStream returns up to 100 credentials in a file of any size. If text is false, the file is binary.
func InStream(in io.Reader, text bool) (found []Secret, err error) {
	window, seen := make([]byte, 0, windowSize), map[string]bool{}
	of := func(f *family) bool { return text || f.distinct() }
	for lines, first := 0, true; ; first = false { // lines before the window
		n, err := io.ReadFull(in, window[len(window):cap(window)])
		window = window[:len(window)+n]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return found, err
		}
		texts := []string{string(window)}
		if !text { // in UTF-16, ASCII letters have zero bytes between them
			texts = append(texts, strings.ReplaceAll(texts[0], "\x00", ""))
		}
		for _, t := range texts {
			for _, c := range search(t, pemBytes, of) {
				cutOff := c.From == 0 && !first || c.To == len(t) && !last // complete in the next or previous window
				if cutOff || seen[c.Value] || len(found) >= enough {
					continue
				}
				if begins := c.From; text {
					if c.Family == PrivateKey {
						begins = strings.LastIndex(t[:begins], "-----BEGIN ")
					}
					c.Line = lines + strings.Count(t[:begins], "\n") + 1
				}
				c.Value = strings.Clone(c.Value)
				seen[c.Value] = true
				found = append(found, c)
			}
		}
		if last || len(found) >= enough {
			return found, nil
		}
		again := len(window) - overlap
		lines += strings.Count(texts[0][:again], "\n")
		window = window[:copy(window, window[again:])]
	}
}
