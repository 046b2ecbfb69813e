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

// Verdict is how a review of exactly these trees ended.
type Verdict struct {
	Schema   int      `json:"schema"`
	End      End      `json:"end"`
	Reason   string   `json:"reason,omitempty"`
	Head     string   `json:"head"`               // the commit that had the tree then
	Blocking []string `json:"blocking,omitempty"` // findings, by ID: a ledger of a remote may have fewer
}

// Passes reports whether it lets a push through. No verdict passes nothing.
func (v *Verdict) Passes() bool { return v != nil && v.Schema == 1 && v.End.Passes() }

// Verdict returns what a ledger says of the trees that were judged last.
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

// SaveVerdict writes the verdict about j to dir whole or not at all.
func SaveVerdict(dir string, j Judgeable, v *Verdict) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return journal.WriteFile(j.file(dir), append(data, '\n'))
}

// End is how a review ended.
type End string

// The ends of a review. Only the first three are passes.
const (
	Clean       End = "clean"       // every reviewer answered and nothing is open
	Notes       End = "notes"       // only findings below the bar, or advice
	Explained   End = "dismissed"   // the fixer explained each finding away and the verifier agreed
	Stalemate   End = "stalemate"   // HEAD did not move and something still blocks, or one finding was "fixed" twice
	Oscillation End = "oscillation" // the tree is one that an earlier round had
	RoundsUp    End = "rounds"      // as many rounds as are allowed
	Moved       End = "moved"       // the branch was moved from outside
	Found       End = "findings"    // something blocks, and no fixer is set
	Budget      End = "budget"      // tokens, money or time are spent
	Incomplete  End = "incomplete"  // a reviewer or verifier that is required did not answer
)

// Passes reports whether the branch is good as far as the review goes.
func (e End) Passes() bool { return e == Clean || e == Notes || e == Explained }

// Code returns the exit code of the end.
func (e End) Code() int {
	if e.Passes() {
		return 0
	}
	return cmp.Or(map[End]int{Moved: 5, Budget: 6}[e], 4)
}

// Words returns the end for people.
func (e End) Words() string {
	return cmp.Or(map[End]string{Notes: "passed with notes", Explained: "passed with dismissed findings",
		Stalemate: "waits for you", RoundsUp: "out of rounds"}[e], string(e))
}
