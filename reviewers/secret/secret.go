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
	Family   string // its name for people
	Value    string
	From, To int // in bytes
	Line     int // in a stream, from 1; 0 without lines
}

// PrivateKey is the family of keys in PEM.
const PrivateKey = "private key"

// In returns what a text holds in formats that issuers publish, and private keys.
func In(text string) []Secret {
	var found []Secret
	add := func(family string, p *visible.Pattern, random func(value string) string) {
		eachValue(p, text, func(_, from, to int) {
			if value := text[from:to]; !Placeholder(value, random(value)) {
				found = append(found, Secret{Family: family, Value: value, From: from, To: to})
			}
		})
	}
	for _, fam := range marked(text) {
		add(fam.name, fam.pattern, fam.secretPart)
	}
	if strings.Contains(text, "PRIVATE KEY") {
		add(PrivateKey, pemBlock, keyBody.FindString)
	}
	return found
}

// eachValue calls do with each value of a pattern, and where its match begins.
func eachValue(p *visible.Pattern, text string, do func(begins, from, to int)) {
	for at := 0; ; {
		m := p.Compiled().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return
		}
		to := at + m[len(m)-1]
		do(at+m[0], at+m[len(m)-2], to)
		at = to // what follows a value may be what the next one follows
	}
}

// InLine returns what a line holds in formats that fit on one line.
func InLine(text string) []Secret {
	return slices.DeleteFunc(In(text), func(s Secret) bool { return s.Family == PrivateKey })
}

type mark struct {
	text   string
	family int
	begins bool // the value, and the next characters are all of a token
}

// shortest is how long a value is, at least, that begins with a mark.
const shortest = 16

// marksByFirst has the marks of all families by their first byte: few begin alike.
var marksByFirst = sync.OnceValue(func() *[256][]mark {
	var marks [256][]mark
	for i, f := range families() {
		for _, has := range f.has {
			marks[has[0]] = append(marks[has[0]], mark{has, i, f.token && !strings.ContainsAny(has[:1], ":-.")})
		}
	}
	return &marks
})

func eachMark(text string, do func(at, family int)) {
	marks := marksByFirst()
	for i := range len(text) {
		for _, m := range marks[text[i]] {
			if strings.HasPrefix(text[i:], m.text) &&
				!(m.begins && strings.IndexFunc(text[i:min(len(text), i+shortest)], notOfToken) >= 0) {
				do(i, m.family)
			}
		}
	}
}

func notOfToken(c rune) bool {
	return c != '_' && (c < '+' || c > '9') && c != '=' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

func marked(text string) (out []*family) {
	var found []int
	eachMark(text, func(_, family int) {
		if !families()[family].spans && !slices.Contains(found, family) {
			found = append(found, family)
		}
	})
	slices.Sort(found)
	for _, i := range found {
		out = append(out, &families()[i])
	}
	return out
}

// Mask replaces the credentials in a text; JSON stays JSON. Invisible characters that hide one are removed.
func Mask(text string) string {
	found := In(text)
	clean := visible.Without(text)
	if clean == text {
		return without(text, found)
	}
	across := In(clean)
	if len(across) == 0 {
		return without(text, found)
	}
	text = without(clean, across)
	for _, c := range found { // one that such a character ended
		text = strings.ReplaceAll(text, visible.Without(c.Value), "[redacted]")
	}
	return text
}

func without(text string, found []Secret) string {
	slices.SortFunc(found, func(a, b Secret) int { return a.From - b.From })
	var b strings.Builder
	at := 0
	for _, c := range found {
		if c.From >= at { // else two formats share it
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

// stopWords show that a value was typed. In long random values the short ones count only beside a separator.
var (
	stopWords = []string{"example", "placeholder", "redacted", "changeme", "change_me", "change-me", "yourtoken",
		"yourkey", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "........", "****", "xxxxxxxx"}
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
	return strings.ContainsAny(s, "0123456789") &&
		strings.IndexFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) >= 0
}

// The sizes of a window, its overlap and the text around a mark, in bytes; how many credentials are kept.
const (
	windowSize = 256 << 10
	overlap    = 16 << 10
	before     = 256
	reach      = 4 << 10
	enough     = 100
)

// InStream finds the credentials in a file that a difference does not show as a whole.
func InStream(in io.Reader, text bool) ([]Secret, error) {
	s := &stream{text: text, seen: map[string]bool{}, first: true}
	window := make([]byte, 0, windowSize)
	for {
		n, err := io.ReadFull(in, window[len(window):cap(window)])
		window = window[:len(window)+n]
		s.last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !s.last {
			return s.found, err
		}
		s.search(string(window))
		if !text { // ASCII in UTF-16 has a zero byte between each two letters
			s.search(strings.ReplaceAll(string(window), "\x00", ""))
		}
		if s.last || len(s.found) >= enough {
			return s.found, nil
		}
		again := len(window) - overlap
		s.lines += strings.Count(string(window[:again]), "\n")
		window = window[:copy(window, window[again:])]
		s.first = false
	}
}

type stream struct {
	text        bool
	first, last bool // of the windows
	lines       int  // before the window
	found       []Secret
	seen        map[string]bool
}

// search looks around each mark of a window; text cut off by its edge is in the next window, too.
func (s *stream) search(text string) {
	done := make([]int, len(families())) // how far each family was looked for
	eachMark(text, func(at, family int) {
		fam := &families()[family]
		if at < done[family] || !s.text && !fam.distinct() {
			return
		}
		done[family] = at + reach/2
		from, to := max(0, at-before), min(len(text), at+reach)
		eachValue(fam.pattern, text[from:to], func(line, begins, ends int) {
			line, begins, ends = from+line, from+begins, from+ends
			if begins == from && !(from == 0 && s.first) || ends == to && !(to == len(text) && s.last) {
				return
			}
			if !fam.spans {
				line = begins
			}
			s.take(fam, text[begins:ends], strings.Count(text[:line], "\n"))
		})
	})
}

func (s *stream) take(fam *family, value string, line int) {
	if s.seen[value] || len(s.found) >= enough || Placeholder(value, fam.secretPart(value)) {
		return
	}
	value = strings.Clone(value)
	s.seen[value] = true
	c := Secret{Family: fam.name, Value: value}
	if s.text {
		c.Line = s.lines + line + 1
	}
	s.found = append(s.found, c)
}
