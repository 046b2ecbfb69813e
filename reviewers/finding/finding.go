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

// Severity is the harm that a finding describes.
type Severity string

const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

var ranks = [...]Severity{Low, Medium, High, Critical}

func (s Severity) rank() int { return max(0, slices.Index(ranks[:], s)) }

// Raised returns the severity n steps above s, at most Critical.
func (s Severity) Raised(n int) Severity { return ranks[min(s.rank()+max(n, 0), len(ranks)-1)] }

// AtLeast reports whether s is bar or worse.
func (s Severity) AtLeast(bar Severity) bool { return s.rank() >= bar.rank() }

// Finding is one problem that a reviewer found. Models give quotes, from which Code.Anchor finds the lines.
type Finding struct {
	Category string   `json:"category"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Quote    string   `json:"quote"` // exact text from the file
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty"`
	Trigger  string   `json:"trigger,omitempty"` // an input or state that shows the problem
	Remedy   string   `json:"remedy"`            // fix, ask or none

	ID string `json:"id,omitempty"` // the result of Fingerprint
	// Line is from 1; 0 if the quote is not in the file, so that the finding cannot block, or the whole file is meant.
	Line        int      `json:"line,omitempty"`
	Last        int      `json:"-"` // the last line named by a linter, until OfChange; 0 if it named only Line
	Reviewers   []string `json:"reviewers,omitempty"`
	Rule        string   `json:"rule,omitempty"` // the name of the built-in rule; else ""
	Status      Status   `json:"status,omitempty"`
	Because     string   `json:"because,omitempty"` // the reason of the status, by the verifier, fixer or person
	By          string   `json:"by,omitempty"`      // the person who dismissed it; empty unless a person did
	Answer      string   `json:"answer,omitempty"`  // a person's answer to a fixer's question about it
	Round       int      `json:"round,omitempty"`   // the round in which it was first found; 0: in an earlier review only
	NonBlocking bool     `json:"advice,omitempty"`  // its reviewer only advises
	Verified    bool     `json:"sure,omitempty"`    // it comes from a rule or a program, and needs no confirmation
	Near        string   `json:"near,omitempty"`    // a digest of the code around it
}

// Blocks reports whether the finding keeps a review from passing: it is confirmed, its place is known (a rule, or a
// program that names a changed file, needs no quote), and it is at least as severe as the bar.
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

// Unquoted reports whether the finding needs a quote and its quote is not in the file: it cannot block.
func (f *Finding) Unquoted() bool { return f.Line == 0 && !f.Verified }

const notQuoted = "its quote is not in the file"

// Unplaced returns why an unquoted finding has no line.
func (f *Finding) Unplaced() string {
	if f.Quote != "" && short(f.Quote) {
		return "its quote is too short to say where"
	}
	return notQuoted
}

// Place returns path:line, or the path, or "(the branch)".
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

// Text returns all details of findings, for a verifier or a fixer.
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

// Status is the status of a finding.
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

// Standing lists the statuses of findings that are not refuted, fixed or dismissed.
var Standing = []Status{Open, Confirmed, Plausible, Asked}

// Judgement is a verifier's answer about one finding.
type Judgement struct {
	Answer  Status `json:"answer"` // Confirmed, Plausible or Refuted
	Because string `json:"because,omitempty"`
	Quote   string `json:"quote,omitempty"`
}

// RulesName is the reviewer's name of the built-in rules.
const RulesName = "rules"

// FromHit returns the hit of a rule as a confirmed finding.
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

// Fingerprint returns an ID from the quoted code, or without a quote from the title. Line numbers would change.
func Fingerprint(category, path, quote, symbol string) string {
	return digest(strings.Join([]string{category, path, quote, symbol}, "\x00"))
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }

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

// The limits of foreign texts, in bytes. A longer path is invalid; other texts are cut.
const (
	maxPath  = 4096 // Linux's own limit
	MaxTitle = 200
	MaxText  = 4000
	MaxQuote = 4000
)

// Line returns a foreign text as one line of at most limit bytes.
func Line(s string, limit int) string {
	return Cut(strings.Join(strings.Fields(Block(s, 2*limit)), " "), limit)
}

// Block bounds a foreign text, and removes hidden characters and credentials.
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

// Kebab returns a category in lower case with dashes between words, for comparison.
func Kebab(s string) string {
	words := strings.FieldsFunc(strings.ToLower(Cut(s, 60)), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}

func normalise(s string) string { return strings.Join(strings.Fields(s), " ") }

func short(quote string) bool { return len(normalise(quote)) < 3 }

// Some returns the first paths or names of a list, as they are printed, and the number of others.
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
