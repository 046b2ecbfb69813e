package rules

import (
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// emptied reports whether a file of tests has none left, and what it had: the file is empty, or
// has kept only what was around the tests, such as helpers.
func emptied(c *scan.Change, f *scan.File) (was []byte, ok bool) {
	if !f.Test || f.Status != 'M' || f.Binary || f.OldOID == f.NewOID {
		return nil, false
	}
	now, ok := c.Blob(f.NewOID)
	if !ok {
		return nil, false
	}
	if was, ok = c.Blob(f.OldOID); !ok {
		return nil, false
	}
	return was, testcode.Emptied(f.Ext, now, was)
}

// deletedTest is a test file that is gone.
type deletedTest struct {
	path  string
	how   string
	known bool // what a test looks like in its language
	seen  bool // its lines were seen
	tests int
	// lines outside of these that assert something: a script of assertions is a
	// test, and so is one written in a form that no pattern knows
	asserts int
}

// proves reports whether a file is a test, and not only named like one and beside tests.
func (d *deletedTest) proves() bool {
	named := scan.NamedAsTest(d.path)
	return !d.known || d.tests > 0 || named && (!d.seen || d.asserts > 0)
}

// loses counts a line that is gone with the file.
func (d *deletedTest) loses(def *pattern.Pattern, line string) {
	switch d.seen = true; {
	case def != nil && def.MatchString(line):
		d.tests++
	case testcode.Asserts(line):
		d.asserts++
	}
}
