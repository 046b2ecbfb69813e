package rules

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// How sure a rule is of a hit.
const (
	Certain = "certain" // in the places that the rule looks at, the shape has no honest use
	Likely  = "likely"  // honest uses are rare enough to be asked about
	Hint    = "hint"    // ordinary work does it: worth a look, no more
)

// Rule is something to look for. It is made for one change, so its functions may remember what they saw. They
// are optional, and called in this order: File for each file, Line for its lines, End once.
type Rule struct {
	Name       string
	Category   string
	Severity   string // of its hits, unless a hit says otherwise
	Confidence string
	Blocks     bool // its hits may block; else they only advise
	Guard      bool // looked for after each step
	Gate       bool // certain enough to stop a push
	Why        string

	// File judges a file by its names, modes and blobs; its hunks may be incomplete.
	File func(c *Change, f *File) []Hit
	// Wants chooses the files whose added lines Line sees; nil: all.
	Wants func(f *File) bool
	Line  func(p *Line) []Hit
	// Moves says that moved lines are not hits: Line sees removed lines, too.
	Moves bool
	// End judges the change as a whole. The files of c.Diff have no hunks then.
	End func(c *Change) []Hit
}

// Hit is one place that a rule found.
type Hit struct {
	Rule        string // set by the pass
	Category    string // set by the pass
	Severity    string // critical, high, medium or low; set by the pass if the rule leaves it open
	Path        string // empty for a hit about commits
	Line        int    // in the new version, from 1; 0 if the hit is about the whole file
	Quote       string // the line, or what may be shown of it
	Title       string // one line
	Why         string // set by the pass: the reason of the rule
	Key         string // separates hits whose quotes may be equal: never shown
	Ask         bool   // only a person can settle it, not a change of the code
	NonBlocking bool   // set by the pass: the rule does not block

	Moved string // if a removed line holds this, the hit is nothing new
}

// String returns the hit in one line, safe to show.
func (h Hit) String() string {
	at := visible.OneLine(secret.Mask(h.Path), 200)
	switch {
	case h.Path == "":
		return visible.OneLine(h.Title, 200)
	case h.Line > 0:
		at += fmt.Sprintf(":%d", h.Line)
	}
	return at + ": " + visible.OneLine(h.Title, 200)
}

// MaxHits is how many hits of one rule are kept; more are counted.
const MaxHits = 1000

// File is a file, and what its path says about it.
type File struct {
	FileDiff *git.FileDiff
	Ext      string
	Class    Class
	Code     bool // program text
	Test     bool
	ForTests bool // a test, or what tests need
	Fixture  bool
}

func about(f *git.FileDiff) *File {
	s := &File{FileDiff: f, Ext: Extension(f.Path), Class: ClassOf(f.Path), Fixture: fixtureFolder.MatchString(f.Path)}
	s.Code = s.Class == Source || s.Class == Test || s.Class == CI
	s.Test = IsTest(f.Path)
	s.ForTests = s.Test || s.Fixture || testFolder.MatchString(f.Path)
	return s
}

// IsNew reports whether the change creates the file, or moves it to its path.
func IsNew(f *git.FileDiff) bool { return f.Status == 'A' || f.Status == 'C' || f.Status == 'R' }

// Line is one line of a hunk, with the lines around it.
type Line struct {
	File *File
	Hunk []git.DiffLine
	At   int
}

func (p *Line) This() *git.DiffLine { return &p.Hunk[p.At] }

func (p *Line) Text() string { return p.Hunk[p.At].Text }

// Hit returns a hit at this line, which is nothing new if the change removes the same line elsewhere.
func (p *Line) Hit(title string) []Hit {
	l := p.This()
	return []Hit{{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: title, Moved: strings.TrimSpace(l.Text)}}
}

// Replaces reports whether the hunk removes a line with the same match: the line was only edited.
func (p *Line) Replaces(find func(string) string) bool {
	if p.This().Kind != '+' {
		return false
	}
	found := find(p.Text())
	if found == "" { // it has a form that find does not know
		return false
	}
	return slices.ContainsFunc(p.Hunk, func(l git.DiffLine) bool { return l.Kind == '-' && find(l.Text) == found })
}

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(), secrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(),
		fewer("assertions-removed", "low", "assertion", func(*File) bool { return true }, asserts), assertionsWeakened(),
		checksAltered(), suppressions(), hiddenText(), elisions(),
		symlinksOutside(), embeddedRepositories(), automationChanged(),
		fixupCommits(),
	}
}

// Review, Guard and Gate return the rules of the places that they serve, made for one change.
func Review() []Rule { return All() }
func Guard() []Rule  { return Those(func(r Rule) bool { return r.Guard }) }
func Gate() []Rule   { return Those(func(r Rule) bool { return r.Gate }) }

func Those(chosen func(Rule) bool) []Rule {
	return slices.DeleteFunc(All(), func(r Rule) bool { return !chosen(r) })
}

// Digest identifies the set of rules. Raise the number when a rule finds something different under the same
// name, so that what passed before is judged again.
func Digest() string {
	s := "21"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}

// Change is what rules judge. Only Diff is required.
type Change struct {
	Diff    *git.Diff
	Commits []git.Commit // base..head, newest first
	Plan    *plan.Plan   // nil without a plan
	OfStep  bool         // what one session did, before its commit: a review sees it later, too
	// Read returns the bytes of the blob with this object name; if it is nil or fails, whole files are not judged.
	Read func(oid string) ([]byte, error)
	// Stream hands the bytes of a blob of any size to read. If it is nil, Read is used.
	Stream func(oid string, read func(io.Reader) error) error
	// Paths lists all files of the new side; without it, only the files that changed are known.
	Paths func() ([]string, error)
	// Checks are the command lines that must pass, and Old reads a file of the old side; a folder exists there
	// without bytes. Without them check-altered reports nothing.
	Checks []string
	Old    func(path string) (data []byte, exists bool)
	// Measures are those of Checks whose programs are no work of the plan's, in whatever language.
	Measures []string
}

// Blob reads one side of a file; false if it does not exist or cannot be read.
func (c *Change) Blob(oid string) ([]byte, bool) {
	if c.Read == nil || !IsObject(oid) {
		return nil, false
	}
	data, err := c.Read(oid)
	return data, err == nil
}

// Unpack hands the bytes of one side of a file to read.
func (c *Change) Unpack(oid string, read func(io.Reader) error) error {
	if c.Stream != nil {
		return c.Stream(oid, read)
	}
	data, _ := c.Blob(oid)
	return read(bytes.NewReader(data))
}

// IsObject reports whether an object name is that of an object rather than the zeros that mean none.
func IsObject(oid string) bool { return strings.Trim(oid, "0") != "" }
