package rules

import (
	"github.com/git-plan/git-plan/gitplan/git"
	"strings"
)

// How sure a rule is of a hit.
const (
	Certain = "certain" // in the places that the rule looks at, the shape has no honest use
	Likely  = "likely"  // honest uses are rare enough to be asked about
	Hint    = "hint"    // ordinary work does it: worth a look, no more
)

// Rule is something to look for. A rule is made for one change, so its functions may remember
// what they have seen. Each is optional, and they are called in this order: File once for each
// file, Line for its lines, End once.
type Rule struct {
	Name       string
	Category   string
	Severity   string // of its hits, unless a hit says otherwise
	Confidence string
	Blocks     bool // its hits may block; else they only advise
	Guard      bool // looked for after each step
	Gate       bool // certain enough to stop a push
	Why        string

	// File judges a file by its names, modes and blobs. Its hunks may not be
	// complete there: that is what Line is for.
	File func(c *Change, f *File) []Hit
	// Wants chooses the files whose added lines Line sees; nil: all.
	Wants func(f *File) bool
	Line  func(p *Line) []Hit
	// Moves says that what only moved is no hit: Line sees removed lines too.
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

// MaxHits bounds what is kept of one rule: nobody reads more, and a change may have any
// number. What is beyond that is counted.
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

// This returns the line itself.
func (p *Line) This() *git.DiffLine { return &p.Hunk[p.At] }

// Text returns what the line says.
func (p *Line) Text() string { return p.Hunk[p.At].Text }

// Hit returns a hit at this line. If the change removes the same line elsewhere, it is nothing
// new.
func (p *Line) Hit(title string) []Hit {
	l := p.This()
	return []Hit{{Path: p.File.FileDiff.Path, Line: l.New, Quote: l.Text, Title: title, Moved: strings.TrimSpace(l.Text)}}
}

// Replaces reports whether the hunk removes a line in which find finds the same as in this one:
// the line was edited, and what find looks for was already there.
func (p *Line) Replaces(find func(string) string) bool {
	if p.This().Kind != '+' {
		return false
	}
	found := find(p.Text())
	if found == "" { // it has a form that find does not know
		return false
	}
	for i := range p.Hunk {
		if p.Hunk[i].Kind == '-' && find(p.Hunk[i].Text) == found {
			return true
		}
	}
	return false
}
