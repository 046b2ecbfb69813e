package leaks

import (
	"io"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// tellings are the secrets that were reported for each file, so that none is reported twice.
type tellings map[[2]string]bool

func (t tellings) note(hits []scan.Hit) {
	for _, h := range hits {
		t[[2]string{h.Path, h.Moved}] = true
	}
}

// inBlobs finds secrets in files that have no lines in the difference, or more than are kept of
// them. What such a file had before is nothing new.
func inBlobs(c *scan.Change, reported tellings) []scan.Hit {
	var hits []scan.Hit
	for i := range c.Diff.Files {
		f := &c.Diff.Files[i]
		if !unseen(f) || f.Status == 'D' || f.NewOID == f.OldOID {
			continue
		}
		for _, h := range inBlob(c, f, f.NewOID) {
			if !reported[[2]string{h.Path, h.Moved}] {
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
				old[h.Moved] = true
			}
		}
	}
	fresh := hits[:0]
	for _, h := range hits {
		if !old[h.Moved] {
			fresh = append(fresh, h)
		}
	}
	return fresh
}

func unseen(f *diffs.FileDiff) bool {
	return (f.Binary || f.Cut) && f.NewMode != "160000" && f.OldMode != "160000"
}

func inBlob(c *scan.Change, f *diffs.FileDiff, oid string) (hits []scan.Hit) {
	if !scan.IsObject(oid) {
		return nil
	}
	var found []secret.Secret
	err := c.Unpack(oid, func(in io.Reader) (err error) {
		found, err = secret.InStream(in, !f.Binary)
		return err
	})
	if err != nil {
		return []scan.Hit{{Path: f.Path, Title: "it cannot be read, so nobody knows whether it holds a secret", Key: "unread " + oid}}
	}
	tests := scan.ForTests(f.Path)
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
