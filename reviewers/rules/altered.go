package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// CheckAltered is the rule about the files that define checks.
const CheckAltered = "check-altered"

// maxRead is how much of a file is read whole: what people write by hand is smaller.
const maxRead = 1 << 20

// checksAltered finds changes of the files that define the plan's checks, if no step names them: a
// session that cannot make a check pass could empty it instead.
func checksAltered() Rule {
	return Rule{
		Name: CheckAltered, Category: "suppression", Severity: "high", Confidence: Likely, Blocks: true, Guard: true,
		Why: "A check proves what its command does. Take the change back; if it is meant, name the file in the step's Files, and dismiss this once you have seen what the check runs now.",
		End: func(c *Change) (hits []Hit) {
			if len(c.Checks) == 0 || c.Read == nil || c.Old == nil {
				return nil
			}
			for _, f := range altered(c.Checks, changedFiles(c), oldTree(c)) {
				if h, ok := alteredHit(c, f); ok {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// alteredHit returns the hit about one file. A program that a step names is its work, even if a
// check runs it, and so is one that is not for checks by its name where a step may touch any file.
// A step that names the file with the task of a check may change it, but a person approved the
// check as it was, and has to see what it proves now: until then the review does not pass.
func alteredHit(c *Change, f definition) (h Hit, ok bool) {
	named := namesFile(c, f.file)
	forChecks := !f.script || isForChecks(f.file)
	h = Hit{Path: f.file, Key: f.file, Ask: true}
	how := "this file defines how it runs"
	switch {
	case f.shadows:
		how = "make takes this for its target, which is not .PHONY, and runs nothing"
	case f.script:
		how = "it runs this file"
	}
	how = fmt.Sprintf("the check `%s` may no longer prove what it did: %s", shortened(f.check), how)
	switch file := visible.OneLine(f.file, 200); {
	case f.script && NamedAsTest(f.file) && path.Ext(f.file) != ".sh", !forChecks && named: // rules about tests judge the former
		return h, false
	case !forChecks && !listsFiles(c):
		h.Severity, h.Title = "low", how
	case named && f.task && !c.OfStep:
		h.Title = how + "; a step names " + file + ", so see whether the check still proves the same"
	case named:
		h.Severity, h.Title = "low", how+", and a step names it"
	default:
		h.Title = how + "; put it back (only a step whose Files name " + file + " may change it)"
	}
	return h, true
}

// shortened returns as much of a command line as fits in a title.
func shortened(check string) string {
	check = strings.Join(strings.Fields(check), " ")
	if r := []rune(check); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return check
}

// namesFile reports whether a step names the file.
func namesFile(c *Change, file string) bool {
	return c.Plan != nil && slices.ContainsFunc(c.Plan.Steps, func(s Step) bool { return Names(s.Files, file) })
}

// listsFiles reports whether each step names the files it is about: then a program of the tree that
// none of them names is not what the plan works on.
func listsFiles(c *Change) bool {
	return c.Plan != nil && len(c.Plan.Steps) > 0 && !slices.ContainsFunc(c.Plan.Steps, func(s Step) bool { return len(s.Files) == 0 })
}

// changedFiles returns the paths that differ: of a file that was renamed, both.
func changedFiles(c *Change) (files []checkFile) {
	side := func(oid string) func() []byte {
		return func() []byte {
			data, _ := c.Blob(oid)
			return data[:min(len(data), maxRead)]
		}
	}
	for _, f := range c.Diff.Files {
		was, is := side(f.OldOID), side(f.NewOID)
		switch f.Status {
		case 'A', 'C':
			files = append(files, checkFile{path: f.Path, is: is})
		case 'D':
			files = append(files, checkFile{path: f.Path, was: was})
		case 'R':
			files = append(files, checkFile{path: f.OldPath, was: was}, checkFile{path: f.Path, is: is})
		default:
			files = append(files, checkFile{path: f.Path, was: was, is: is})
		}
	}
	return files
}

// oldTree reads the tree before the change. Many checks ask for the same.
func oldTree(c *Change) readOldFile {
	type file struct {
		data   []byte
		exists bool
	}
	known := map[string]file{}
	return func(p string) ([]byte, bool) {
		f, ok := known[p]
		if !ok && !strings.ContainsAny(p, "*\n\x00") && !path.IsAbs(p) && !strings.HasPrefix(p, "../") {
			f.data, f.exists = c.Old(p)
			known[p] = f
		}
		return f.data, f.exists
	}
}
