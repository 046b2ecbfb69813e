package rules

import (
	"bytes"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Change is what rules judge. Only Diff is required.
type Change struct {
	Diff    *git.Diff
	Commits []git.Commit // base..head, newest first
	Plan    *Plan        // nil without a plan
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

// Plan is what rules know about a plan.
type Plan struct {
	Steps []Step
}

// Step is what rules know about a step.
type Step struct {
	Files   []string // paths, folders or globs
	Text    string   // all that it says
	Deletes bool     // it is to delete its Files
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
