package rules

import (
	"go/build"
	"go/build/constraint"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// testsLeftOut finds existing tests that nothing runs any more: their file is not built or found, or they are ordinary
// functions. It blocks only if no step of a plan names the file, or no build can have it; such a step must say why.
func testsLeftOut() Rule {
	return Rule{
		Name: "test-left-out", Category: "tests", Severity: "high", Blocks: true, Guard: true, Why: aboutTests,
		File: func(c *Change, f *File) []Hit {
			switch {
			case f.FileDiff.Binary:
			case path.Base(f.FileDiff.Path) == "go.mod" && IsNew(f.FileDiff):
				return ofPlan(c, f, cutOff(c, f.FileDiff.Path))
			case f.FileDiff.Status == 'R' && IsTest(f.FileDiff.OldPath) && testName().MatchString(f.FileDiff.OldPath):
				return ofPlan(c, f, renamedAway(c, f))
			}
			return nil
		},
		Wants: func(f *File) bool { return f.Test && (f.FileDiff.Status == 'M' || f.FileDiff.Status == 'R') },
		Line: func(p *Line) []Hit {
			if f := p.File; f.Ext == "go" && strings.HasPrefix(p.Text(), "//") {
				return unbuilt(p)
			}
			if lostTest(p) {
				return ofPlan(p.Change, p.File, p.Hit("a test became a function that nothing runs"))
			}
			return nil
		},
	}
}

// ofPlan returns hits about a file, which weigh less without a plan, and in a step that names it; a review has none then.
func ofPlan(c *Change, f *File, hits []Hit) []Hit {
	named := namesFile(c, f.FileDiff.Path) || namesFile(c, f.FileDiff.OldPath)
	if named && !c.OfStep {
		return nil
	}
	for i := range hits {
		if hits[i].Explain = named; named || c.Plan == nil {
			hits[i].Severity = "medium"
		}
	}
	return hits
}

var tagsGiven = visible.NewPattern(`-tags[= ]['"]?([\w.,]+)`)

// unbuilt returns the hit of a build constraint, new to a file of Go tests, that the checks do not meet here.
func unbuilt(p *Line) []Hit {
	isConstraint := func(line string) bool { return constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) }
	if !isConstraint(p.Text()) {
		return nil
	}
	var tags []string
	for _, check := range p.Change.Checks {
		if m := tagsGiven().FindStringSubmatch(check); m != nil {
			tags = append(tags, strings.Split(m[1], ",")...)
		}
	}
	for _, l := range p.Hunk {
		if l.Kind == '-' && isConstraint(l.Text) && !builds("p.go", l.Text, tags) {
			return nil // it was not built before
		}
	}
	switch {
	case builds("p.go", p.Text(), tags):
		return nil
	case builds("p.go", p.Text(), append(tags, "ignore")): // "ignore" is the customary tag for no build
		h := p.Hit("a test file has a build constraint that no build meets")
		h[0].Severity = "high"
		return h
	}
	return ofPlan(p.Change, p.File, []Hit{{Path: p.File.FileDiff.Path, Quote: p.Text(),
		Title: "a test file has a build constraint now, and is not built"}})
}

// renamedAway returns the hit of a test file whose name or folder no runner looks at now.
func renamedAway(c *Change, f *File) []Hit {
	was, ok := c.Blob(f.FileDiff.OldOID)
	switch {
	case strings.HasSuffix(f.FileDiff.OldPath, "_test.go"):
		if lookedAt(f.FileDiff.OldPath) && !lookedAt(f.FileDiff.Path) {
			return []Hit{{Path: f.FileDiff.Path, Title: "go test no longer looks at this file: its name or folder leaves it out"}}
		}
	case ok && f.Test && isOneOf(f.Ext, byName) && !testName().MatchString(f.FileDiff.Path) &&
		len(testsIn(Extension(f.FileDiff.OldPath), was)) > 0:
		return []Hit{{Path: f.FileDiff.Path, Title: "a test file has a name now by which no runner looks for it"}}
	}
	return nil
}

// byName are the languages whose runners find tests by the names of files, even in folders of tests.
const byName = "py rb php java kt scala groovy js jsx ts tsx mjs cjs mts cts"

// lookedAt reports whether `go test ./...` looks at a path here, by its folders and by the system in its name.
func lookedAt(p string) bool {
	return builds(p, "", nil) && !slices.ContainsFunc(strings.Split(p, "/"), func(part string) bool {
		return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") || part == "testdata" || part == "vendor"
	})
}

// builds reports whether a file of Go of this name that begins with a line is built here, with these tags.
func builds(p, line string, tags []string) bool {
	here := build.Default
	here.CgoEnabled, here.BuildTags = true, tags
	here.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(strings.TrimRight(line, "\r") + "\n\npackage p\n")), nil
	}
	ok, err := here.MatchFile(path.Split(p))
	return ok || err != nil // the compiler reports an invalid constraint
}

// cutOff returns the hit of a new Go module above tests: no pattern of packages leads from one module into another.
func cutOff(c *Change, mod string) []Hit {
	dir := path.Dir(mod)
	modules, tests := map[string]bool{}, ""
	for _, p := range paths(c) {
		if path.Base(p) == "go.mod" && p != mod {
			modules[path.Dir(p)] = true
		}
	}
	for _, p := range paths(c) {
		isNew := func(f git.FileDiff) bool { return f.Path == p && IsNew(&f) }
		if strings.HasPrefix(p, dir+"/") && strings.HasSuffix(p, "_test.go") && lookedAt(p) &&
			!slices.ContainsFunc(c.Diff.Files, isNew) && !belowOne(path.Dir(p), dir, modules) {
			tests = p
		}
	}
	entered := func(check string) bool {
		return slices.ContainsFunc(words(check), func(word string) bool { return strings.HasPrefix(word+"/", dir+"/") })
	}
	if dir == "." || tests == "" || !belowOne(path.Dir(dir), "", modules) || slices.ContainsFunc(c.Checks, entered) {
		return nil
	}
	return []Hit{{Path: mod, Title: "a module of its own takes tests out of what is run: " + tests}}
}

func belowOne(dir, top string, folders map[string]bool) bool {
	for ; dir != "." && dir != top; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return dir != top && folders[dir]
}

// lostTest reports whether an added function, called by nothing, has the name of a removed test in its own.
func lostTest(p *Line) bool {
	name := functionName(p.Text())
	def := testFormOf(p.File.Ext).pattern
	if name == "" || def == nil || def().MatchString(p.Text()) {
		return false
	}
	was := false
	for _, l := range p.Hunk {
		switch lost := functionName(l.Text); {
		case l.Kind == '-' && lost != "" && def().MatchString(l.Text):
			was = was || strings.Contains(strings.ToLower(name), strings.ToLower(lost))
		case l.Kind == '+' && l.Text != p.Text() && strings.Contains(l.Text, name+"("):
			return false
		}
	}
	return was
}
