package rules

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reach is what a check leads to in the tree before the change: words that may be paths, folders or programs.
type reach struct {
	change   *Change
	first    map[string]bool // of the command line
	deeper   map[string]bool // of the files that it leads to
	programs map[string]bool
	folders  []string // the root, and those that the command line names
	phony    []string // the targets of make that no file can shadow
}

func reachOf(check string, c *Change) *reach {
	r := &reach{change: c, first: map[string]bool{}, deeper: map[string]bool{}, programs: map[string]bool{}, folders: []string{""}}
	r.commandLine(check, 0)
	names := []string{}
	for w := range r.first {
		names = append(names, w)
		if text, ok := r.old(w); ok && text == nil && len(r.folders) < 20 {
			r.folders = append(r.folders, w)
		}
	}
	for _, d := range definers {
		if r.runsOneOf(d.programs) {
			names = append(names, d.files...)
		}
	}
	for _, dir := range r.folders {
		for _, name := range names {
			r.read(path.Join(dir, name))
		}
	}
	return r
}

func (r *reach) old(p string) ([]byte, bool) {
	if strings.ContainsAny(p, "*\n\x00") || path.IsAbs(p) || strings.HasPrefix(p, "../") {
		return nil, false
	}
	return r.change.Old(p)
}

// commandLine takes in the words of a command line, and of those that are in its words.
func (r *reach) commandLine(line string, depth int) {
	parsed, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || depth > 3 {
		for w := range strings.FieldsSeq(line) {
			r.add(w)
		}
		return
	}
	before := ""
	syntax.Walk(parsed, func(n syntax.Node) bool {
		if w, is := n.(*syntax.Word); is {
			text := textOf(w)
			if strings.ContainsAny(text, " \n;") { // sh -c 'make test'
				r.commandLine(text, depth+1)
			} else if before == "-m" { // of Python
				r.add(strings.ReplaceAll(text, ".", "/") + ".py")
			}
			r.add(text)
			r.add(text[strings.IndexByte(text, '=')+1:])
			before = text
		}
		return true
	})
}

// textOf returns the text of a word; a substitution in it becomes a character that no path has.
func textOf(n syntax.Node) string {
	var b strings.Builder
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(n.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		case *syntax.CmdSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.ProcSubst:
			b.WriteByte(0)
			return false
		}
		return true
	})
	return b.String()
}

func (r *reach) add(text string) {
	if p := cleaned(text); p != "" {
		r.first[p], r.programs[path.Base(p)] = true, true
	}
}

// cleaned returns a word as a path of the tree, below the root after a substitution; "" if it cannot be one.
func cleaned(text string) string {
	text = text[strings.LastIndexByte(text, 0)+1:]
	p := path.Clean(strings.TrimLeft(text, "/"))
	if text == "" || len(text) > 200 || p == "." || strings.HasPrefix(p, "..") || strings.Contains(p, "\n") {
		return ""
	}
	return p
}

func (r *reach) read(file string) {
	text, _ := r.old(file)
	if len(text) > maxRead {
		return
	}
	for _, l := range relevant(file, string(text)) {
		if strings.HasPrefix(l, ".PHONY") {
			r.phony = append(r.phony, strings.Fields(l)...)
		}
		for w := range strings.FieldsFuncSeq(l, func(c rune) bool { return c < 0x80 && !isWordRune(c) }) {
			if p := cleaned(w); p != "" {
				r.programs[path.Base(p)], r.deeper[p], r.deeper[path.Join(path.Dir(file), p)] = true, true, true
			}
		}
	}
}

func isWordRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_./@+-", c)
}

func (r *reach) runsOneOf(programs []string) bool {
	return slices.ContainsFunc(programs, func(p string) bool { return r.programs[p] })
}

// defines reports whether, and how, a file that changed defines the check.
func (r *reach) defines(f checkFile) (how definition, ok bool) {
	inFolder := r.inFolder(f.path)
	for i := range definers {
		if d := &definers[i]; inFolder && r.runsOneOf(d.programs) && d.has(f.path) {
			asked := slices.ContainsFunc(d.programs, func(p string) bool { return r.first[p] && slices.Contains(runners, p) })
			return definition{task: asked}, true
		}
	}
	if f.was == "" {
		return definition{shadows: true}, r.shadows(f.path)
	}
	first := slices.ContainsFunc(r.folders, func(dir string) bool {
		w, below := strings.CutPrefix(f.path, dir+"/")
		return r.first[f.path] || below && r.first[w]
	})
	if first && settings.MatchString(f.path) {
		return definition{}, true
	}
	if !first && !r.deeper[f.path] {
		return definition{}, false
	}
	return definition{script: true}, isShell(f.path, r.text(f.was)) || isForChecks(f.path) && !slices.Contains(notPrograms, path.Ext(f.path))
}

// inFolder reports whether a file counts in every folder, or is in the root or in a folder that a word names.
func (r *reach) inFolder(p string) bool {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if r.deeper[d] || r.first[d] {
			return true
		}
	}
	return path.Dir(p) == "." || path.Dir(p) == ".cargo" || slices.Contains(anywhere, path.Base(p))
}

// shadows reports whether make takes a new path for the target of the check, and so does not run its recipe.
func (r *reach) shadows(p string) bool {
	for ; p != "." && r.programs["make"]; p = path.Dir(p) {
		if r.first[p] && r.deeper[p] && !slices.Contains(r.phony, p) {
			_, there := r.old(p)
			return !there
		}
	}
	return false
}
