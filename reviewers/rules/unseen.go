package rules

import (
	"io"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// tellings are the secrets that were reported for each file, so that none is reported twice.
type tellings map[[2]string]bool

func (t tellings) note(hits []Hit) {
	for _, h := range hits {
		t[[2]string{h.Path, h.moved}] = true
	}
}

// inBlobs finds secrets in files that have no lines in the difference, or more than are kept of
// them. What such a file had before is nothing new.
func inBlobs(c *Change, told tellings) []Hit {
	var hits []Hit
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if !unseen(f) || f.Status == 'D' || f.NewOID == f.OldOID {
			continue
		}
		for _, h := range inBlob(c, f, f.NewOID) {
			if !told[[2]string{h.Path, h.moved}] {
				hits = append(hits, h)
			}
		}
	}
	if len(hits) == 0 {
		return nil
	}
	old := map[string]bool{}
	for i := range c.Diff.Files {
		if f := &c.Diff.Files[i]; unseen(f) {
			for _, h := range inBlob(c, f, f.OldOID) {
				old[h.moved] = true
			}
		}
	}
	fresh := hits[:0]
	for _, h := range hits {
		if !old[h.moved] {
			fresh = append(fresh, h)
		}
	}
	return fresh
}

func unseen(f *diffs.FileDiff) bool {
	return (f.Binary || f.Cut) && f.NewMode != "160000" && f.OldMode != "160000"
}

func inBlob(c *Change, f *diffs.FileDiff, oid string) (hits []Hit) {
	if !isObject(oid) {
		return nil
	}
	var found []secret.Secret
	err := stream(c, oid, func(in io.Reader) (err error) {
		found, err = secret.InStream(in, !f.Binary)
		return err
	})
	if err != nil {
		return []Hit{{Path: f.Path, Title: "it cannot be read, so nobody knows whether it holds a secret", Key: "unread " + oid}}
	}
	tests := forTests(f.Path)
	for _, k := range found {
		h := secretHit(f.Path, k.Line, k.Family, k.Value)
		switch {
		case tests && k.Family == "private key":
			h.Severity = "medium"
		case tests:
			h.Severity = "high"
		}
		hits = append(hits, h)
	}
	return hits
}
