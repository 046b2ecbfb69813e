package secret

import (
	"fmt"
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
		for at := 0; ; {
			m := p.FindStringSubmatchIndex(text[at:])
			if m == nil {
				return
			}
			c := Secret{Family: family, From: at + m[len(m)-2], To: at + m[len(m)-1]}
			c.Value = text[c.From:c.To]
			if !Placeholder(c.Value, random(c.Value)) {
				found = append(found, c)
			}
			at = c.To // what follows a value may be what the next one follows
		}
	}
	for _, fam := range marked(text) {
		add(fam.name, fam.pattern, fam.secretPart)
	}
	if strings.Contains(text, "PRIVATE KEY") {
		add(PrivateKey, pemBlock, keyBody.FindString)
	}
	return found
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
			if strings.HasPrefix(text[i:], m.text) && !(m.begins && strings.IndexFunc(text[i:min(len(text), i+shortest)], notOfToken) >= 0) {
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
