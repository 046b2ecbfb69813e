package reviewers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity is how much harm a finding describes.
type Severity string

// The severities, worst first.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// ranks are the severities, mildest first.
var ranks = [...]Severity{Low, Medium, High, Critical}

// rank orders severities: a higher rank is worse, an unknown word is Low.
func (s Severity) rank() int { return max(0, slices.Index(ranks[:], s)) }

// raised returns the severity that is n steps worse, at most Critical.
func (s Severity) raised(n int) Severity { return ranks[min(s.rank()+max(n, 0), len(ranks)-1)] }

// AtLeast reports whether s is as bad as bar or worse.
func (s Severity) AtLeast(bar Severity) bool { return s.rank() >= bar.rank() }

// Finding is one thing a reviewer found. The model quotes, the program finds
// the lines.
type Finding struct {
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Quote    string   `json:"quote"` // exact text from the file
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty"`
	Trigger  string   `json:"trigger,omitempty"` // an input or state that shows it
	Remedy   string   `json:"remedy"`            // fix, ask or none

	// What the program adds.
	ID        string   `json:"id,omitempty"`   // from the fingerprint
	Line      int      `json:"line,omitempty"` // 0: the quote is not in the file, or says nothing; so it cannot block
	Reviewers []string `json:"reviewers,omitempty"`
	Rule      string   `json:"rule,omitempty"` // of a built-in rule
	Status    Status   `json:"status,omitempty"`
	Because   string   `json:"because,omitempty"` // verifier's or fixer's reason
	Round     int      `json:"round,omitempty"`   // in which it was first seen; 0: in an earlier review only
	Advice    bool     `json:"advice,omitempty"`  // its reviewer only advises
	Sure      bool     `json:"sure,omitempty"`    // from a rule or a program: needs no confirmation
	Near      string   `json:"near,omitempty"`    // digest of the code around it
}

// Blocks reports whether the finding in its present state keeps a branch from being
// good: it is confirmed, found in the code (a rule needs no quote), and at least as
// severe as the bar.
func (f *Finding) Blocks(bar Severity) bool { return f.Status == Confirmed && f.couldBlock(bar) }

// couldBlock reports whether the finding would block if it were confirmed.
func (f *Finding) couldBlock(bar Severity) bool {
	return !f.Advice && (f.Line > 0 || f.Rule != "") && f.Severity.AtLeast(bar)
}

// unquoted reports whether the finding quotes what is not in the file: then it cannot
// block, and nobody is asked about it.
func (f *Finding) unquoted() bool { return f.Line == 0 && !f.Sure }

// notQuoted is what people read about such a finding.
const notQuoted = "its quote is not in the file"

// unplaced says why an unquoted finding has no place.
func (f *Finding) unplaced() string {
	if f.Quote != "" && short(f.Quote) {
		return "its quote is too short to say where"
	}
	return notQuoted
}

// Place returns the finding's place as people write it: path:line.
func (f *Finding) Place() string {
	switch {
	case f.File == "":
		return "(the branch)"
	case f.Line == 0:
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// last returns the line at which the quoted code ends.
func (f *Finding) last() int { return f.Line + strings.Count(strings.TrimRight(f.Quote, "\n"), "\n") }

// takeAsFixed marks the finding as fixed. Unless a fixer said so before, nobody gave a
// reason for that: the reason of a confirmation or a question is dropped.
func (f *Finding) takeAsFixed() {
	if f.Status != Fixed {
		f.Status, f.Because = Fixed, ""
	}
}

// kind names what the finding is an instance of: a rule, or a category.
func (f *Finding) kind() string { return cmp.Or(f.Rule, f.Category, "finding") }

// message returns a finding in words, for programs that show one text.
func message(f Finding) string {
	text := f.Title
	for _, more := range []string{f.Detail, f.Trigger, f.Because} {
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}

// Status is what became of a finding.
type Status string

// What becomes of findings. Those of built-in rules and commands need no confirmation.
const (
	Open      Status = "open" // not verified yet
	Confirmed Status = "confirmed"
	Plausible Status = "plausible"
	Refuted   Status = "refuted"
	Fixed     Status = "fixed"
	Dismissed Status = "dismissed"
	Asked     Status = "asked"
)

// Judgement is what a verifier says about one finding.
type Judgement struct {
	Answer  Status `json:"answer"` // Confirmed, Plausible or Refuted
	Because string `json:"because,omitempty"`
	Quote   string `json:"quote,omitempty"`
}
