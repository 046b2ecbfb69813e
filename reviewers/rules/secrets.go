package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// secrets finds credentials by the formats that their issuers publish, and
// private keys. Shape alone is not enough: documentation is full of examples,
// so what looks typed by a person (repeated characters, sequences, words such
// as "example") or has little entropy is left alone, and so is a value that
// the change only moved. The hits ask a person: a change of the code revokes
// nothing, and no model should be handed the file.
func secrets() Rule {
	var keys pemReader
	told := tellings{}
	return Rule{
		Name: "secret", Category: "secret", Severity: "critical", Confidence: Certain, Blocks: true, Guard: true, Gate: true, Moves: true,
		Why: "Whoever can read the repository can use it. Revoke it: removing the line does not take it out of the history.",
		File: func(_ *Change, f *subject) []Hit {
			keys = pemReader{}
			return inName(f)
		},
		Line: func(p *place) []Hit {
			hits := providerSecrets(p)
			if line, value, ok := keys.next(p); ok {
				h := secretHit(p.file.Path, line, "private key", value)
				if p.file.forTests {
					h.Severity = "medium" // servers in tests need keys of their own
				}
				hits = append(hits, h)
			}
			if p.line().Kind == '+' {
				told.note(hits)
			}
			return hits
		},
		End: func(c *Change) []Hit { return inBlobs(c, told) },
	}
}

func providerSecrets(p *place) []Hit {
	var hits []Hit
	text := p.text()
	found := familyMarks().in(text)
	found.each(func(i int) {
		fam := &families()[i]
		if fam.spans {
			return
		}
		for _, m := range fam.pattern.FindAllStringSubmatch(text, 20) {
			value := m[len(m)-1]
			if placeholder(value, fam.secretPart(value)) {
				continue
			}
			h := secretHit(p.file.Path, p.line().New, fam.name, value)
			if p.file.forTests {
				h.Severity = "high" // real more rarely there, but still a leak
			}
			hits = append(hits, h)
		}
	})
	return hits
}

func secretHit(path string, line int, family, value string) Hit {
	sum := sha256.Sum256([]byte(value))
	return Hit{
		Path: path, Line: line, Quote: Redact(value), Key: hex.EncodeToString(sum[:8]),
		Title: fmt.Sprintf("%s (%s)", family, Redact(value)), Ask: true, moved: hex.EncodeToString(sum[:]),
	}
}

// Redact returns a secret's first four characters and its length.
func Redact(value string) string {
	if len(value) <= 8 {
		return fmt.Sprintf("… %d characters", len(value))
	}
	return fmt.Sprintf("%s… %d characters", strings.ToValidUTF8(value[:4], "?"), len(value))
}

var (
	pemHeader = pattern.Of(`-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----(.*)`)
	keyBody   = pattern.Of(`[A-Za-z0-9+/]{40,}`)
	pemBytes  = pattern.Of(`-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----(?:(?:\\+[nr]|\s)+[A-Z][A-Za-z-]{0,20}: [^\\\r\n]{0,80})*(?:\\+[nr]|\s)*([A-Za-z0-9+/]{40,})`)
)

// pemReader recognises a PEM private key by its header and a body within the
// next lines: the header alone is in many programs and manuals. The value
// is the body's first line.
type pemReader struct {
	kind byte // of the header's line: added or removed
	line int
	left int // lines in which the body may still begin
}

func (r *pemReader) next(p *place) (line int, value string, ok bool) {
	l, body := p.line(), p.text()
	if strings.Contains(body, "-----BEGIN ") {
		m := pemHeader.FindStringSubmatch(body)
		if m == nil {
			return 0, "", false
		}
		r.kind, r.line, r.left, body = l.Kind, l.New, 6, m[1] // the key may stand in one line, in JSON for instance
	}
	if r.left == 0 || l.Kind != r.kind {
		return 0, "", false
	}
	r.left--
	if body = keyBody.FindString(body); body == "" || placeholder(body, body) {
		return 0, "", false
	}
	r.left = 0
	return r.line, body, true
}

// credentialFiles finds files whose name says that they have credentials. Of
// those that may as well be harmless (.env, .npmrc) a line decides.
func credentialFiles() Rule {
	found := func(path string) Hit {
		h := Hit{Path: path, Title: "a file that holds credentials by its name", Ask: true}
		if forTests(path) {
			h.Severity = "medium"
		}
		return h
	}
	var line *pattern.Pattern
	told := false
	return Rule{
		Name: "credential-file", Category: "secret", Severity: "critical", Confidence: Certain, Blocks: true, Guard: true, Gate: true,
		Why: "A file of this name holds credentials. Keep it out of the repository and ignore it.",
		File: func(_ *Change, f *subject) []Hit {
			told = false
			if isNew(f.FileDiff) && f.NewMode != "160000" && f.NewMode != "120000" && holdsCredentials(f.Path) {
				return []Hit{found(f.Path)}
			}
			return nil
		},
		Wants: func(f *subject) bool {
			line = secretLine(f.Path)
			return line != nil && isNew(f.FileDiff)
		},
		Line: func(p *place) []Hit {
			m := line.FindStringSubmatch(p.text())
			if told || m == nil || len(m[1]) < 8 || strings.ContainsAny(m[1][:1], "$<{%") || placeholder(m[1], "") {
				return nil
			}
			told = true
			return []Hit{found(p.file.Path)}
		},
	}
}

func isNew(f *git.FileDiff) bool { return f.Status == 'A' || f.Status == 'C' || f.Status == 'R' }

var (
	credentialName = pattern.Of(`(?i)^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd|kubeconfig|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk))$`)
	envName        = pattern.Of(`(?i)^\.env(?:\.(?:local|prod|production|staging|dev|development))?$`)
	envSecret      = pattern.Of(`(?i)^(?:export )?[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|API_?KEY|CREDENTIALS?)[A-Z0-9_]*=["']?([^"'\s#]+)`)
	authLine       = pattern.Of(`(?:_authToken|_password|_auth|^password)\s*=\s*([^\s$]+)`)
)

func holdsCredentials(p string) bool {
	base := path.Base(p)
	if strings.EqualFold(base, "debug.keystore") || extension(p) == "ppk" && forTests(p) { // Android's is the same for everybody
		return false
	}
	return credentialName.MatchString(base) || strings.HasSuffix(p, ".aws/credentials") || strings.HasSuffix(p, ".kube/config")
}

// secretLine matches a line with a credential in a file of this name; nil for other
// files. Many frameworks keep harmless settings in .env.
func secretLine(p string) *pattern.Pattern {
	switch base := path.Base(p); {
	case envName.MatchString(base):
		return envSecret
	case base == ".npmrc" || base == ".pypirc" || base == ".yarnrc.yml" || base == ".dockercfg":
		return authLine
	}
	return nil
}

// credentialURLs finds a password in an address or a connection string. It has
// no issuer's format to go by, so it neither guards nor stops a push.
func credentialURLs() Rule {
	return Rule{
		Name: "credential-url", Category: "secret", Severity: "medium", Confidence: Likely, Blocks: true, Moves: true,
		Why:   "The address carries a password.",
		Wants: func(f *subject) bool { return !f.forTests && f.class != Docs },
		Line: func(p *place) []Hit {
			var hits []Hit
			add := func(host, password string) {
				if !localHost.MatchString(host) && !placeholder(password, password) && mixed(password) {
					hits = append(hits, secretHit(p.file.Path, p.line().New, "password in an address", password))
				}
			}
			if strings.Contains(p.text(), "://") {
				for _, m := range urlPassword.FindAllStringSubmatch(p.text(), 20) {
					add(m[2], m[1])
				}
			}
			if strings.Contains(p.text(), ";") {
				if m := adoPassword.FindStringSubmatch(p.text()); m != nil {
					add(m[1], m[2])
				}
			}
			return hits
		},
	}
}

var (
	urlPassword = pattern.Of(`[a-z][a-z0-9+.-]{1,15}://[^\s/:@'"<>{}$()]{0,64}:([^\s/@:'"<>{}$%()]{8,128})@([A-Za-z0-9.-]+)`)
	adoPassword = pattern.Of(`(?i)(?:server|data source|host|addr(?:ess)?)=(?:tcp:)?([^;"'\s]+);(?:.*;)?\s*(?:password|pwd)=([^;"'\s{}$<>%]{8,128})`)
	localHost   = pattern.Of(`(?i)^(?:localhost|127\.|0\.0\.0\.0|\(?localdb|\.|host\b|db$|postgres(?:ql)?$|mysql$|mariadb$|redis$|rabbitmq$|mongo(?:db)?$|proxy$|.*\.?example(?:\.[a-z]+)?$|.*\.(?:test|invalid|local|localhost)$)`)
)

func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) >= 0
}

// stopWords show that a value was typed. The short ones occur in random values too, if
// these are long enough: in long values they count only beside a separator.
var (
	stopWords  = []string{"example", "placeholder", "redacted", "changeme", "change_me", "change-me", "yourtoken", "yourkey", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "........", "****", "xxxxxxxx"}
	shortWords = []string{"dummy", "sample", "your_", "your-", "fake", "insert", "xxxx", "....", "aaaaa", "00000"}
	partWords  = []string{"-fake", "fake-", "_fake", "fake_", "-dummy", "dummy-", "_dummy", "dummy_", "-sample", "sample-"}
)

const longValue = 40

// placeholder reports whether a value looks typed rather than drawn. part is
// what of it should be random; empty leaves out the entropy.
func placeholder(value, part string) bool {
	low := strings.ToLower(value)
	short := shortWords
	if len(value) > longValue {
		short = partWords
	}
	if containsAny(low, stopWords) {
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

// typed reports whether a word is in a value in letters as a person types them, all
// small, all large or the first of them large: in random values they are mixed.
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

// entropy is the Shannon entropy of a text in bits a character.
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

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
