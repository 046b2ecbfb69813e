package rules

import (
	"bytes"

	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// earlyReturns finds the tests of a file that now return, whatever holds, before what they did:
// at the top, or after the set-up. Such a test proves nothing, and only a step that names the
// file may ask for it.
func earlyReturns(c *scan.Change, f *scan.File) []scan.Hit {
	if !f.Test || f.Binary || f.Status == 'D' || f.OldOID == f.NewOID || testcode.Definition(f.Ext) == nil {
		return nil
	}
	now, ok := c.Blob(f.NewOID)
	if !ok || len(now) > maxRead || !bytes.Contains(now, []byte("return")) {
		return nil
	}
	old, _ := c.Blob(f.OldOID)
	had, was := map[string]bool{}, map[string]bool{}
	for _, t := range testcode.Of(scan.Extension(f.OldPath), old) {
		was[t.Name] = true
	}
	for _, r := range testcode.Returning(scan.Extension(f.OldPath), old) {
		had[r.Name] = true
	}
	var hits []scan.Hit
	for _, h := range hitsOf(testcode.Returning(f.Ext, now)) {
		if had[h.Key] {
			continue
		}
		if h.Path = f.Path; c.Plan == nil && !was[h.Key] {
			h.Severity = "medium"
		}
		hits = append(hits, h)
	}
	return hits
}
