package leaks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// InCommit finds credentials in what a commit's object has in addition to its tree: message,
// author, committer and so on. No difference shows that, and no later commit removes it.
func InCommit(oid, object string) []scan.Hit {
	return inObject("commit", oid, object, "reword the commit, and give it another author: git rebase -i")
}

// InTag finds them in an annotated tag.
func InTag(oid, object string) []scan.Hit {
	return inObject("tag", oid, object, "make the tag again: git tag -f -a")
}

// InRef finds them in the name of a branch or tag.
func InRef(name string) []scan.Hit {
	hits := reported("", secret.In(name), "the name of the ref holds a secret: ", name)
	for i := range hits {
		hits[i].Why = "Whoever lists the branches can use it. Revoke it, and rename the branch or tag."
	}
	return hits
}

func inObject(what, oid, object, next string) []scan.Hit {
	head, message, _ := strings.Cut(object, "\n\n")
	hits := reported("", secret.In(message), fmt.Sprintf("%s %.10s says a secret: ", what, oid), oid)
	hits = append(hits, reported("", secret.In(head), fmt.Sprintf("%s %.10s names a secret as whose it is: ", what, oid), oid)...)
	for i := range hits {
		hits[i].Why = fmt.Sprintf("Whoever gets the %s can use it. Revoke it, and %s.", what, next)
	}
	return hits
}

// inName finds them in the name that a file gets.
func inName(f *scan.File) []scan.Hit {
	if !scan.IsNew(f.FileDiff) {
		return nil
	}
	return reported(f.Path, secret.In(f.Path), "the file's name holds a secret: ", "name")
}

// reported returns hits with a title that begins so, one for each key.
func reported(path string, found []secret.Secret, title, key string) (hits []scan.Hit) {
	for _, c := range found {
		h := secretHit(path, 0, c.Family, c.Value)
		h.Category, h.Severity, h.Key, h.Title = "secret", "critical", h.Key+" "+key, title+h.Title
		hits = append(hits, h)
	}
	return hits
}

// secretHit returns a hit that shows only as much of a secret as secret.Abridged leaves.
func secretHit(path string, line int, family, value string) scan.Hit {
	sum := sha256.Sum256([]byte(value))
	return scan.Hit{
		Path: path, Line: line, Quote: secret.Abridged(value), Key: hex.EncodeToString(sum[:8]),
		Title: fmt.Sprintf("%s (%s)", family, secret.Abridged(value)), Ask: true, Moved: hex.EncodeToString(sum[:]),
	}
}
