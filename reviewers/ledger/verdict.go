package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Judgeable is what a verdict is about: two trees, so rewriting history keeps it.
type Judgeable struct {
	BaseTree  string // of the merge base
	HeadTree  string
	Reviewers string           // see [Digest]
	BlockOn   finding.Severity // plan.blockOn
	Meaning   string           // digest of the plan's meaning; empty without a plan
}

// Key returns its identity: 128 hex digits, the first half of which depends on HeadTree alone.
func (j Judgeable) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %q",
		[]any{j.BaseTree, j.HeadTree, j.Reviewers, cmp.Or(j.BlockOn, finding.High), j.Meaning}))
	return ofTree(j.HeadTree) + hex.EncodeToString(sum[:])
}

func ofTree(tree string) string {
	sum := sha256.Sum256([]byte(tree))
	return hex.EncodeToString(sum[:])
}

// RemoveVerdicts removes the verdicts in dir for a tree that is about to be committed, and returns a note about it: a
// session may have written one beforehand. If it was genuine, that costs another review.
func RemoveVerdicts(dir, tree string) []string {
	if !remove(dir, tree, func(string) bool { return true }) {
		return nil
	}
	return []string{"these files were reviewed before; they are reviewed again"}
}

// Invalidate removes the verdicts in dir that pass a tree in which a blocking finding was made now.
func Invalidate(dir, tree string) {
	remove(dir, tree, func(key string) bool { return LoadVerdict(dir, key).Passes() })
}

// remove removes some verdicts for a tree, and reports whether there were any.
func remove(dir, tree string, which func(key string) bool) (removed bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ofTree(tree)) && which(strings.TrimSuffix(e.Name(), ".json")) {
			removed = os.Remove(filepath.Join(dir, e.Name())) == nil || removed
		}
	}
	return removed
}

// Verdict is how a review of exactly these trees ended.
type Verdict struct {
	Schema   int       `json:"schema"`
	End      End       `json:"end"`
	Reason   string    `json:"reason,omitempty"`
	Head     string    `json:"head"` // the commit that had the tree then
	At       time.Time `json:"at"`
	Blocking []string  `json:"blocking,omitempty"` // findings, by ID: a ledger of a remote may have fewer
}

// Passes reports whether it lets a push through. No verdict passes nothing.
func (v *Verdict) Passes() bool { return v != nil && v.Schema == 1 && v.End.Passes() }

// Verdict returns what a ledger says of the trees that were judged last.
func (l *Ledger) Verdict(at time.Time) *Verdict {
	v := &Verdict{Schema: 1, End: l.End, Reason: l.Reason, Head: l.Head, At: at.UTC()}
	for _, f := range l.Blocking() {
		v.Blocking = append(v.Blocking, f.ID)
	}
	return v
}

// isKey keeps anything but a key from becoming a path.
func isKey(s string) bool { return len(s) == 128 && strings.Trim(s, "0123456789abcdef") == "" }

// LoadVerdict reads the verdict with this key from dir (integrity.VerdictDir); nil without one that can be read.
func LoadVerdict(dir, key string) *Verdict {
	if !isKey(key) {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, key+".json"))
	if err != nil {
		return nil
	}
	var v Verdict
	if json.Unmarshal(data, &v) != nil || v.Schema != 1 {
		return nil
	}
	return &v
}

// SaveVerdict writes a verdict to dir whole or not at all.
func SaveVerdict(dir, key string, v *Verdict) error {
	if !isKey(key) {
		return errors.New("not the key of a verdict")
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return journal.WriteFile(filepath.Join(dir, key+".json"), append(data, '\n'))
}
