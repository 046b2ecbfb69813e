package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// credential is a place of a text that holds one.
type credential struct {
	family   string
	value    string
	from, to int
}

// credentials finds what is in a text of the formats that issuers publish, and
// private keys, by the bars of the rule about secrets in files.
func credentials(text string) []credential {
	var found []credential
	add := func(family string, p *pattern, random func(value string) string) {
		for at := 0; ; {
			m := p.FindStringSubmatchIndex(text[at:])
			if m == nil {
				return
			}
			c := credential{family: family, from: at + m[len(m)-2], to: at + m[len(m)-1]}
			c.value = text[c.from:c.to]
			if !placeholder(c.value, random(c.value)) {
				found = append(found, c)
			}
			at = c.to // what follows a value may be what the next one follows
		}
	}
	for _, fam := range families() {
		if containsAny(text, fam.has) {
			add(fam.name, fam.pattern, fam.secretPart)
		}
	}
	if strings.Contains(text, "PRIVATE KEY") {
		add("private key", pemBlock, keyBody.FindString)
	}
	return found
}

// pemBlock is a private key with its body, in a text or in a string of JSON,
// whose line ends are pairs of characters that must not be torn apart.
var pemBlock = lazily(`-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|[^"\\]){0,200}?` +
	`([A-Za-z0-9+/=]{40,}(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{40,})*(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]+(?:\\+[nr]|\s)*-----END [A-Z ]+-----)?)`)

// Mask is a text that may go out, without the credentials in it: what sessions say
// becomes commits, events and reviews. JSON stays JSON.
func Mask(text string) string {
	found := credentials(text)
	slices.SortFunc(found, func(a, b credential) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, c := range found {
		if c.from >= at { // else two formats share it
			b.WriteString(text[at:c.from] + "[redacted]")
		}
		at = max(at, c.to)
	}
	return b.String() + text[at:]
}

// InMessages finds credentials in what commits say. A message is not in any
// difference, and no later commit takes it back.
func InMessages(commits []git.Commit) []Hit {
	var hits []Hit
	for _, k := range commits {
		hits = append(hits, inMessage("commit", k.OID, k.Message, "reword the commit: git rebase -i")...)
	}
	return hits
}

// InTag finds them in what an annotated tag says.
func InTag(oid, message string) []Hit {
	return inMessage("tag", oid, message, "make the tag anew: git tag -f -a")
}

func inMessage(what, oid, message, mend string) (hits []Hit) {
	for _, c := range credentials(message) {
		h := secretHit("", 0, c.family, c.value)
		h.Category, h.Severity, h.Key = "secret", "critical", h.Key+" "+oid
		h.Title = fmt.Sprintf("%s %.10s says a secret: %s", what, oid, h.Title)
		h.Why = fmt.Sprintf("Whoever gets the %s can use it. Revoke it, and %s.", what, mend)
		hits = append(hits, h)
	}
	return hits
}
