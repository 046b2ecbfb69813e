package rules

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// secrets finds private keys, and credentials in the formats of their issuers, unless they look typed (examples) or
// only moved. The hits ask a person: a change of the code revokes nothing, and no model may get the file.
func secrets() Rule {
	reported := map[[2]string]bool{} // pairs of file and secret
	elsewhere := map[string]bool{}   // files whose content is in git-lfs
	return Rule{
		Name: "secret", Category: "secret", Severity: "critical", Blocks: true, Guard: true, Gate: true, Moves: true,
		Why: "Anyone who can read the repository can use it. Revoke it: removing the line does not take it out of the history.",
		File: func(_ *Change, f *File) []Hit {
			if !IsNew(f.FileDiff) {
				return nil
			}
			return inText(f.FileDiff.Path, secret.In(f.FileDiff.Path), "the file's name holds a secret: ", "name", "")
		},
		Line: func(p *Line) []Hit {
			var hits []Hit
			for _, found := range secret.InLine(p.Text()) {
				hits = append(hits, secretHit(p.File.FileDiff.Path, p.This().New, found.Family, found.Value))
			}
			if number, value, ok := keyBeginning(p); ok {
				hits = append(hits, secretHit(p.File.FileDiff.Path, number, secret.PrivateKey, value))
			}
			if p.This().Kind == '+' {
				// a pointer of git-lfs
				elsewhere[p.File.FileDiff.Path] = elsewhere[p.File.FileDiff.Path] || strings.Contains(p.Text(), "oid sha256:")
				for _, h := range hits {
					reported[[2]string{h.Path, h.Moved}] = true
				}
			}
			return hits
		},
		End: func(c *Change) []Hit {
			unseen := func(f *git.FileDiff) bool {
				return (f.Binary || f.Cut || elsewhere[f.Path]) && f.NewMode != "160000" && f.OldMode != "160000"
			}
			return inBlobs(c, unseen, reported)
		},
	}
}

// keyBeginning returns the private key whose body begins in a line of one side, and the number of its header's line.
func keyBeginning(p *Line) (number int, value string, ok bool) {
	var numbers []int
	var lines []string
	for at := p.At; at >= 0 && len(lines) < 6; at-- { // the header, and a few fields
		if l := p.Hunk[at]; l.Kind == p.This().Kind || l.Kind == ' ' {
			numbers, lines = append(numbers, l.New), append(lines, l.Text)
		}
	}
	at, value, ok := secret.KeyBelow(lines)
	return numbers[at], value, ok
}

// credentialFiles finds files that have credentials by their name; of others (.env, .npmrc) a line decides.
func credentialFiles() Rule {
	found := func(path string) Hit {
		h := Hit{Path: path, Title: "a file that holds credentials by its name", Ask: true}
		if ForTests(path) {
			h.Severity = "medium"
		}
		return h
	}
	var line visible.Pattern
	reported := false
	return Rule{
		Name: "credential-file", Category: "secret", Severity: "critical", Blocks: true, Guard: true, Gate: true,
		Why: "A file of this name holds credentials. Keep it out of the repository and ignore it.",
		File: func(_ *Change, f *File) []Hit {
			reported = false
			p, base := f.FileDiff.Path, path.Base(f.FileDiff.Path)
			holds := credentialName().MatchString(base) ||
				strings.HasSuffix(p, ".aws/credentials") || strings.HasSuffix(p, ".kube/config")
			known := strings.EqualFold(base, "debug.keystore") || f.Ext == "ppk" && f.ForTests // Android's is everybody's
			if holds && !known && IsNew(f.FileDiff) && f.FileDiff.NewMode != "160000" && f.FileDiff.NewMode != "120000" {
				return []Hit{found(p)}
			}
			return nil
		},
		Wants: func(f *File) bool {
			line = nil
			switch base := path.Base(f.FileDiff.Path); {
			case envName().MatchString(base):
				line = envSecret
			case base == ".npmrc" || base == ".pypirc" || base == ".yarnrc.yml" || base == ".dockercfg":
				line = authLine
			}
			return line != nil && IsNew(f.FileDiff)
		},
		Line: func(p *Line) []Hit {
			m := line().FindStringSubmatch(p.Text())
			if reported || m == nil || len(m[1]) < 8 || strings.ContainsAny(m[1][:1], "$<{%") || secret.Placeholder(m[1], "") {
				return nil
			}
			reported = true
			return []Hit{found(p.File.FileDiff.Path)}
		},
	}
}

var (
	credentialName = visible.NewPattern(`(?i)^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|` +
		`\.git-credentials|\.htpasswd|kubeconfig|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk))$`)
	envName   = visible.NewPattern(`(?i)^\.env(?:\.(?:local|prod|production|staging|dev|development))?$`)
	envSecret = visible.NewPattern(`(?i)^(?:export )?[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|` +
		`API_?KEY|CREDENTIALS?)[A-Z0-9_]*=["']?([^"'\s#]+)`)
	authLine = visible.NewPattern(`(?:_authToken|_password|_auth|^password)\s*=\s*([^\s$]+)`)
)

// credentialURLs finds passwords in addresses and connection strings: without an issuer's format, not for the gate.
func credentialURLs() Rule {
	return Rule{
		Name: "credential-url", Category: "secret", Severity: "medium", Blocks: true, Moves: true,
		Why:   "The address carries a password.",
		Wants: func(f *File) bool { return !f.ForTests && f.Class != Docs },
		Line: func(p *Line) []Hit {
			var hits []Hit
			add := func(host, password string) {
				if !localHost().MatchString(host) && !secret.Placeholder(password, password) &&
					strings.ContainsAny(password, "0123456789") && letter().MatchString(password) {
					hits = append(hits, secretHit(p.File.FileDiff.Path, p.This().New, "password in an address", password))
				}
			}
			if strings.Contains(p.Text(), "://") {
				for _, m := range urlPassword().FindAllStringSubmatch(p.Text(), 20) {
					add(m[2], m[1])
				}
			}
			if strings.Contains(p.Text(), ";") {
				if m := adoPassword().FindStringSubmatch(p.Text()); m != nil {
					add(m[1], m[2])
				}
			}
			return hits
		},
	}
}

var (
	letter      = visible.NewPattern(`[A-Za-z]`)
	urlPassword = visible.NewPattern(`[a-z][a-z0-9+.-]{1,15}://[^\s/:@'"<>{}$()]{0,64}:([^\s/@:'"<>{}$%()]{8,128})@([A-Za-z0-9.-]+)`)
	adoPassword = visible.NewPattern(`(?i)(?:server|data source|host|` +
		`addr(?:ess)?)=(?:tcp:)?([^;"'\s]+);(?:.*;)?\s*(?:password|pwd)=([^;"'\s{}$<>%]{8,128})`)
	localHost = visible.NewPattern(`(?i)^(?:localhost|127\.|0\.0\.0\.0|\(?localdb|\.|host\b|db$|` +
		`postgres(?:ql)?$|mysql$|mariadb$|redis$|rabbitmq$|mongo(?:db)?$|proxy$|.*\.?example(?:\.[a-z]+)?$|` +
		`.*\.(?:test|invalid|local|localhost)$)`)
)

// inBlobs finds new secrets in files whose lines are not, or not all, in the difference.
func inBlobs(c *Change, unseen func(*git.FileDiff) bool, reported map[[2]string]bool) []Hit {
	var hits []Hit
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if !unseen(f) || f.Status == 'D' || f.NewOID == f.OldOID {
			continue
		}
		hits = append(hits,
			slices.DeleteFunc(inBlob(c, f, f.NewOID), func(h Hit) bool { return reported[[2]string{h.Path, h.Moved}] })...)
	}
	if len(hits) == 0 {
		return nil
	}
	old := map[string]bool{}
	for i := range c.Diff.Files {
		if f := &c.Diff.Files[i]; unseen(f) {
			for _, h := range inBlob(c, f, f.OldOID) {
				old[h.Moved] = true
			}
		}
	}
	return slices.DeleteFunc(hits, func(h Hit) bool { return old[h.Moved] })
}

func inBlob(c *Change, f *git.FileDiff, oid string) (hits []Hit) {
	if !IsObject(oid) || c.Stream == nil {
		return nil
	}
	var found []secret.Secret
	err := c.Stream(oid, func(in io.Reader) (err error) {
		found, err = secret.InStream(in, !f.Binary)
		return err
	})
	if err != nil {
		return []Hit{{Path: f.Path, Title: "it cannot be read, so it may hold a secret", Key: "unread " + oid}}
	}
	for _, k := range found {
		hits = append(hits, secretHit(f.Path, k.Line, k.Family, k.Value))
	}
	return hits
}
