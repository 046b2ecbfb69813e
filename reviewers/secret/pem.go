package secret

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

const begins = `-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----`

var (
	pemHeader = visible.NewPattern(begins + `(.*)`)
	keyBody   = visible.NewPattern(`[A-Za-z0-9+/]{40,}`)
	pemBytes  = visible.NewPattern(begins + `(?:(?:\\+[nr]|\s)+[A-Z][A-Za-z-]{0,20}: [^\\\r\n]{0,80})*(?:\\+[nr]|\s)*([A-Za-z0-9+/]{40,})`)
)

// pemBlock matches a private key with its body, in a text or in JSON, whose escaped line ends stay whole.
var pemBlock = visible.NewPattern(begins + `(?:\\+[nr]|[^"\\]){0,200}?` +
	`([A-Za-z0-9+/=]{40,}(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{40,})*(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]+(?:\\+[nr]|\s)*-----END [A-Z ]+-----)?)`)

// KeyReader recognises, line by line, a private key by its PEM header and the first line of its body, which is the
// value: the header alone is in many programs and manuals.
type KeyReader struct {
	kind byte // of the header's line: added or removed
	line int
	left int // lines in which the body may still begin
}

// Next takes a line, added or removed, and returns the line of the header of a key whose body begins in it.
func (r *KeyReader) Next(kind byte, number int, body string) (line int, value string, ok bool) {
	if strings.Contains(body, "-----BEGIN ") {
		m := pemHeader.FindStringSubmatch(body)
		if m == nil {
			return 0, "", false
		}
		r.kind, r.line, r.left, body = kind, number, 6, m[1] // the key may be on one line, in JSON for instance
	}
	if r.left == 0 || kind != r.kind {
		return 0, "", false
	}
	r.left--
	if body = keyBody.FindString(body); body == "" || Placeholder(body, body) {
		return 0, "", false
	}
	r.left = 0
	return r.line, body, true
}
