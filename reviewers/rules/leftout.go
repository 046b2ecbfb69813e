package rules

import (
	"path"
	"strings"

	"github.com/git-plan/git-plan/reviewers/rules/scan"
	"github.com/git-plan/git-plan/reviewers/rules/testcode"
)

// testsLeftOut finds tests that are still there and that nothing runs any more: the file is no
// longer built or found, or the test became an ordinary function. A check still passes, but
// proves less. It happens in honest work when tests are moved out of the usual run, so it blocks
// only under a plan none of whose steps names the file; but a constraint that no build meets has
// no such reason.
func testsLeftOut() scan.Rule {
	return scan.Rule{
		Name: "test-left-out", Category: "tests", Severity: "high", Confidence: scan.Likely, Blocks: true, Guard: true, Why: aboutTests,
		File: func(c *scan.Change, f *scan.File) []scan.Hit {
			var hits []scan.Hit
			switch {
			case f.Binary:
			case path.Base(f.Path) == "go.mod" && scan.IsNew(f.FileDiff):
				hits = cutOff(c, f)
			case (f.Status == 'M' && f.OldOID != f.NewOID || f.Status == 'R') && scan.IsTest(f.OldPath):
				hits = leftOut(c, f)
			}
			var out []scan.Hit
			for _, h := range hits {
				switch h.Path = f.Path; {
				case h.Severity != "":
				case namesFile(c, f.Path) || namesFile(c, f.OldPath):
					continue
				case c.Plan == nil:
					h.Severity = "medium"
				}
				out = append(out, h)
			}
			return out
		},
	}
}

// leftOut returns the tests of one file that ran before.
func leftOut(c *scan.Change, f *scan.File) []scan.Hit {
	old, ok := c.Blob(f.OldOID)
	if !ok || len(old) > maxRead {
		return nil
	}
	now, ok := c.Blob(f.NewOID)
	if !ok || len(now) > maxRead {
		return nil
	}
	switch {
	case strings.HasSuffix(f.OldPath, "_test.go"):
		if found, ok := testcode.Unbuilt(c.Checks, f.OldPath, f.Path, f.Fixture, old, now); ok {
			return hitsOf([]testcode.Found{found})
		}
	case f.Status == 'R' && f.Test && byName[f.Ext] && scan.NamedAsTest(f.OldPath) && !scan.NamedAsTest(f.Path) && len(testcode.Of(scan.Extension(f.OldPath), old)) > 0:
		return []scan.Hit{{Title: "a test file has a name now by which no runner looks for it"}}
	}
	var found []testcode.Found
	if f.Ext == "py" {
		found = testcode.Unloaded(string(old), string(now), len(c.Checks) == 0 || inChecks(c, "pytest"))
	}
	return hitsOf(append(found, testcode.Ordinary(scan.Extension(f.OldPath), f.Ext, string(old), string(now))...))
}

// byName are the languages whose runners find tests by the names of files, in folders of tests
// too.
var byName = scan.Words("py rb php java kt scala groovy js jsx ts tsx mjs cjs mts cts")

// cutOff returns the hit of a new Go module above tests that belonged to another module: no
// pattern of packages leads from one module into another.
func cutOff(c *scan.Change, f *scan.File) []scan.Hit {
	dir := path.Dir(f.Path)
	if dir == "." || c.Under == nil || entered(c, dir) || !inModule(c, dir) {
		return nil
	}
	below := c.Under(dir)
	modules := map[string]bool{}
	for _, p := range below {
		if path.Base(p) == "go.mod" {
			modules[path.Dir(p)] = true
		}
	}
	for _, p := range below {
		if strings.HasSuffix(p, "_test.go") && testcode.Built(path.Join(dir, p)) && !belowOne(path.Dir(p), modules) {
			return []scan.Hit{{Title: "a module of its own takes tests out of what is run: " + path.Join(dir, p)}}
		}
	}
	return nil
}

// inModule reports whether a folder above this one is a module.
func inModule(c *scan.Change, dir string) bool {
	for dir != "." {
		dir = path.Dir(dir)
		if c.File == nil {
			return false
		}
		if _, ok := c.File(path.Join(dir, "go.mod")); ok {
			return true
		}
	}
	return false
}

// belowOne reports whether a folder, or one above it, is among some folders.
func belowOne(dir string, folders map[string]bool) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return folders["."]
}

// entered reports whether a check names a folder, or something in it.
func entered(c *scan.Change, dir string) bool {
	for _, check := range c.Checks {
		for _, word := range strings.FieldsFunc(check, func(r rune) bool { return strings.ContainsRune(" \t'\"=;&|()", r) }) {
			if strings.HasPrefix(strings.TrimPrefix(word, "./")+"/", dir+"/") {
				return true
			}
		}
	}
	return false
}

// inChecks reports whether a check contains a word.
func inChecks(c *scan.Change, word string) bool {
	for _, check := range c.Checks {
		if strings.Contains(check, word) {
			return true
		}
	}
	return false
}
