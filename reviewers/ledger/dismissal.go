package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Dismissal is a person's word about a finding: that nothing needs to be done, or an answer to a fixer.
type Dismissal struct {
	By      string // as git names people: "Ann <ann@example.org>"
	Why     string
	Answer  string // dismisses nothing: the next fixer reads it
	At      time.Time
	Was     finding.Status // what the finding was before
	Because string         // of that
	Content string         // digest of the file of a finding that quotes nothing, whose ID does not depend on the code
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
	return digest(string(data))[:24]
}

// Short returns the ID of a finding as people read and type it, like git's short names.
func Short(id string) string { return id[:min(len(id), 7)] }

// Named returns the findings whose ID begins with a prefix of at least four digits.
func (l *Ledger) Named(prefix string) []finding.Finding {
	if len(prefix) < 4 {
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
