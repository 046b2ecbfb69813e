package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// secrets finds credentials by the formats that their issuers publish, and
// private keys. Shape alone is not enough: documentation is full of examples,
// so what looks typed by a person (repeated characters, sequences, words such
// as "example") or has little entropy is left alone, and so is a value that
// the change only moved. The hits ask a person: a change of the code revokes
// nothing, and no model should be handed the file.
func secrets() Rule {
	return Rule{
		Name: "secret", Category: "secret", Severity: "critical", Blocks: true, Guard: true, Gate: true,
		Why: "Whoever can read the repository can use it. Revoke it: removing the line does not take it out of the history.",
		Find: func(c Change) []Hit {
			gone := removedLines(c)
			var hits []Hit
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				for _, h := range f.Hunks {
					for j, l := range h.Lines {
						if l.Kind == '+' {
							hits = append(hits, secretsIn(f, h.Lines[j:], gone)...)
						}
					}
				}
			}
			return hits
		},
	}
}

// secretsIn looks at the first of lines; the others are what follows it.
func secretsIn(f *git.FileDiff, lines []git.Line, gone string) []Hit {
	l := lines[0]
	var hits []Hit
	for _, fam := range families {
		if !containsAny(l.Text, fam.has) {
			continue
		}
		for _, m := range fam.pattern.FindAllStringSubmatch(l.Text, 20) {
			value := m[len(m)-1]
			if placeholder(value, fam.secretPart(value)) || strings.Contains(gone, value) {
				continue
			}
			h := secretHit(f.Path, l.New, fam.name, value)
			if forTests(f.Path) {
				h.Severity = "high" // real more rarely there, but still a leak
			}
			hits = append(hits, h)
		}
	}
	if value, ok := privateKey(lines); ok && !strings.Contains(gone, value) {
		h := secretHit(f.Path, l.New, "private key", value)
		if forTests(f.Path) {
			h.Severity = "medium" // servers in tests need keys of their own
		}
		hits = append(hits, h)
	}
	return hits
}

func secretHit(path string, line int, family, value string) Hit {
	sum := sha256.Sum256([]byte(value))
	return Hit{
		Path: path, Line: line, Quote: Redact(value), Key: hex.EncodeToString(sum[:8]),
		Title: fmt.Sprintf("%s (%s)", family, Redact(value)), Ask: true,
	}
}

// Redact tells a secret's first four characters and its length.
func Redact(value string) string {
	if len(value) <= 8 {
		return fmt.Sprintf("… %d characters", len(value))
	}
	return fmt.Sprintf("%s… %d characters", strings.ToValidUTF8(value[:4], "?"), len(value))
}

// removedLines are the lines that the change takes away, as one text.
func removedLines(c Change) string {
	var b strings.Builder
	for _, f := range c.Diff.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind == '-' {
					b.WriteString(l.Text)
					b.WriteByte('\n')
				}
			}
		}
	}
	return b.String()
}

var (
	pemHeader = lazily(`-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----(.*)`)
	keyBody   = lazily(`[A-Za-z0-9+/]{40,}`)
)

// privateKey recognises a PEM private key by its header and a body: the header
// alone stands in many programs and manuals. The value returned is the body's
// first line.
func privateKey(lines []git.Line) (string, bool) {
	m := pemHeader.FindStringSubmatch(lines[0].Text)
	if m == nil {
		return "", false
	}
	bodies := []string{m[1]} // the key may stand in one line, in JSON for instance
	for _, l := range lines[1:min(len(lines), 6)] {
		if l.Kind == '+' {
			bodies = append(bodies, l.Text)
		}
	}
	for _, b := range bodies {
		if body := keyBody.FindString(b); body != "" && !placeholder(body, body) {
			return body, true
		}
	}
	return "", false
}

// credentialFiles finds files whose name says that they hold credentials.
func credentialFiles() Rule {
	return Rule{
		Name: "credential-file", Category: "secret", Severity: "critical", Blocks: true, Guard: true, Gate: true,
		Why: "A file of this name holds credentials. Keep it out of the repository and ignore it.",
		Find: func(c Change) []Hit {
			var hits []Hit
			for i := range c.Diff.Files {
				f := &c.Diff.Files[i]
				if f.Status != 'A' && f.Status != 'C' && f.Status != 'R' || f.NewMode == "160000" || !holdsCredentials(f) {
					continue
				}
				h := Hit{Path: f.Path, Title: "a file that holds credentials by its name", Ask: true}
				if forTests(f.Path) {
					h.Severity = "medium"
				}
				hits = append(hits, h)
			}
			return hits
		},
	}
}

var (
	credentialName = lazily(`(?i)^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|\.git-credentials|\.htpasswd|kubeconfig|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk))$`)
	envName        = lazily(`(?i)^\.env(?:\.(?:local|prod|production|staging|dev|development))?$`)
	envSecret      = lazily(`(?i)^(?:export )?[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|API_?KEY|CREDENTIALS?)[A-Z0-9_]*=["']?([^"'\s#]+)`)
	authLine       = lazily(`(?:_authToken|_password|_auth|^password)\s*=\s*([^\s$]+)`)
)

func holdsCredentials(f *git.FileDiff) bool {
	base := path.Base(f.Path)
	switch {
	case strings.EqualFold(base, "debug.keystore"): // Android's, the same for everybody
		return false
	case credentialName.MatchString(base), strings.HasSuffix(f.Path, ".aws/credentials"), strings.HasSuffix(f.Path, ".kube/config"):
		return true
	case envName.MatchString(base): // many frameworks keep harmless settings there
		return anyAdded(f, envSecret)
	case base == ".npmrc" || base == ".pypirc":
		return anyAdded(f, authLine)
	}
	return false
}

func anyAdded(f *git.FileDiff, pattern *pattern) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if m := pattern.FindStringSubmatch(l.Text); l.Kind == '+' && m != nil && len(m[1]) >= 8 && !placeholder(m[1], "") {
				return true
			}
		}
	}
	return false
}

// credentialURLs finds a password in an address. It has no issuer's format to
// go by, so it neither guards nor stops a push.
func credentialURLs() Rule {
	return Rule{
		Name: "credential-url", Category: "secret", Severity: "medium", Blocks: true,
		Why: "The address carries a password.",
		Find: func(c Change) []Hit {
			var hits []Hit
			gone := removedLines(c)
			added(c, func(f *git.FileDiff) bool { return !forTests(f.Path) && ClassOf(f.Path) != Docs }, func(f *git.FileDiff, l git.Line) {
				if !strings.Contains(l.Text, "://") {
					return
				}
				for _, m := range urlPassword.FindAllStringSubmatch(l.Text, 20) {
					if !localHost.MatchString(m[2]) && !placeholder(m[1], m[1]) && mixed(m[1]) && !strings.Contains(gone, m[1]) {
						hits = append(hits, secretHit(f.Path, l.New, "password in an address", m[1]))
					}
				}
			})
			return hits
		},
	}
}

var (
	urlPassword = lazily(`[a-z][a-z0-9+.-]{1,15}://[^\s/:@'"<>{}$()]{1,64}:([^\s/@:'"<>{}$%()]{8,128})@([A-Za-z0-9.-]+)`)
	localHost   = lazily(`(?i)^(?:localhost|127\.|0\.0\.0\.0|host\b|db$|postgres$|mysql$|redis$|.*\.?example(?:\.[a-z]+)?$|.*\.(?:test|invalid|local)$)`)
)

func mixed(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) >= 0
}

var stopWords = []string{"example", "placeholder", "dummy", "redacted", "changeme", "change_me", "change-me", "sample", "your_", "your-", "yourtoken", "yourkey", "fake", "insert", "secret_here", "abcdefgh", "12345678", "01234567", "deadbeef", "xxxx", "....", "****", "aaaaa", "00000"}

// placeholder reports whether a value looks typed rather than drawn. part is
// what of it should be random; empty leaves out the entropy.
func placeholder(value, part string) bool {
	if containsAny(strings.ToLower(value), stopWords) {
		return true
	}
	return part != "" && entropy(part) < 2.8 // bits a character; 20 random hex digits have about 3.3
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
