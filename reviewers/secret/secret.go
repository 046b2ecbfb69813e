package secret

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Secret is a credential, and its place in a text.
type Secret struct {
	Family   string // what it is, as people call it
	Value    string
	From, To int // in bytes
	Line     int // of a stream, from 1; 0 in what has no lines
}

// In returns what a text holds in formats that issuers publish, and private keys.
func In(text string) []Secret {
	var found []Secret
	add := func(family string, p *pattern.Pattern, random func(value string) string) {
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
	marked := familyMarks().in(text)
	marked.each(func(i int) {
		if fam := &families()[i]; !fam.spans {
			add(fam.name, fam.pattern, fam.secretPart)
		}
	})
	if strings.Contains(text, "PRIVATE KEY") {
		add("private key", pemBlock, keyBody.FindString)
	}
	return found
}

// InLine returns what a line holds in formats that fit on one line.
func InLine(text string) (found []Secret) {
	marked := familyMarks().in(text)
	marked.each(func(i int) {
		fam := &families()[i]
		if fam.spans {
			return
		}
		for _, m := range fam.pattern.FindAllStringSubmatch(text, 20) {
			if value := m[len(m)-1]; !Placeholder(value, fam.secretPart(value)) {
				found = append(found, Secret{Family: fam.name, Value: value})
			}
		}
	})
	return found
}

// Known reports whether a line holds a known format, even with a value that was typed.
func Known(text string) (is bool) {
	found := familyMarks().in(text)
	found.each(func(i int) {
		f := &families()[i]
		is = is || !f.spans && f.pattern.MatchString(text)
	})
	return is
}
