package rules

import (
	"cmp"
	"slices"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Change is what rules judge. Only Diff must be there.
type Change struct {
	Diff    *git.Diff
	Commits []git.Commit  // base..head, newest first
	Plan    *gitplan.Plan // nil without a plan
	// Read returns the bytes of the blob with this object name. Nil, or an
	// error, leaves out what needs a whole file.
	Read func(oid string) ([]byte, error)
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
}

// Rule is one thing that is looked for.
type Rule struct {
	Name     string
	Category string
	Severity string // of its hits, unless a hit says otherwise
	Blocks   bool   // its hits may block; else they only advise
	Guard    bool   // looked for after each step
	Gate     bool   // certain enough to stop a push
	Why      string
	Find     func(Change) []Hit
}

// All is the table of rules.
func All() []Rule {
	return []Rule{
		conflictMarkers(),
		secrets(), credentialFiles(), credentialURLs(),
		testsDeleted(), testsSkipped(), testsFocused(), testsEmptied(), testsRemoved(),
		bidiControls(),
		debugging(), suppressions(), unfinished(),
		largeFiles(), ciChanged(),
		unplannedFiles(), stepsWithoutCommit(), fixupCommits(),
	}
}

// Review, Guard and Gate choose rules for [Find].
func Review(Rule) bool  { return true }
func Guard(r Rule) bool { return r.Guard }
func Gate(r Rule) bool  { return r.Gate }

// Find applies the chosen rules. The hits are sorted by path, line and rule.
func Find(c Change, chosen func(Rule) bool) []Hit {
	var hits []Hit
	for _, r := range All() {
		if !chosen(r) {
			continue
		}
		for _, h := range r.Find(c) {
			h.Rule, h.Category, h.Why, h.Advice = r.Name, r.Category, r.Why, !r.Blocks
			if h.Severity == "" {
				h.Severity = r.Severity
			}
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Title, b.Title))
	})
	return hits
}

// Digest names the rules as they are; another set of rules has another one.
func Digest() string {
	s := "1"
	for _, r := range All() {
		s += " " + r.Name + ":" + r.Severity
		if !r.Blocks {
			s += "?"
		}
	}
	return s
}

// added calls f with each added line of each file that want accepts.
func added(c Change, want func(*git.FileDiff) bool, f func(*git.FileDiff, git.Line)) {
	for i := range c.Diff.Files {
		file := &c.Diff.Files[i]
		if !want(file) {
			continue
		}
		for _, h := range file.Hunks {
			for _, l := range h.Lines {
				if l.Kind == '+' {
					f(file, l)
				}
			}
		}
	}
}

// blob reads one side of a file; false where it is not there or cannot be read.
func blob(c Change, oid string) ([]byte, bool) {
	if c.Read == nil || !isObject(oid) {
		return nil, false
	}
	data, err := c.Read(oid)
	return data, err == nil
}

// isObject tells an object name from the zeros that stand for none.
func isObject(oid string) bool {
	for _, r := range oid {
		if r != '0' {
			return true
		}
	}
	return false
}
