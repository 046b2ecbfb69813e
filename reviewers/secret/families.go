package secret

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// family is one published format of a credential.
type family struct {
	name    string
	has     []string // literal texts, one of which a match contains: quicker to find than the pattern
	pattern visible.Pattern
	token   bool // the value alone has a format; no name beside it is needed
}

// distinct reports whether a match is certain even in binary data.
func (f *family) distinct() bool {
	return f.token || !slices.ContainsFunc(f.has, func(has string) bool { return len(has) < 8 })
}

// secretPart returns a value without its fixed prefix.
func (f *family) secretPart(value string) string {
	for _, p := range f.has {
		if rest, ok := strings.CutPrefix(value, p); ok && len(rest) >= 8 {
			return rest
		}
	}
	return value
}

// token returns a format whose value p matches alone. The value contains one of the words in has.
func token(name string, has string, p string) family {
	const before = `(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2}|\\u[0-9a-f]{4})`
	f := shaped(name, has, before+`(`+p+`)(?:[^A-Za-z0-9]|$)`)
	f.token = true
	return f
}

// beside returns a format without a form of its own: the name to which the value is assigned must match named.
func beside(name string, has string, named, value string) family {
	return shaped(name, has, `(?i)`+named+`["'\]]{0,2}\s*(?::=|=>|=|:|,)\s*["']?(`+value+`)(?:[^A-Za-z0-9+/=_-]|$)`)
}

// shaped returns a format with the pattern p, whose last group is the value.
func shaped(name, has, p string) family {
	return family{name: name, has: strings.Fields(has), pattern: visible.NewPattern(p)}
}

//go:embed families.txt
var familiesText string

// families returns the formats in families.txt, from the manuals of their issuers.
var families = sync.OnceValue(func() (all []family) {
	for l := range strings.Lines(familiesText) {
		switch f := strings.Split(strings.TrimSuffix(l, "\n"), ": "); f[0] {
		case "token":
			all = append(all, token(f[1], f[2], f[3]))
		case "beside":
			all = append(all, beside(f[1], f[2], f[3], f[4]))
		case "shaped":
			all = append(all, shaped(f[1], f[2], f[3]))
		}
	}
	return all
})

const begins = `-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----`

var (
	pemHeader = visible.NewPattern(begins + `(.*)`)
	keyBody   = visible.NewPattern(`[A-Za-z0-9+/]{40,}`)
	pemBytes  = visible.NewPattern(begins +
		`(?:(?:\\+[nr]|\s)+[A-Z][A-Za-z-]{0,20}: [^\\\r\n]{0,80})*(?:\\+[nr]|\s)*([A-Za-z0-9+/]{40,})`)
)

// pemBlock matches a private key with its body, in a text or in JSON, and never ends inside an escaped line end.
var pemBlock = visible.NewPattern(begins + `(?:\\+[nr]|[^"\\]){0,200}?` +
	`([A-Za-z0-9+/=]{40,}(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{40,})*(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]+(?:\\+[nr]|\s)*-----END [A-Z ]+-----)?)`)

// KeyBelow returns the private key whose body begins in lines[0], and the index of its header. The lines are in reverse
// order.
func KeyBelow(lines []string) (at int, value string, ok bool) {
	at = slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "-----BEGIN ") })
	if at < 0 {
		return 0, "", false
	}
	m := pemHeader().FindStringSubmatch(lines[at])
	for i := at; m != nil && i >= 0; i-- {
		body := lines[i]
		if i == at {
			body = m[1] // header and body may share a line, in JSON for instance
		}
		if value = keyBody().FindString(body); value != "" && !Placeholder(value, value) {
			return at, value, i == 0
		}
	}
	return 0, "", false
}
