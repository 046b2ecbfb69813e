package rules

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// differs reports whether a program that was there does something else, or is gone.
func (f checkFile) differs() bool {
	return !slices.Equal(contentLines(string(f.was())), contentLines(string(read(f.is))))
}

func read(side func() []byte) []byte {
	if side == nil {
		return nil
	}
	return side()
}

// weakens reports whether a change of tasks or settings can make a check prove less: something
// was removed, or something that narrows it was added.
func (f checkFile) weakens(old readOldFile) bool {
	makefiles := []string{"GNUmakefile", "makefile", "Makefile"} // make reads one of them
	dir, base := path.Split(f.path)
	if f.was == nil && slices.Contains(makefiles, base) {
		return slices.ContainsFunc(makefiles, func(other string) bool {
			_, there := old(dir + other)
			return there
		})
	}
	was, is := relevant(f.path, string(read(f.was))), relevant(f.path, string(read(f.is)))
	if len(was)+len(is) > 4000 { // nobody wrote them: comparing each with each would take long
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
			return !newInMake(l, was) || f.was == nil && makeVar.MatchString(l)
		case path.Ext(base) == ".py" && base != "conftest.py" && base != "noxfile.py":
			return true // it is imported in place of Python's own
		}
		return containsAny(strings.ReplaceAll(strings.ToLower(l), " ", ""), narrowing)
	})
}

func startsWith(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

var (
	fileName   = visible.NewPattern(`^[\w@+][\w@+./-]*\.\w+$|^[\w@+][\w@+./-]*/$`)
	makeTarget = visible.NewPattern(`^([A-Za-z_][\w./-]*)\s*:(?:[^:=]|$)`)
	makeVar    = visible.NewPattern(`^([A-Za-z_]\w*)\s*[:?]?=`)
)

// extends reports whether a line has all words of another in their order, and more of which each
// is a file, or something that a target needs.
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

// newInMake reports whether a line that was added to a Makefile is of a new target or variable, of
// which nothing that was there knows. Directives, conditions and exports concern everything.
func newInMake(line string, was []string) bool {
	if recipe, is := strings.CutPrefix(line, "\t"); is {
		return !strings.HasSuffix(recipe, `\`)
	}
	name := makeTarget.FindStringSubmatch(line)
	if v := makeVar.FindStringSubmatch(line); v != nil && !startsWith(v[1], readByAll) && !containsAny(line, []string{"$(shell", "$(eval"}) {
		name = v
	}
	return strings.HasPrefix(line, ".PHONY") || name != nil && !slices.ContainsFunc(was, func(l string) bool { return strings.Contains(l, name[1]) })
}

// contentLines returns the lines of a text that say something, with one blank between words.
func contentLines(text string) (out []string) {
	for l := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\\\n", " ").Replace(text)) {
		recipe := strings.HasPrefix(l, "\t")
		l = strings.Join(strings.Fields(l), " ")
		if recipe {
			l = "\t" + strings.TrimPrefix(l, "@")
		}
		if strings.TrimSpace(l) != "" && (!startsWith(l, []string{"#", "//"}) || strings.HasPrefix(l, "#!")) {
			out = append(out, l)
		}
	}
	return out
}

// relevant returns the lines of a file that say how checks run.
func relevant(file, text string) []string {
	base := path.Base(file)
	all := contentLines(text)
	switch words := strings.Fields(relevantWords[base]); {
	case base == "package.json" || base == "composer.json":
		return scriptsOf(text)
	case base == "pyproject.toml" || base == "setup.cfg" || base == "tox.ini":
		in := false
		return slices.DeleteFunc(all, func(l string) bool {
			if strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]") && !strings.ContainsAny(l, `"',=`) {
				in = startsWith(strings.TrimPrefix(strings.TrimPrefix(strings.Trim(l, "[]"), "tool."), "tool:"), configTools)
				return true
			}
			return !in
		})
	case len(words) > 0:
		return slices.DeleteFunc(all, func(l string) bool { return !containsAny(strings.ToLower(l), words) })
	}
	return all
}

// scriptsOf returns the scripts of a package and the settings of its tests, each on a line.
func scriptsOf(text string) (out []string) {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &all) != nil {
		return contentLines(text)
	}
	for _, key := range packageKeys {
		each := map[string]any{}
		if json.Unmarshal(all[key], &each) != nil && len(all[key]) > 0 {
			each[key] = string(all[key])
		}
		for name, v := range each {
			said, _ := json.Marshal(v)
			out = append(out, `"`+name+`": `+string(said))
		}
	}
	slices.Sort(out)
	return out
}
