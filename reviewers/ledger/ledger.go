package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// Schema is the version of review.json that this program writes.
const Schema = 1

// Ledger is the content of review.json: the findings of a review. The next review of the branch continues from it.
type Ledger struct {
	Schema   int               `json:"schema"`
	Plan     string            `json:"plan,omitempty"`
	Branch   string            `json:"branch"`
	Base     string            `json:"base"` // the merge base
	Head     string            `json:"head"` // the commit that was judged last
	BaseTree string            `json:"baseTree"`
	HeadTree string            `json:"headTree"`
	End      End               `json:"end,omitempty"` // empty while the review goes on
	Reason   string            `json:"reason,omitempty"`
	Only     []string          `json:"only,omitempty"` // the reviewers that judged, unless all configured ones did
	Rounds   []Round           `json:"rounds"`
	Findings []finding.Finding `json:"findings"` // all findings of all rounds, in their present state
}

// Round is one turn of the loop.
type Round struct {
	N         int        `json:"n"`
	Head      string     `json:"head"`
	Tree      string     `json:"tree"`
	Files     int        `json:"files"`             // the number of files changed between Base and Head
	Earlier   bool       `json:"earlier,omitempty"` // the round is an earlier review's, which reported its cost
	Reviewers []Reviewed `json:"reviewers"`
	Verifier  *Reviewed  `json:"verifier,omitempty"`
	NotSent   []NotSent  `json:"notSent,omitempty"`
	Blocking  []string   `json:"blocking,omitempty"` // finding IDs
	Fix       *FixRecord `json:"fix,omitempty"`
}

// Reviewed is the result of one reviewer, or of the verifier, in a round.
type Reviewed struct {
	Name       string       `json:"name"`
	Agent      string       `json:"agent,omitempty"`
	Incomplete string       `json:"incomplete,omitempty"`
	Covered    []string     `json:"covered,omitempty"`
	Findings   []string     `json:"findings,omitempty"` // IDs
	Sessions   int          `json:"sessions,omitempty"` // the number of sessions
	Tokens     agent.Tokens `json:"tokens"`
	CostUSD    *float64     `json:"costUSD,omitempty"` // nil if the price is not known
}

// FixRecord is the result of a fixer.
type FixRecord struct {
	Head         string                       `json:"head"` // the commit of HEAD afterwards
	Status       agent.Status                 `json:"status"`
	Reason       string                       `json:"reason,omitempty"`
	Agent        string                       `json:"agent,omitempty"`
	Dispositions []agent.Disposition          `json:"dispositions,omitempty"`
	Verified     map[string]finding.Judgement `json:"verified,omitempty"` // judgements of its dismissals, by finding ID
	Sessions     int                          `json:"sessions,omitempty"`
	Tokens       agent.Tokens                 `json:"tokens"`
	CostUSD      *float64                     `json:"costUSD,omitempty"`
}

// Parse reads review.json, which may come from a remote, so its texts are bounded.
func Parse(data []byte) (*Ledger, error) {
	var l Ledger
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("review.json: %w", err)
	}
	if l.Schema != Schema {
		return nil, fmt.Errorf("review.json has schema %d; this program reads %d", l.Schema, Schema)
	}
	l.End, l.Reason = End(finding.Line(string(l.End), 63)), finding.Line(l.Reason, finding.MaxText)
	for i, name := range l.Only {
		l.Only[i] = finding.Line(name, 63)
	}
	for i := range l.Findings {
		f := &l.Findings[i]
		if f.File != "" && !finding.InRepository(f.File) {
			return nil, errors.New("review.json names a file outside of the repository")
		}
		if len(f.ID) != 12 || strings.Trim(f.ID, "0123456789abcdef") != "" {
			return nil, errors.New("review.json has a finding with an id that this program does not give")
		}
		for j, name := range f.Reviewers {
			f.Reviewers[j] = finding.Line(name, 63)
		}
		f.Answer = finding.Line(f.Answer, finding.MaxText)
		f.Rule, f.By = finding.Line(f.Rule, finding.MaxTitle), finding.Line(f.By, finding.MaxTitle)
		f.Severity, f.Status = finding.Severity(finding.Kebab(string(f.Severity))), finding.Status(finding.Kebab(string(f.Status)))
		f.Title, f.Because, f.Category = finding.Line(f.Title, finding.MaxTitle), finding.Line(f.Because, finding.MaxText),
			finding.Kebab(f.Category)
		f.Quote, f.Detail, f.Trigger = finding.Block(f.Quote, finding.MaxQuote), finding.Block(f.Detail, finding.MaxText),
			finding.Block(f.Trigger, finding.MaxText)
	}
	return &l, nil
}

// Bytes returns the text of review.json without secrets, since it is pushed.
func (l *Ledger) Bytes() ([]byte, error) {
	data, err := json.MarshalIndent(l, "", "  ")
	return append([]byte(secret.Mask(string(data))), '\n'), err
}

// Covered returns the changed files that some reviewer other than the rules judged, sorted.
func (l *Ledger) Covered() []string {
	seen := map[string]bool{}
	for _, r := range l.Rounds {
		for _, v := range r.Reviewers {
			if v.Name == finding.RulesName || v.Incomplete != "" {
				continue
			}
			for _, p := range v.Covered {
				seen[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Keep adds findings to the ledger, and replaces those with the same ID.
func (l *Ledger) Keep(list []finding.Finding) {
	known := l.ByID()
	for _, f := range list {
		if old := known[f.ID]; old != nil {
			f.Round = min(f.Round, max(old.Round, 1))
			*old = f
		}
	}
	l.Findings = append(l.Findings,
		slices.DeleteFunc(slices.Clone(list), func(f finding.Finding) bool { return known[f.ID] != nil })...)
}

// With returns the findings that have one of statuses.
func (l *Ledger) With(statuses ...finding.Status) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(l.Findings),
		func(f finding.Finding) bool { return !slices.Contains(statuses, f.Status) })
}

// CarryOver returns the findings for a later review: dismissed ones, and confirmed ones, which are verified again if
// their code still exists. Findings of rules and programs are left out, since a ledger must not silence them.
func (l *Ledger) CarryOver() []finding.Finding {
	out := l.With(finding.Dismissed, finding.Confirmed, finding.Asked, finding.Fixed)
	for i := range out {
		f := &out[i]
		if f.Status == finding.Dismissed {
			f.Round = 0
			continue
		}
		f.TakeAsFixed()
		f.Round = 1 // its round in the later review is unknown
	}
	return slices.DeleteFunc(out, func(f finding.Finding) bool { return f.Verified })
}

// After returns the ledger merged with an earlier one of the same trees, so that its findings are not forgotten, and a
// review by some reviewers does not undo one by all.
func (l *Ledger) After(earlier *Ledger) *Ledger {
	if earlier == nil || earlier.BaseTree != l.BaseTree || earlier.HeadTree != l.HeadTree ||
		earlier.End == Incomplete || earlier.End == Budget { // this review continued that one
		return l
	}
	out := *l
	out.Rounds = append(earlier.EarlierRounds(), l.Rounds...)
	out.Findings = slices.Grow(slices.Clone(l.Findings), len(earlier.Findings)) // keeps known valid
	known := out.ByID()
	for _, f := range earlier.Findings {
		if g := known[f.ID]; g == nil && !f.Verified {
			out.Findings = append(out.Findings, f)
		} else if g != nil && g.Round == 0 { // dismissed earlier, and only carried over
			g.Round = f.Round
		}
	}
	if len(l.Only) > 0 && len(earlier.Only) == 0 && l.End.Passes() && earlier.End.Passes() {
		out.Only = nil
		if l.End == Clean {
			out.End, out.Reason = earlier.End, earlier.Reason
		}
	}
	return &out
}

// EarlierRounds returns the rounds marked as Earlier, so that a later ledger does not report their cost again.
func (l *Ledger) EarlierRounds() []Round {
	out := slices.Clone(l.Rounds)
	for i := range out {
		out[i].Earlier = true
	}
	return out
}

// ByID returns the findings by ID. The map is valid until findings are added.
func (l *Ledger) ByID() map[string]*finding.Finding {
	known := make(map[string]*finding.Finding, len(l.Findings))
	for i := range slices.Backward(l.Findings) { // the first of two with one ID wins
		known[l.Findings[i].ID] = &l.Findings[i]
	}
	return known
}

// Finding returns the finding with an ID, or nil.
func (l *Ledger) Finding(id string) *finding.Finding {
	for i := range l.Findings {
		if l.Findings[i].ID == id {
			return &l.Findings[i]
		}
	}
	return nil
}

// NotSent is a changed file that no model saw, and why.
type NotSent struct {
	Path string `json:"path"`
	Why  string `json:"why"`            // binary, too large, generated, vendored, lock, secret or budget
	Code bool   `json:"code,omitempty"` // the file is code, so the review is incomplete
}

// Interrupted reports whether only a signal kept the review from its end.
func (l *Ledger) Interrupted() bool { return l.End == Incomplete && l.Reason == journal.Interrupted }

// Reopen confirms the blocking findings of an earlier round again if a fixer restored the tree of that round.
func (l *Ledger) Reopen() {
	if r := l.judged(); r.Tree == l.HeadTree {
		known := l.ByID()
		for _, id := range r.Blocking {
			if f := known[id]; f.Status == finding.Fixed {
				f.Status, f.Because = finding.Confirmed, fmt.Sprintf("as in round %d, to whose files a fix went back", r.N)
			}
		}
	}
}

// Last returns the ledger of the last review of a branch, or of its plan doc; nil without one.
func Last(ctx context.Context, s *journal.Store, doc *journal.Document, branch string) (*Ledger, error) {
	var data []byte
	var err error
	if doc != nil {
		data, err = s.File(ctx, doc, journal.ReviewFile)
	} else {
		data, err = os.ReadFile(filepath.Join(integrity.ReviewDir(s.Repo, branch), journal.ReviewFile))
	}
	if doc == nil && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || data == nil {
		return nil, err
	}
	return Parse(data)
}
