package rules

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
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
	File func(c *Change, f *subject) []Hit
	// Wants chooses the files whose added lines Line sees; nil: all.
	Wants func(f *subject) bool
	Line  func(p *place) []Hit
	// Moves says that what only moved is no hit: Line sees removed lines too.
	Moves bool
	// End judges the change as a whole. The files of c.Diff have no hunks then.
	End func(c *Change) []Hit
}

// Hit is one place that a rule found.
type Hit struct {
	Rule     string // set by [Find]
	Category string // set by [Find]
	Severity string // critical, high, medium or low; set by [Find] if the rule leaves it open
	Path     string // empty for a hit about commits
	Line     int    // in the new version, from 1; 0 if the hit is about the whole file
	Quote    string // the line, or what may be shown of it
	Title    string // one line
	Why      string // set by [Find]: the reason of the rule
	Key      string // separates hits whose quotes may be equal: never shown
	Ask      bool   // only a person can settle it, not a change of the code
	Advice   bool   // set by [Find]: the rule does not block

	moved string // if a removed line holds this, the hit is nothing new
}

// maxHits bounds what is kept of one rule: nobody reads more, and a change may have any
// number. What is beyond that is counted.
const maxHits = 1000

// subject is a file, and what its path says about it.
type subject struct {
	*diffs.FileDiff
	ext      string
	class    Class
	code     bool // program text
	test     bool
	forTests bool // a test, or what tests need
	fixture  bool
}

func about(f *diffs.FileDiff) *subject {
	s := &subject{FileDiff: f, ext: extension(f.Path), class: ClassOf(f.Path), fixture: fixtureFolder.MatchString(f.Path)}
	s.code = s.class == Source || s.class == Test || s.class == CI
	s.test = isTest(f.Path)
	s.forTests = s.test || s.fixture || testFolder.MatchString(f.Path)
	return s
}

// isNew reports whether the change creates the file, or moves it to its path.
func isNew(f *diffs.FileDiff) bool { return f.Status == 'A' || f.Status == 'C' || f.Status == 'R' }

// place is one line of a hunk, with the lines around it.
type place struct {
	file *subject
	hunk []diffs.Line
	at   int
}

func (p *place) line() *diffs.Line { return &p.hunk[p.at] }
func (p *place) text() string      { return p.hunk[p.at].Text }

// hit returns a hit at this line. If the change removes the same line elsewhere, it is nothing
// new.
func (p *place) hit(title string) []Hit {
	l := p.line()
	return []Hit{{Path: p.file.Path, Line: l.New, Quote: l.Text, Title: title, moved: strings.TrimSpace(l.Text)}}
}

// replaces reports whether the hunk removes a line in which find finds the same as in this one:
// the line was edited, and what find looks for was already there.
func (p *place) replaces(find func(string) string) bool {
	if p.line().Kind != '+' {
		return false
	}
	found := find(p.text())
	if found == "" { // it has a form that find does not know
		return false
	}
	for i := range p.hunk {
		if p.hunk[i].Kind == '-' && find(p.hunk[i].Text) == found {
			return true
		}
	}
	return false
}
