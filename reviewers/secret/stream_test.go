package secret

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/git-plan/git-plan/testdata/drawn"
)

// shapes are encodings in which a file contains a text that no difference shows.
var shapes = map[string]func(text string) []byte{
	"after a NUL":              func(s string) []byte { return []byte("\x00\n" + s) },
	"between NULs":             func(s string) []byte { return []byte("\x00" + s + "\x00") },
	"in binary data":           func(s string) []byte { return []byte("\xff\xfe\x00\x80" + s + "\xff\x00") },
	"UTF-16, little-endian":    func(s string) []byte { return wide(s+"\n", false, false) },
	"UTF-16, big-endian":       func(s string) []byte { return wide(s+"\n", true, false) },
	"UTF-16 with a mark":       func(s string) []byte { return wide("é = "+s, false, true) },
	"UTF-32":                   func(s string) []byte { return []byte(strings.Join(strings.Split(s+"\n", ""), "\x00\x00\x00")) },
	"UTF-16, big, with a mark": func(s string) []byte { return wide("\n"+s, true, true) },
}

func wide(s string, big, mark bool) []byte {
	units := utf16.Encode([]rune(s))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	var out []byte
	for _, u := range units {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// TestKnownFormsAreFoundInAnyBytes: each stand-alone format, in each shape.
func TestKnownFormsAreFoundInAnyBytes(t *testing.T) {
	d := drawn.New(t, 1, 2)
	n := 0
	for i := range families() {
		fam := &families()[i]
		for _, form := range d.Tokens[fam.name] {
			if !fam.distinct() || !fam.pattern().MatchString(d.Fill(form, "x")) {
				continue // it needs a name beside it
			}
			for name, shape := range shapes {
				token := d.Fill(form, "x")
				for len(InLine(token)) == 0 { // drawn so that it looks like a placeholder
					token = d.Fill(form, "x")
				}
				found, err := InStream(bytes.NewReader(shape(token)), false)
				if err != nil || len(found) == 0 {
					t.Errorf("%s, %s: %q is not found: %v", fam.name, name, token, err)
				}
				n++
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d cases", n)
	}
}

// A value is found even if the text before it is a placeholder of the same form, with one character between
// them.
func TestPlaceholderDoesNotHideTheNextValue(t *testing.T) {
	typed, token := "npm"+"_"+strings.Repeat("x", 36), "npm"+"_"+"4kT9wQz7Lm2Xv8Rb"+"1Nc6Hy3Jd5Gf0Ps4UaWe"
	for _, text := range []string{typed + " " + token, strings.Repeat(typed+"\n", 101) + token + "\n"} {
		for _, binary := range []bool{true, false} {
			if found, err := InStream(strings.NewReader(text), !binary); err != nil || len(found) != 1 || found[0].Value != token {
				t.Errorf("%d bytes, binary %v: %v, %v", len(text), binary, found, err)
			}
		}
	}
}

// TestNoPlaceOfAStreamIsBlind: a token is found once wherever in a file it begins, a longer word that
// contains one never, and a key with its line.
func TestNoPlaceOfAStreamIsBlind(t *testing.T) {
	token := "npm" + "_" + "4kT9wQz7Lm2Xv8Rb" + "1Nc6Hy3Jd5Gf0Ps4UaWe"
	for _, text := range []bool{true, false} {
		var places []int
		for _, edge := range []int{0, 64 << 10, windowSize - overlap, windowSize} {
			offsets := []int{-40, 0}
			if os.Getenv("RULES") == "full" {
				offsets = []int{-41, -40, -39, -20, -1, 0, 1}
			}
			for _, by := range offsets {
				places = append(places, edge+by)
			}
		}
		for _, at := range places {
			if at < 0 {
				continue
			}
			for word, want := range map[string]int{token: 1, token + "X": 0, "x" + token: 0} {
				file := strings.Repeat(" ", at) + word + strings.Repeat(" ", 1000)
				found, err := InStream(strings.NewReader(file), text)
				if err != nil || len(found) != want {
					t.Errorf("text %v, %d: %s: found %d times, want %d: %v", text, at, word, len(found), want, err)
				}
				if text {
					continue
				}
				found, _ = InStream(bytes.NewReader(wide(file, at%2 == 0, false)), false)
				if len(found) != want {
					t.Errorf("UTF-16, %d: %s: found %d times, want %d", at, word, len(found), want)
				}
			}
		}
	}
	key := strings.Repeat("a line\n", 100_000) + "-----BEGIN " + "PRIVATE KEY-----\nq8Zr2LmX0vKd7TnYw4HsJc9GpBf3AeUo6RiQ1ZtVxMkN5ShWyDl8CgPb2EjFaOu\n"
	if found, _ := InStream(strings.NewReader(key), true); len(found) != 1 || found[0].Family != "private key" || found[0].Line != 100_001 {
		t.Errorf("%+v", found)
	}
}

// TestNoiseHasNoSecrets: random bytes, and a whole program that contains every pattern.
func TestNoiseHasNoSecrets(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, in := range map[string]io.Reader{"random bytes": io.LimitReader(random, 8<<20), "this program": file} {
		if found, err := InStream(in, false); err != nil || len(found) > 0 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}

// counted is a stream of so many bytes that remembers the largest read.
type counted struct {
	left, most int
}

func (c *counted) Read(p []byte) (int, error) {
	c.most = max(c.most, len(p))
	n := min(len(p), c.left)
	if c.left -= n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestABlobIsNeverHeldWhole, whatever its size.
func TestABlobIsNeverHeldWhole(t *testing.T) {
	large := 3*windowSize + 1
	if os.Getenv("RULES") == "full" {
		large = 200 << 20
	}
	for _, size := range []int{0, 1, windowSize, large} {
		c := &counted{left: size}
		if _, err := InStream(c, true); err != nil || c.left != 0 || c.most > windowSize {
			t.Errorf("%d: %d left, %d at once, %v", size, c.left, c.most, err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	data := make([]byte, 32<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	text := []byte(drawn.Code(200_000))
	for name, in := range map[string][]byte{"binary": data, "text": text} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for range b.N {
				_, _ = InStream(bytes.NewReader(in), name == "text")
			}
		})
	}
}
