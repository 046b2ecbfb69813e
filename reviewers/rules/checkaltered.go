package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CheckAltered is the rule about the files that define checks.
const CheckAltered = "check-altered"

// maxRead is how much of a file is read, in bytes: what people write by hand is smaller.
const maxRead = 1 << 20

// checksAltered finds changes of files that define the plan's checks, if no step names them.
func checksAltered() Rule {
	return Rule{
		Name: CheckAltered, Category: "suppression", Severity: "high", Confidence: Likely, Blocks: true, Guard: true,
		Why: "A check proves what its command does. Take the change back; if it is meant, name the file in the step's Files, and dismiss this once you have seen what the check runs now.",
		End: func(c *Change) (hits []Hit) {
			if len(c.Checks) == 0 || c.Read == nil || c.Old == nil {
				return nil
			}
			for _, d := range altered(c) {
				if h, ok := d.hit(c); ok {
					hits = append(hits, h)
				}
			}
			return hits
		},
	}
}

// checkFile is a path that differs between two trees, with the object on either side; "" is none.
type checkFile struct{ path, was, is string }

type definition struct {
	check   string // the command line
	file    string
	script  bool // the check runs it: it may be the work itself, see isForChecks
	task    bool // the command line asks for a task that it defines, as make test does
	shadows bool // make takes it for the target that the check asks for
}

// altered returns the files that changed such that a check may prove less than it did, each once.
func altered(c *Change) (found []definition) {
	files := changedFiles(c.Diff)
	reported := map[string]bool{}
	for _, check := range c.Checks {
		r := reachOf(check, c)
		for _, f := range files {
			how, ok := r.defines(f)
			if !ok || reported[f.path] || !how.shadows && (how.script && !r.differs(f) || !how.script && !r.weakens(f)) {
				continue
			}
			reported[f.path], how.check, how.file = true, check, f.path
			found = append(found, how)
		}
	}
	return found
}

func changedFiles(d *git.Diff) (files []checkFile) {
	for _, f := range d.Files {
		switch f.Status {
		case 'A', 'C':
			files = append(files, checkFile{path: f.Path, is: f.NewOID})
		case 'D':
			files = append(files, checkFile{path: f.Path, was: f.OldOID})
		case 'R':
			files = append(files, checkFile{path: f.OldPath, was: f.OldOID}, checkFile{path: f.Path, is: f.NewOID})
		default:
			files = append(files, checkFile{f.Path, f.OldOID, f.NewOID})
		}
	}
	return files
}

// hit returns the hit about a file. A program that a step names is its work, even if a check runs it, and so
// is one that is not for checks by its name, where a step may touch any file. If a step names the file with
// the task of a check, a person has to see what the check proves now.
func (d *definition) hit(c *Change) (h Hit, ok bool) {
	how := "this file defines how it runs"
	switch {
	case d.shadows:
		how = "make takes this for its target, which is not .PHONY, and runs nothing"
	case d.script:
		how = "it runs this file"
	}
	how = fmt.Sprintf("the check `%s` may no longer prove what it did: %s", visible.OneLine(d.check, 60), how)
	named := namesFile(c, d.file)
	forChecks := !d.script || isForChecks(d.file)
	h = Hit{Path: d.file, Key: d.file, Ask: true}
	switch file := visible.OneLine(d.file, 200); {
	case d.script && NamedAsTest(d.file) && path.Ext(d.file) != ".sh", !forChecks && named: // rules about tests judge the former
		return h, false
	case !forChecks && !listsFiles(c):
		h.Severity, h.Title = "low", how
	case named && d.task && !c.OfStep:
		h.Title = how + "; a step names " + file + ", so see whether the check still proves the same"
	case named:
		h.Severity, h.Title = "low", how+", and a step names it"
	default:
		h.Title = how + "; put it back (only a step whose Files name " + file + " may change it)"
	}
	return h, true
}

func namesFile(c *Change, file string) bool {
	return c.Plan != nil && slices.ContainsFunc(c.Plan.Steps, func(s Step) bool { return Names(s.Files, file) })
}

// listsFiles reports whether each step names its files: a program that none of them names is not the plan's work.
func listsFiles(c *Change) bool {
	return c.Plan != nil && len(c.Plan.Steps) > 0 && !slices.ContainsFunc(c.Plan.Steps, func(s Step) bool { return len(s.Files) == 0 })
}

func (r *reach) text(oid string) string {
	data, _ := r.change.Blob(oid)
	return string(data[:min(len(data), maxRead)])
}

func (r *reach) differs(f checkFile) bool {
	return !slices.Equal(contentLines(r.text(f.was)), contentLines(r.text(f.is)))
}

// weakens reports whether something was removed from tasks or settings, or something was added that narrows them.
func (r *reach) weakens(f checkFile) bool {
	makefiles := []string{"GNUmakefile", "makefile", "Makefile"} // make reads one of them
	dir, base := path.Split(f.path)
	if f.was == "" && slices.Contains(makefiles, base) {
		return slices.ContainsFunc(makefiles, func(other string) bool { _, there := r.old(dir + other); return there })
	}
	was, is := relevant(f.path, r.text(f.was)), relevant(f.path, r.text(f.is))
	if len(was)+len(is) > 4000 { // generated: comparing each with each would take long
		return !slices.Equal(was, is)
	}
	removed := slices.DeleteFunc(slices.Clone(was), func(l string) bool { return slices.Contains(is, l) || startsWith(l, harmless) })
	added := slices.DeleteFunc(is, func(l string) bool { return slices.Contains(was, l) || startsWith(l, harmless) })
	for _, l := range removed {
		i := slices.IndexFunc(added, func(a string) bool { return extends(a, l) })
		if i < 0 {
			return true
		}
		added = slices.Delete(added, i, i+1)
	}
	return slices.ContainsFunc(added, func(l string) bool {
		switch {
		case slices.Contains(makefiles, base) || path.Ext(base) == ".mk":
			return !newInMake(l, was) || f.was == "" && makeVar.MatchString(l)
		case path.Ext(base) == ".py" && base != "conftest.py" && base != "noxfile.py":
			return true // it is imported in place of Python's own
		}
		return firstIn(strings.ReplaceAll(strings.ToLower(l), " ", ""), narrowing) != ""
	})
}

func startsWith(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

var (
	fileName   = visible.NewPattern(`^[\w@+][\w@+./-]*\.\w+$|^[\w@+][\w@+./-]*/$`)
	makeTarget = visible.NewPattern(`^([A-Za-z_][\w./-]*)\s*:(?:[^:=]|$)`)
	makeVar    = visible.NewPattern(`^([A-Za-z_]\w*)\s*[:?]?=`)
)

// extends reports whether a line has all words of another in order, and otherwise only files or prerequisites.
func extends(now, was string) bool {
	left, target := strings.Fields(was), makeTarget.MatchString(was)
	for w := range strings.FieldsSeq(now) {
		switch {
		case len(left) > 0 && left[0] == w:
			left = left[1:]
		case !fileName.MatchString(w) && !(target && !strings.ContainsAny(w, "$=;:")):
			return false
		}
	}
	return len(left) == 0
}

// readByAll are variables that make, or the programs that recipes run, read by themselves.
var readByAll = strings.Fields("SHELL MAKE GNUMAKE VPATH PATH HOME ENV BASH_ENV IFS CDPATH LD_ GOFLAGS PYTHON PYTEST NODE_ RUST JAVA PERL RUBY")

// newInMake reports whether a line added to a Makefile is of a target or variable that nothing else uses.
func newInMake(line string, was []string) bool {
	if recipe, is := strings.CutPrefix(line, "\t"); is {
		return !strings.HasSuffix(recipe, `\`)
	}
	name := makeTarget.FindStringSubmatch(line)
	if v := makeVar.FindStringSubmatch(line); v != nil && !startsWith(v[1], readByAll) && !strings.Contains(line, "$(shell") && !strings.Contains(line, "$(eval") {
		name = v
	}
	return strings.HasPrefix(line, ".PHONY") || name != nil && !slices.ContainsFunc(was, func(l string) bool { return strings.Contains(l, name[1]) })
}
