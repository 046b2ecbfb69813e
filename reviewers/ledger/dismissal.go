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

// Dismissal is a person's decision about a finding: to dismiss it, or an answer to a fixer's question, or both.
type Dismissal struct {
	By      string // name and e-mail address, such as "Ann <ann@example.org>"
	Why     string // the reason of a dismissal
	Answer  string // the answer for the next fixer; empty for a dismissal
	At      time.Time
	Was     finding.Status // the finding's earlier status
	Because string         // the reason of the earlier status
	Content string         // the result of the function Content when it was dismissed
}

// Dismissals are the decisions about the findings of a plan, or of a branch without a plan, by finding ID. They are
// kept in this clone, outside of every sandbox. A ledger can come from a remote, so its dismissals do not count.
type Dismissals map[string]Dismissal

// ReadDismissals reads a note (integrity.DismissalNote); one that cannot be read dismisses nothing.
func ReadDismissals(n journal.Note) Dismissals {
	if d := journal.Loaded[Dismissals](n); d != nil {
		return d
	}
	return Dismissals{}
}

// Settle dismisses a finding that a person has dismissed while its code is the same, and reports whether it did.
func (d Dismissals) Settle(f *finding.Finding, file func(path string) ([]byte, bool)) bool {
	word := d[f.ID]
	if word.Why == "" || word.Content != "" && word.Content != Content(f, file) {
		return false
	}
	f.Status, f.Because, f.By = finding.Dismissed, word.Why, word.By
	return true
}

// Content returns a digest of the finding's file if it quotes nothing, since then its ID does not depend on the code;
// else "".
func Content(f *finding.Finding, file func(path string) ([]byte, bool)) string {
	if f.File == "" || f.Quote != "" {
		return ""
	}
	data, _ := file(f.File)
	return digest(string(data))[:24]
}

// Short returns the abbreviated ID of a finding, as people read and type it.
func Short(id string) string { return id[:min(len(id), 7)] }

// Named returns the findings whose ID begins with a prefix of at least four digits.
func (l *Ledger) Named(prefix string) []finding.Finding {
	if len(prefix) < 4 {
		return nil
	}
	prefix = strings.ToLower(prefix)
	return slices.DeleteFunc(slices.Clone(l.Findings), func(f finding.Finding) bool { return !strings.HasPrefix(f.ID, prefix) })
}

// Block makes a finding block again in the round that judged the present files.
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
