package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// Severity is how much harm a finding describes.
type Severity string

const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

var ranks = [...]Severity{Low, Medium, High, Critical}

func (s Severity) rank() int { return max(0, slices.Index(ranks[:], s)) }

// Raised returns the severity that is n steps worse, at most Critical.
func (s Severity) Raised(n int) Severity { return ranks[min(s.rank()+max(n, 0), len(ranks)-1)] }

// AtLeast reports whether s is as bad as bar or worse.
func (s Severity) AtLeast(bar Severity) bool { return s.rank() >= bar.rank() }

// Finding is one thing a reviewer found. The model quotes, the program finds the lines.
type Finding struct {
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Quote    string   `json:"quote"` // exact text from the file
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty"`
	Trigger  string   `json:"trigger,omitempty"` // an input or state that shows it
	Remedy   string   `json:"remedy"`            // fix, ask or none

	ID string `json:"id,omitempty"` // from the fingerprint
	// 0: the quote is not in the file, or says nothing, so it cannot block; or a program means the whole file
	Line      int      `json:"line,omitempty"`
	Last      int      `json:"-"` // of the lines that a linter names, until it is placed; 0: Line
	Reviewers []string `json:"reviewers,omitempty"`
	Rule      string   `json:"rule,omitempty"` // of a built-in rule
	Status    Status   `json:"status,omitempty"`
	Because   string   `json:"because,omitempty"` // verifier's, fixer's or person's reason
	// the person who dismissed it; empty if a fixer did, or if it is not dismissed
	By          string `json:"by,omitempty"`
	Answer      string `json:"answer,omitempty"` // a person's, to the fixer that asked what to do about it
	Round       int    `json:"round,omitempty"`  // the round in which it was first seen; 0: in an earlier review only
	NonBlocking bool   `json:"advice,omitempty"` // its reviewer only advises
	Verified    bool   `json:"sure,omitempty"`   // from a rule or a program: needs no confirmation
	Near        string `json:"near,omitempty"`   // digest of the code around it
}

// Blocks reports whether the finding keeps a branch from being good: it is confirmed, found in the code (a rule, or a
// program that names a changed file, needs no quote), and at least as severe as the bar.
func (f *Finding) Blocks(bar Severity) bool {
	return (f.Status == Confirmed || f.Status == Asked) && f.CouldBlock(bar)
}

// AsksPerson reports whether only a person can settle the finding: its reviewer says so, or a fixer asked.
func (f Finding) AsksPerson() bool { return f.Status == Asked || f.Remedy == "ask" }

// CouldBlock reports whether the finding would block if it were confirmed.
func (f *Finding) CouldBlock(bar Severity) bool {
	found := f.Line > 0 || f.Rule != "" || f.Verified && f.File != "" && f.Quote == ""
	return !f.NonBlocking && found && f.Severity.AtLeast(bar)
}

// Unquoted reports whether the finding's quote is not in the file: it cannot block, and is not verified.
func (f *Finding) Unquoted() bool { return f.Line == 0 && !f.Verified }

const notQuoted = "its quote is not in the file"

// Unplaced says why an unquoted finding has no place.
func (f *Finding) Unplaced() string {
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

func (f *Finding) last() int { return f.Line + strings.Count(strings.TrimRight(f.Quote, "\n"), "\n") }

// TakeAsFixed marks the finding as fixed, without the reason of a confirmation or a question.
func (f *Finding) TakeAsFixed() {
	if f.Status != Fixed {
		f.Status, f.Because = Fixed, ""
	}
}

func (f *Finding) kind() string { return cmp.Or(f.Rule, f.Category, "finding") }

func message(f Finding) string {
	text := f.Title
	for _, more := range []string{f.Detail, f.Trigger, f.Because} {
		if more != "" {
			text += "\n" + more
		}
	}
	return visible.Text(text)
}

// Text returns findings in full, for a verifier or a fixer.
func Text(list ...Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "Finding: %s\n%s, %s, in %s\n%s\n", f.ID, f.Severity, f.Category, ShowPath(f.Place()), f.Title)
		because := map[bool]string{true: "A fixer did not change it, because", false: "The verifier"}[f.Status == Dismissed]
		for _, p := range [][2]string{{"The code", f.Quote}, {"Why", f.Detail}, {"What shows it", f.Trigger},
			{because, f.Because}, {"A fixer asked what to do, and a person answered", f.Answer}} {
			if p[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", p[0], p[1])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Status is the state of a finding. Those of built-in rules and commands need no confirmation.
type Status string

const (
	Open      Status = "open" // not verified yet
	Confirmed Status = "confirmed"
	Plausible Status = "plausible"
	Refuted   Status = "refuted"
	Fixed     Status = "fixed"
	Dismissed Status = "dismissed"
	Asked     Status = "asked"
)

// Standing are the states of a finding that is not refuted, fixed or dismissed.
var Standing = []Status{Open, Confirmed, Plausible, Asked}

// Judgement is what a verifier says about one finding.
type Judgement struct {
	Answer  Status `json:"answer"` // Confirmed, Plausible or Refuted
	Because string `json:"because,omitempty"`
	Quote   string `json:"quote,omitempty"`
}

// RulesName is what reports call the built-in rules.
const RulesName = "rules"

// FromHit makes a finding of what a rule found. It needs no confirmation.
func FromHit(h rules.Hit) Finding {
	f := Finding{
		Category: h.Category, Severity: Severity(h.Severity), File: h.Path, Line: h.Line, Rule: h.Rule,
		Quote: Block(h.Quote, MaxTitle), Title: Line(h.Title, MaxTitle), Detail: h.Why, Remedy: "fix",
		Reviewers: []string{RulesName}, Status: Confirmed, Verified: true, NonBlocking: h.NonBlocking,
	}
	if h.Ask {
		f.Remedy = "ask"
	}
	if h.Key != "" || h.Quote == "" {
		f.ID = Fingerprint(h.Rule, h.Path, h.Key, "")
	}
	return f
}

// Fingerprint identifies a finding by its code, or without a quote by its title: line numbers change.
func Fingerprint(category, path, quote, symbol string) string {
	return digest(strings.Join([]string{category, path, quote, symbol}, "\x00"))
}

func digest(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12]
}

// TempFile writes findings to a file outside of any work tree, for a verifier or fixer.
func TempFile(findings []Finding) (file string, remove func(), err error) {
	data, err := json.MarshalIndent(findings, "", "  ")
	if err != nil {
		return "", nil, err
	}
	dir, remove, err := disk.TempFolder("findings")
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(dir, "findings.json")
	if err = os.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		remove()
	}
	return file, remove, err
}

// The limits of a foreign text, in bytes. A longer path is not a path; all others are cut.
const (
	maxPath  = 4096 // Linux's own limit
	MaxTitle = 200
	MaxText  = 4000
	MaxQuote = 4000
)

// Line returns a foreign text as one bounded line.
func Line(s string, limit int) string {
	return Cut(strings.Join(strings.Fields(Block(s, 2*limit)), " "), limit)
}

// Block bounds a foreign text and removes control characters, hidden ones, and credentials that only decoding shows.
func Block(s string, limit int) string {
	return Cut(visible.Without(secret.Mask(strings.ReplaceAll(s, "\r\n", "\n"))), limit)
}

// Cut shortens a text to at most limit bytes, at a character.
func Cut(s string, limit int) string { return visible.Cut(s, limit) }

// ShowPath returns a path for output: quoted if it has unusual characters.
func ShowPath(p string) string {
	if clean := Line(p, maxPath); clean != p {
		return strconv.Quote(p)
	}
	return p
}

// Kebab makes a category comparable: lower case, words joined by dashes.
func Kebab(s string) string {
	words := strings.FieldsFunc(strings.ToLower(Cut(s, 60)), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}

func normalise(s string) string { return strings.Join(strings.Fields(s), " ") }

func short(quote string) bool { return len(normalise(quote)) < 3 }

// Some returns the first of some paths or names, as they are printed, and how many more there are.
func Some(list []string, most int) string {
	var shown []string
	for _, s := range list[:min(len(list), most)] {
		shown = append(shown, ShowPath(s))
	}
	text := strings.Join(shown, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// InRepository reports whether p can be a path inside a repository, and not in git's own folder.
func InRepository(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return len(p) <= maxPath && filepath.IsLocal(p) && path.Clean(p) == p && p != "." && !strings.Contains(p, "\x00") &&
		!strings.EqualFold(first, ".git")
}
