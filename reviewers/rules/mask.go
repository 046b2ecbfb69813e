package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// credential is the place of one in a text.
type credential struct {
	family   string
	value    string
	from, to int
	line     int // of a stream, from 1; 0 in what has no lines
}

// credentials finds what is in a text of the formats that issuers publish, and
// private keys, by the bars of the rule about secrets in files.
func credentials(text string) []credential {
	var found []credential
	add := func(family string, p *pattern.Pattern, random func(value string) string) {
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

// Mask returns a text without the credentials in it, so that it may go out: what sessions
// say becomes commits, events and reviews. JSON stays JSON. Invisible characters do not
// hide a credential: if there is one without them, they are left out.
func Mask(text string) string {
	found := credentials(text)
	clean := visible.Without(text)
	if clean == text {
		return without(text, found)
	}
	across := credentials(clean)
	if len(across) == 0 {
		return without(text, found)
	}
	text = without(clean, across)
	for _, c := range found { // one that such a character ended
		text = strings.ReplaceAll(text, visible.Without(c.value), "[redacted]")
	}
	return text
}

func without(text string, found []credential) string {
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

// InCommit finds credentials in what a commit's object has in addition to its tree:
// message, author, committer and whatever else. No difference shows that, and no later
// commit takes it back.
func InCommit(oid, object string) []Hit {
	return inObject("commit", oid, object, "reword the commit, and give it another author: git rebase -i")
}

// InTag finds them in an annotated tag.
func InTag(oid, object string) []Hit {
	return inObject("tag", oid, object, "make the tag again: git tag -f -a")
}

// InRef finds them in the name of a branch or tag.
func InRef(name string) []Hit {
	hits := told("", credentials(name), "the name of the ref holds a secret: ", name)
	for i := range hits {
		hits[i].Why = "Whoever lists the branches can use it. Revoke it, and rename the branch or tag."
	}
	return hits
}

func inObject(what, oid, object, next string) []Hit {
	head, message, _ := strings.Cut(object, "\n\n")
	hits := told("", credentials(message), fmt.Sprintf("%s %.10s says a secret: ", what, oid), oid)
	hits = append(hits, told("", credentials(head), fmt.Sprintf("%s %.10s names a secret as whose it is: ", what, oid), oid)...)
	for i := range hits {
		hits[i].Why = fmt.Sprintf("Whoever gets the %s can use it. Revoke it, and %s.", what, next)
	}
	return hits
}

// inName finds them in the name that a file gets.
func inName(f *subject) []Hit {
	if !isNew(f.FileDiff) {
		return nil
	}
	return told(f.Path, credentials(f.Path), "the file's name holds a secret: ", "name")
}

// told returns hits with a title that begins so, one for each key.
func told(path string, found []credential, title, key string) (hits []Hit) {
	for _, c := range found {
		h := secretHit(path, 0, c.family, c.value)
		h.Category, h.Severity, h.Key, h.Title = "secret", "critical", h.Key+" "+key, title+h.Title
		hits = append(hits, h)
	}
	return hits
}

// secretHit returns a hit that shows of a secret only what [abridged] leaves.
func secretHit(path string, line int, family, value string) Hit {
	sum := sha256.Sum256([]byte(value))
	return Hit{
		Path: path, Line: line, Quote: abridged(value), Key: hex.EncodeToString(sum[:8]),
		Title: fmt.Sprintf("%s (%s)", family, abridged(value)), Ask: true, moved: hex.EncodeToString(sum[:]),
	}
}

// abridged returns a secret's first four characters and its length.
func abridged(value string) string {
	if len(value) <= 8 {
		return fmt.Sprintf("… %d characters", len(value))
	}
	return fmt.Sprintf("%s… %d characters", strings.ToValidUTF8(value[:4], "?"), len(value))
}
