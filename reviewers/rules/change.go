package rules

import (
	"bytes"
	"io"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// Change is what rules judge. Only Diff must be there.
type Change struct {
	Diff    *diffs.Diff
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
	Text      string   // all that it says
	Deletes   bool     // it is there to delete its Files
	NoCommits bool     // it may well leave none, being skipped or a command, or has one that does not name it
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
