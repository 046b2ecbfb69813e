package rules

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// Rule is a built-in rule. It is made for one change, so its functions may have state. They are optional, and are
// called in this order: File for each file, Line for its lines, End once.
type Rule struct {
	Name     string
	Category string
	Severity string // the default severity of its hits
	Blocks   bool   // its hits may block; else they only advise
	Guard    bool   // it applies to each step
	Gate     bool   // its hits are certain enough to stop a push
	Why      string // the reason, for people

	// File judges a file by its names, modes and blobs; its hunks may be incomplete.
	File func(c *Change, f *File) []Hit
	// Wants chooses the files whose added lines Line sees; nil: all.
	Wants func(f *File) bool
	Line  func(p *Line) []Hit
	// Moves is set if moved lines are no hits. Line sees removed lines, too.
	Moves bool
	// End judges the change as a whole. The files of c.Diff have no hunks then.
	End func(c *Change) []Hit
}

// Hit is one result of a rule.
type Hit struct {
	Rule        string // set by the pass
	Category    string // set by the pass
	Severity    string // critical, high, medium or low; set by the pass if the rule leaves it open
	Path        string // empty for a hit about commits
	Line        int    // the line in the new version, from 1; 0 if the hit is about the whole file
	Quote       string // the line, with secrets abridged
	Title       string // one line
	Why         string // set by the pass: the rule's Why
	Key         string // part of the identity of hits without a unique quote; never shown
	Ask         bool   // only a person can settle it, not a change of the code
	NonBlocking bool   // set by the pass: the rule does not block
	Explain     bool   // it fails a step unless the session gave a reason for changing the file

	Moved string // if a removed line has this text, the hit is dropped; "" if the rule has no Moves
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

// MaxHits is the maximum number of hits of one rule; further ones are counted.
const MaxHits = 1000

// File is a changed file, with facts derived from its path.
type File struct {
	FileDiff *git.FileDiff
	Ext      string
	Class    Class
	Code     bool // source code, including tests and CI
	Test     bool
	ForTests bool // a test or a file for tests
	Fixture  bool // a file in a folder of test data
}

func about(f *git.FileDiff) *File {
	s := &File{FileDiff: f, Ext: Extension(f.Path), Class: ClassOf(f.Path), Test: IsTest(f.Path),
		ForTests: ForTests(f.Path), Fixture: fixtureFolder().MatchString(f.Path)}
	s.Code = s.Class == Source || s.Class == Test || s.Class == CI
	return s
}

// IsNew reports whether the change creates the file, or moves it to its path.
func IsNew(f *git.FileDiff) bool { return f.Status == 'A' || f.Status == 'C' || f.Status == 'R' }

// Line is one line of a hunk, with the lines around it.
type Line struct {
	Change *Change
	File   *File
	Hunk   []git.DiffLine
	At     int // the index of the line in Hunk
}

func (p *Line) This() *git.DiffLine { return &p.Hunk[p.At] }

func (p *Line) Text() string { return p.Hunk[p.At].Text }

// Hit returns a hit at this line, which is dropped if the change removes the same line elsewhere.
func (p *Line) Hit(title string) []Hit {
	l := p.This()
	return []Hit{{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: title, Moved: strings.TrimSpace(l.Text)}}
}

// Replaces reports whether the hunk removes a line with the same match, so that the line was only edited.
func (p *Line) Replaces(find func(string) string) bool {
	if p.This().Kind != '+' {
		return false
	}
	found := find(p.Text())
	return found != "" &&
		slices.ContainsFunc(p.Hunk, func(l git.DiffLine) bool { return l.Kind == '-' && find(l.Text) == found })
}

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(), secrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(),
		fewer(AssertionsRemoved, "low", "assertion", func(*File) bool { return true }, asserts), assertionsWeakened(),
		checksAltered(), suppressions(), hiddenText(), elisions(),
		symlinksOutside(), embeddedRepositories(), automationChanged(),
		fixupCommits(),
	}
}

// Guard returns the rules for steps, and Gate those for pushes. A review has all rules.
func Guard() []Rule { return Those(func(r Rule) bool { return r.Guard }) }
func Gate() []Rule  { return Those(func(r Rule) bool { return r.Gate }) }

// Those returns the chosen rules.
func Those(chosen func(Rule) bool) []Rule {
	return slices.DeleteFunc(All(), func(r Rule) bool { return !chosen(r) })
}

// Digest identifies the rules. Raise the number when a rule changes, so that earlier verdicts become invalid.
func Digest() string {
	s := "26"
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
	OfStep  bool         // the change of one session before its commit, which a review will judge as well
	// Read returns the content of a blob. If it is nil or fails, whole files are not judged.
	Read func(oid string) ([]byte, error)
	// Stream passes the content of a blob of any size to read. Without it, binary and very large files are not judged.
	Stream func(oid string, read func(io.Reader) error) error
	// Paths lists all files of the new version. Without it, only changed files are known.
	Paths func() ([]string, error)
	// Checks are the commands that must pass, and Old reads a file of the old version; a folder exists without data.
	// Without them check-altered reports nothing.
	Checks []string
	Old    func(path string) (data []byte, exists bool)
	// Measures is the part of Checks that measures a goal, so that steps must not change its programs.
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

// IsObject reports whether an object name is not the zeros that stand for none.
func IsObject(oid string) bool { return strings.Trim(oid, "0") != "" }
