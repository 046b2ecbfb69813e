package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CheckAltered is the rule about the files that define checks.
const CheckAltered = "check-altered"

// checksAltered finds changes of files that define the plan's checks, if no step names them.
func checksAltered() Rule {
	return Rule{
		Name: CheckAltered, Category: "suppression", Severity: "high", Blocks: true, Guard: true,
		Why: "A check proves what its command does. Take the change back; if it is meant, dismiss this once you have seen what the check runs now.",
		End: func(c *Change) (hits []Hit) {
			if len(c.Checks) == 0 || c.Read == nil || c.Old == nil {
				return nil
			}
			for _, d := range altered(c) {
				// A program that a step names is its work, even if a check runs it, and so is one that is not for checks by
				// its name, where a step may touch any file. A person has to see what a check proves whose task a step names.
				how := fmt.Sprintf("the check `%s` may no longer prove what it did: %s", visible.OneLine(plan.Unlimited(d.check), 60), d.how)
				named, forChecks := namesFile(c, d.file), !d.script || isForChecks(d.file) || slices.Contains(c.Measures, d.check)
				h := Hit{Path: d.file, Key: d.file, Ask: true}
				switch file := visible.OneLine(d.file, 200); {
				case d.script && testName().MatchString(d.file) && path.Ext(d.file) != ".sh", !forChecks && named:
					continue // rules about tests judge the former
				case !forChecks && (c.Plan == nil || len(c.Plan.Steps) == 0 ||
					slices.ContainsFunc(c.Plan.Steps, func(s plan.Step) bool { return len(s.Files) == 0 })):
					h.Severity, h.Title = "low", how
				case named && d.task && !c.OfStep:
					h.Title = how + "; a step names " + file + ", so see whether the check still proves the same"
				case named:
					h.Severity, h.Title = "low", how+", and a step names it"
				default:
					h.Title = how + "; put it back (only a step whose Files name " + file + " may change it)"
				}
				hits = append(hits, h)
			}
			return hits
		},
	}
}

// definition is a file that changed such that a check may prove less than it did.
type definition struct {
	check, file string // check is the command line
	how         string // how the file defines the check, in words
	script      bool   // the check runs the file, which may be the work itself; see isForChecks
	task        bool   // the command line names a task that the file defines, as make test does
}

// altered returns the definitions that a change altered, each file once.
func altered(c *Change) (found []definition) {
	var files []git.FileDiff
	for _, f := range c.Diff.Files {
		if f.Status == 'R' {
			files = append(files, git.FileDiff{Path: f.OldPath, OldOID: f.OldOID})
		}
		if f.Status == 'R' || f.Status == 'C' {
			f.OldOID = ""
		}
		files = append(files, f)
	}
	for _, check := range c.Checks {
		r := reachOf(check, c)
		for _, f := range files {
			d, ok := r.altered(f)
			if d.check, d.file = check, f.Path; ok && !slices.ContainsFunc(found, func(d definition) bool { return d.file == f.Path }) {
				found = append(found, d)
			}
		}
	}
	return found
}

func namesFile(c *Change, file string) bool {
	return c.Plan != nil && slices.ContainsFunc(c.Plan.Steps, func(s plan.Step) bool { return plan.MatchesAny(s.Files, file) })
}

// reach is the words, before the change, that a check leads to, which may be paths, folders or programs.
type reach struct {
	change   *Change
	check    string
	first    map[string]bool // paths in the command line
	deeper   map[string]bool // paths in the files that the command line leads to
	programs map[string]bool
	folders  []string // the root, and the folders that the command line names
	phony    []string // the targets of make that no file can shadow
}

func reachOf(check string, c *Change) *reach {
	r := &reach{change: c, check: check, first: map[string]bool{}, deeper: map[string]bool{},
		programs: map[string]bool{}, folders: []string{""}}
	names := words(check)
	for _, w := range names {
		r.programs[path.Base(w)] = true
		names = append(names, strings.ReplaceAll(w, ".", "/")+".py") // a module of Python
		if text, ok := c.Old(w); ok && text == nil && len(r.folders) < 20 {
			r.folders = append(r.folders, w)
		}
	}
	for _, d := range definers() {
		if r.runsOneOf(d.programs) {
			names = append(names, d.files...)
		}
	}
	for _, dir := range r.folders {
		for _, name := range names {
			at := path.Join(dir, strings.TrimPrefix(name, "**/"))
			r.first[at] = true
			r.read(at)
		}
	}
	return r
}

var (
	variable = visible.NewPattern(`\$\{?\w+`)
	inQuotes = visible.NewPattern(`'[^']*'|"[^"]*"`)
	inWords  = visible.NewPattern(`[\w./@+\x{80}-\x{10ffff}-]+`)
	unquote  = strings.NewReplacer(`"`, "", `'`, "")
)

// words returns the words of a shell line that may be paths or programs. A path after a variable counts from the root.
// The line is not parsed, since the words of nested commands count, too.
func words(line string) (out []string) {
	line = variable().ReplaceAllString(line, " ")
	all := inQuotes().FindAllString(line, -1) // names with blanks in them
	for _, s := range []string{line, unquote.Replace(line)} {
		all = append(all, inWords().FindAllString(s, -1)...)
	}
	for _, w := range all {
		w = path.Clean(strings.TrimLeft(unquote.Replace(w), "/"))
		if w != "." && len(w) <= 200 && !strings.HasPrefix(w, "..") && !strings.ContainsAny(w, "*\n\x00") {
			out = append(out, w)
		}
	}
	return out
}

func (r *reach) read(file string) {
	text, _ := r.change.Old(file)
	if len(text) == 0 || len(text) > 1<<20 { // a generated file
		return
	}
	row, _ := r.row(file)
	for _, l := range relevant(file, string(text), row.words) {
		if strings.HasPrefix(l, ".PHONY") {
			r.phony = append(r.phony, strings.Fields(l)...)
		}
		for _, w := range words(l) {
			r.programs[path.Base(w)] = true
			for _, at := range []string{w, path.Join(path.Dir(file), w)} {
				goesOn := path.Ext(at) == ".sh" && !r.deeper[at] && len(r.deeper) < 1000 && slices.Contains(r.change.Measures, r.check)
				if r.deeper[at] = true; goesOn {
					r.read(at) // scripts may run other scripts
				}
			}
		}
	}
}

func (r *reach) runsOneOf(programs []string) bool {
	return slices.ContainsFunc(programs, func(p string) bool { return r.programs[p] })
}

// altered reports whether, and how, a file that changed defines the check, which may prove less now.
func (r *reach) altered(f git.FileDiff) (d definition, ok bool) {
	d.how = "this file defines how it runs"
	if row, ok := r.row(f.Path); ok {
		d.task = slices.ContainsFunc(row.programs, func(p string) bool { return r.first[p] && slices.Contains(runners, p) })
		return d, r.weakens(f, row)
	}
	if !IsObject(f.OldOID) {
		d.how = "it has the name of the check's target, which is not .PHONY, so make takes it for built and runs nothing"
		return d, r.shadows(f.Path)
	}
	if r.first[f.Path] && settings().MatchString(f.Path) || r.deeper[f.Path] && setups().MatchString(f.Path) {
		return d, r.weakens(f, definer{})
	}
	d.how, d.script = "it runs this file", true
	was := r.text(f.OldOID)
	return d, r.runs(f.Path, was) && !slices.Equal(contentLines(was), contentLines(r.text(f.NewOID)))
}

// runs reports whether the check leads to a file of this text as to a program.
func (r *reach) runs(file, text string) bool {
	ext := path.Ext(file)
	shell := slices.Contains([]string{".sh", ".bash", ".zsh", ".bats"}, ext) || shebang().MatchString(text)
	return (shell || isForChecks(file) && !slices.Contains(notPrograms, ext)) && (r.first[file] || r.deeper[file]) ||
		slices.Contains(r.change.Measures, r.check) && runsProgram(r.check, file)
}

// Defining returns the files, which need not exist, that define the checks of a change.
func Defining(c Change, files []string) (out []string) {
	for _, check := range c.Checks {
		r := reachOf(check, &c)
		for _, f := range files {
			text, _ := c.Old(f)
			if _, ok := r.row(f); ok || r.shadows(f) || r.first[f] && settings().MatchString(f) || r.runs(f, string(text)) {
				out = append(out, f)
			}
		}
	}
	return out
}

// row returns the row of the table by which a file defines the check.
func (r *reach) row(p string) (row definer, ok bool) {
	inFolder := path.Dir(p) == "."
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		inFolder = inFolder || r.deeper[d] || r.first[d]
	}
	isOne := func(f string) bool {
		name, anywhere := strings.CutPrefix(f, "**/")
		ok, _ := path.Match(name, path.Base(p))
		return ok && (anywhere || inFolder) || strings.Contains(name, "/") && strings.HasSuffix("/"+p, "/"+name)
	}
	for _, row := range definers() {
		if r.runsOneOf(row.programs) && slices.ContainsFunc(row.files, isOne) {
			return row, true
		}
	}
	return definer{}, false
}

// shadows reports whether make takes a new path for the target of the check, and so does not run its recipe.
func (r *reach) shadows(p string) bool {
	for ; p != "." && p != "/" && r.programs["make"]; p = path.Dir(p) {
		if r.first[p] && r.deeper[p] && !slices.Contains(r.phony, p) {
			_, there := r.change.Old(p)
			return !there
		}
	}
	return false
}

func (r *reach) text(oid string) string {
	data, _ := r.change.Blob(oid)
	return string(data)
}

// weakens reports whether something was removed from tasks or settings, or something was added that narrows them.
func (r *reach) weakens(f git.FileDiff, row definer) bool {
	dir, base := path.Split(f.Path)
	makefiles := []string{"GNUmakefile", "makefile", "Makefile"}
	for _, names := range row.first {
		others := names[slices.Index(names, base)+1:]
		if !IsObject(f.OldOID) && len(others) < len(names) && slices.ContainsFunc(others, func(other string) bool {
			text, there := r.change.Old(dir + other)
			return there && (len(text) == 0 || len(relevant(other, string(text), row.words)) > 0)
		}) {
			return true
		}
	}
	if !IsObject(f.OldOID) &&
		(slices.Contains(makefiles, base) || base == "tsconfig.json" || len(row.words) > 0 && !row.each && dir != "") {
		return false // new: no check passed without it
	}
	was, is := relevant(f.Path, r.text(f.OldOID), row.words), relevant(f.Path, r.text(f.NewOID), row.words)
	if len(was)+len(is) > 4000 { // generated: comparing each with each would take long
		return !slices.Equal(was, is)
	}
	without := func(lines, other []string) []string {
		return slices.DeleteFunc(slices.Clone(lines),
			func(l string) bool { return slices.Contains(other, l) || startsWith(l, harmless) })
	}
	added := without(is, was)
	for _, l := range without(was, is) {
		i := slices.IndexFunc(added, func(a string) bool { return extends(a, l) })
		if i < 0 {
			return true
		}
		added = slices.Delete(added, i, i+1)
	}
	return slices.ContainsFunc(added, func(l string) bool {
		switch {
		case slices.Contains(makefiles, base) || path.Ext(base) == ".mk":
			return !newInMake(l, was) || !IsObject(f.OldOID) && makeVar().MatchString(l)
		case path.Ext(base) == ".py" && base != "conftest.py" && base != "noxfile.py":
			return true // it may be imported in place of a module of Python
		case row.each || strings.HasSuffix(base, "ignore"):
			return true
		}
		return firstIn(squeezed(l), narrowing) != ""
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
	left, target := strings.Fields(was), makeTarget().MatchString(was)
	for w := range strings.FieldsSeq(now) {
		switch {
		case len(left) > 0 && left[0] == w:
			left = left[1:]
		case !fileName().MatchString(w) && !(target && !strings.ContainsAny(w, "$=;:")):
			return false
		}
	}
	return len(left) == 0
}

// newInMake reports whether a line added to a Makefile belongs to a new target or variable, which nothing else uses.
func newInMake(line string, was []string) bool {
	if strings.HasPrefix(line, "\t") {
		return true
	}
	name := makeTarget().FindStringSubmatch(line)
	if v := makeVar().FindStringSubmatch(line); v != nil && !startsWith(v[1], readByAll) &&
		!strings.Contains(line, "$(shell") && !strings.Contains(line, "$(eval") {
		name = v
	}
	return strings.HasPrefix(line, ".PHONY") ||
		name != nil && !slices.ContainsFunc(was, func(l string) bool { return strings.Contains(l, name[1]) })
}
