package rules

import (
	"bytes"
	"io"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Change is what rules judge. Only Diff must be there.
type Change struct {
	Diff    *git.Diff
	Commits []git.Commit // base..head, newest first
	Plan    *Plan        // nil without a plan
	// Read returns the bytes of the blob with this object name. Nil, or an
	// error, leaves out what needs a whole file.
	Read func(oid string) ([]byte, error)
	// Stream hands the bytes of a blob of any size to read. Nil: they are Read.
	Stream func(oid string, read func(io.Reader) error) error
	// Paths lists all files of the new side. Nil, or an error, leaves it at the
	// files that changed.
	Paths func() ([]string, error)
	// Checks are the command lines that must pass, and File reads a file of the new
	// side that did not change. Without them nothing is said of what checks run.
	Checks []string
	File   func(path string) ([]byte, bool)
	// Folder says whether the old side has a folder. Nil: none but of files that changed.
	Folder func(path string) bool
	// Under lists the files that the old side has below a folder, by their paths in
	// it. Nil: nothing is known of them.
	Under func(folder string) []string
}

// Plan is what rules know of a plan.
type Plan struct {
	ID    string
	Steps []Step
}

// Step is what rules know of a step.
type Step struct {
	N         int // its place, from 1
	ID        string
	Files     []string // paths, folders or globs
	Deletes   bool     // it is there to delete its Files
	NoCommits bool     // it may well leave none, being skipped or a command, or has one that does not name it
}

// Hit is one place that a rule found.
type Hit struct {
	Rule     string // set by [Find]
	Category string // set by [Find]
	Severity string // critical, high, medium or low; set by [Find] where the rule leaves it open
	Path     string // empty for a hit about commits
	Line     int    // in the new version, from 1; 0 where the hit is about the whole file
	Quote    string // the line, or what may be shown of it
	Title    string // one line
	Why      string // set by [Find]: the reason of the rule
	Key      string // tells hits apart whose quotes may not: never shown
	Ask      bool   // only a person can settle it, not a change of the code
	Advice   bool   // set by [Find]: the rule does not block

	moved string // what a removed line must hold for this to be nothing new
}

// How sure a rule is of a hit.
const (
	Certain = "certain" // the shape has no honest use where the rule looks
	Likely  = "likely"  // honest uses are rare enough to be asked about
	Hint    = "hint"    // ordinary work does it: worth a look, no more
)

// Rule is one thing that is looked for. It is made for one change: its functions
// may remember what they have seen. Each is optional, and they are called in
// this order: File once for each file, Line for its lines, End once.
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

// All is the table of rules, made for one change.
func All() []Rule {
	return []Rule{
		conflictMarkers(),
		secrets(), genericSecrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsLeftOut(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(), assertionsRemoved(),
		checksDefused(), checksAltered(), suppressions(),
		bidiControls(), invisibles(), homoglyphs(),
		debugging(), debugPrints(), elisions(), unfinished(),
		tlsOff(), homePaths(),
		largeFiles(), binaryFiles(), leftoverFiles(), generatedEdited(), whitespaceStorms(),
		symlinksOutside(), embeddedRepositories(), submodulesMoved(), executables(), caseCollisions(), unportableNames(),
		ciChanged(), instructionsChanged(), attributesHide(), locksAlone(), manifestsAlone(),
		unplannedFiles(), stepsWithoutCommit(), unknownSteps(),
		fixupCommits(), wipCommits(), messageLeftovers(),
	}
}

// Review, Guard and Gate choose rules for [Find].
func Review(Rule) bool  { return true }
func Guard(r Rule) bool { return r.Guard }
func Gate(r Rule) bool  { return r.Gate }

// Digest names the rules as they are; another set of rules has another one.
func Digest() string {
	s := "6"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}

// blob reads one side of a file; false if it does not exist or cannot be read.
func blob(c *Change, oid string) ([]byte, bool) {
	if c.Read == nil || !isObject(oid) {
		return nil, false
	}
	data, err := c.Read(oid)
	return data, err == nil
}

// stream hands the bytes of one side of a file to read.
func stream(c *Change, oid string, read func(io.Reader) error) error {
	if c.Stream != nil {
		return c.Stream(oid, read)
	}
	data, _ := blob(c, oid)
	return read(bytes.NewReader(data))
}

// isObject reports whether an object name is one, and not the zeros that mean none.
func isObject(oid string) bool {
	for _, r := range oid {
		if r != '0' {
			return true
		}
	}
	return false
}
