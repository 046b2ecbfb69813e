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
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
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
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %q", []any{j.BaseTree, j.HeadTree, j.Reviewers, cmp.Or(j.BlockOn, finding.High), j.Meaning}))
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

// Dismissal is a person's word about a finding: that nothing needs to be done, or an answer to a fixer.
type Dismissal struct {
	By  string // as git names people: "Ann <ann@example.org>"
	Why string
	// Answer dismisses nothing: the next fixer reads it.
	Answer string
	At     time.Time
	// Was and Because are what the finding was before.
	Was     finding.Status
	Because string
	// Content is the digest of the file of a finding that quotes nothing, whose ID does not depend on the code.
	Content string
}

// Dismissals are those of one plan, or of a branch without one, by the ID of the finding. They are kept in this
// clone, where no sandbox lets a session write: a ledger can come from a remote, and grants nothing.
type Dismissals map[string]Dismissal

// ReadDismissals reads a note (integrity.DismissalNote); one that cannot be read dismisses nothing.
func ReadDismissals(n journal.Note) Dismissals {
	d := Dismissals{}
	if n.Load(&d) != nil {
		return Dismissals{}
	}
	return d
}

// Write replaces the note; without dismissals it is removed.
func (d Dismissals) Write(n journal.Note) error {
	if len(d) == 0 {
		n.Remove()
		return nil
	}
	return n.Save(d)
}

// Settle dismisses a finding that a person has dismissed while its code is the same, and reports whether it did.
func (d Dismissals) Settle(f *finding.Finding, file func(path string) ([]byte, bool)) bool {
	word, ok := d[f.ID]
	if !ok || word.Answer != "" || word.Content != "" && word.Content != Content(f, file) {
		return false
	}
	f.Status, f.Because, f.By = finding.Dismissed, word.Why, word.By
	return true
}

// Content returns the digest of the file of a finding that quotes nothing of it; "" for any other.
func Content(f *finding.Finding, file func(path string) ([]byte, bool)) string {
	if f.File == "" || f.Quote != "" {
		return ""
	}
	data, _ := file(f.File)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// How many digits of an ID are needed to name a finding, and are printed.
const (
	shortest = 4
	shown    = 7
)

// Short returns the ID of a finding as people read and type it, like git's short names.
func Short(id string) string { return id[:min(len(id), shown)] }

// Named returns the findings whose ID begins with a prefix of at least four digits.
func (l *Ledger) Named(prefix string) []finding.Finding {
	if len(prefix) < shortest {
		return nil
	}
	prefix = strings.ToLower(prefix)
	return slices.DeleteFunc(slices.Clone(l.Findings), func(f finding.Finding) bool { return !strings.HasPrefix(f.ID, prefix) })
}

// Block has a finding block again in the round that judged the files as they are.
func (l *Ledger) Block(id string) {
	for i := range slices.Backward(l.Rounds) {
		if r := &l.Rounds[i]; r.Tree == l.HeadTree {
			r.Blocking = plan.Unique(append(r.Blocking, id))
			return
		}
	}
}

func author(f finding.Finding) string {
	name, _, _ := strings.Cut(f.By, " <")
	return cmp.Or(finding.Line(name, finding.MaxTitle), "a person")
}
