package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Judgeable identifies what a verdict is about. It has trees, not commits, so a verdict survives a rewritten history.
type Judgeable struct {
	BaseTree  string // the tree of the merge base
	HeadTree  string
	Reviewers string           // the result of panel.Digest
	BlockOn   finding.Severity // plan.blockOn
	Meaning   string           // digest of the plan's meaning; empty without a plan
}

// Key returns 128 hex digits for the name of the verdict's file. The first half depends on HeadTree alone.
func (j Judgeable) Key() string {
	return digest(j.HeadTree) + digest(fmt.Sprintf("1 %q",
		[]any{j.BaseTree, j.HeadTree, j.Reviewers, cmp.Or(j.BlockOn, finding.High), j.Meaning}))
}

func (j Judgeable) file(dir string) string { return filepath.Join(dir, j.Key()+".json") }

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// RemoveVerdicts removes the verdicts in dir for a tree, and reports whether there were any.
func RemoveVerdicts(dir, tree string) (removed bool) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), digest(tree)) {
			removed = os.Remove(filepath.Join(dir, f.Name())) == nil || removed
		}
	}
	return removed
}

// Verdict is the end of a review of exactly one Judgeable.
type Verdict struct {
	Schema   int      `json:"schema"`
	End      End      `json:"end"`
	Reason   string   `json:"reason,omitempty"`
	Head     string   `json:"head"`               // the reviewed commit
	Blocking []string `json:"blocking,omitempty"` // IDs of findings: a ledger from a remote may lack some
}

// Passes reports whether the verdict lets a push through; false for nil.
func (v *Verdict) Passes() bool { return v != nil && v.Schema == 1 && v.End.Passes() }

// Verdict returns the verdict on the trees that were judged last.
func (l *Ledger) Verdict() *Verdict {
	v := &Verdict{Schema: 1, End: l.End, Reason: l.Reason, Head: l.Head}
	for _, f := range l.Blocking() {
		v.Blocking = append(v.Blocking, f.ID)
	}
	return v
}

// LoadVerdict reads the verdict about j from dir (integrity.VerdictDir); nil without one that can be read.
func LoadVerdict(dir string, j Judgeable) *Verdict {
	data, err := os.ReadFile(j.file(dir))
	var v Verdict
	if err != nil || json.Unmarshal(data, &v) != nil || v.Schema != 1 {
		return nil
	}
	return &v
}

// SaveVerdict writes the verdict about j to dir, atomically.
func SaveVerdict(dir string, j Judgeable, v *Verdict) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return journal.WriteFile(j.file(dir), append(data, '\n'))
}
