package checked

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Found is something that a check runs, or reads its settings from, and that has changed.
type Found struct {
	Check string // the command line
	File  string
	What  string // "the target test", one line
	// Adds says that all that ran before still runs in the same way.
	Adds bool
	// Script says that a program of the tree changed. Whether it is a check or the work itself,
	// only its name can say: see ForChecks.
	Script bool
}

// Changed follows the commands of checks through both trees. changed are the paths
// that differ, of both. What it finds comes in the order of the checks, once for each piece.
func Changed(checks, changed []string, old, now Tree) []Found {
	var out []Found
	reported, differing, around := map[string]bool{}, set(changed), withFolders(changed)
	for _, check := range checks {
		was, asked := follow(check, changed, old)
		if !slices.ContainsFunc(asked, func(p string) bool { return around[path.Clean(p)] }) {
			continue // the other tree answers the same
		}
		is, _ := follow(check, changed, now)
		var keys []string
		for k := range was {
			keys = append(keys, k)
		}
		for k := range is {
			if _, both := was[k]; !both {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			f, differs := compare(was[k], is[k])
			if was[k] != nil && !differing[f.File] {
				f.File = was[k].file // the file that it was read from may be gone
			}
			// If something is gone from a file that did not change, it was removed elsewhere.
			if f.Check = check; differs && differing[f.File] && !reported[f.File+"\x00"+f.What] {
				reported[f.File+"\x00"+f.What] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// withFolders returns paths and the folders that they are in.
func withFolders(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, p := range paths {
		for ; !out[p]; p = path.Dir(p) {
			out[p] = true
		}
	}
	return out
}

// compare says how a piece changed. One that did not exist before is new: what runs it was
// altered, or something new runs it.
func compare(was, is *part) (f Found, differs bool) {
	switch {
	case was == nil:
		return Found{File: is.file, What: is.what, Adds: true, Script: is.program()}, len(is.lines) > 0
	case is == nil:
		return Found{File: was.file, What: was.what, Script: was.program()}, len(was.lines) > 0
	case slices.Equal(was.lines, is.lines):
		return f, false
	}
	f = Found{File: cmp.Or(is.file, was.file), What: is.what, Script: is.program()}
	switch is.kind {
	case recipe:
		f.Adds = len(was.lines) > 0 && len(is.lines) > 0 && slices.Equal(was.lines[1:], is.lines[1:]) &&
			(was.lines[0] == "" || addsWords(was.lines[0], is.lines[0], func(string) bool { return true }))
	case variable:
		f.Adds = len(was.lines) > 0 && len(was.lines) == len(is.lines)
		for i := range was.lines {
			f.Adds = f.Adds && (was.lines[i] == is.lines[i] || addsWords(was.lines[i], is.lines[i], fileName.MatchString))
		}
	case setting:
		f.Adds = !weakens(was.lines, is.lines)
	}
	return f, true
}

// fileName matches a word that can only be a file: not an option, and nothing computed.
var fileName = pattern.Of(`^[\w@+][\w@+./-]*\.\w+$|^[\w@+][\w@+./-]*/$`)

// addsWords reports whether all words are still there in their order, and each new one is
// harmless.
func addsWords(was, is string, harmless func(string) bool) bool {
	left := strings.Fields(was)
	if len(left) == 0 {
		return false
	}
	for _, w := range strings.Fields(is) {
		switch {
		case len(left) > 0 && left[0] == w:
			left = left[1:]
		case !harmless(w):
			return false
		}
	}
	return len(left) == 0
}

var (
	// narrows matches what makes fewer tests run, or fewer of their failures count.
	narrows = pattern.Of(`(?i)addopts.*[ "'=](?:-[kmpcox]\b|--(?:ignore|deselect|co\b|collect|lf\b|last-failed|ff\b|maxfail|exitfirst|override|sw\b|stepwise|continue))|collect|norecursedirs|testpaths|default-filter|test_(?:tag_)?filter|python_(?:files|functions|classes)|deselect|ignore|exclude|skip|pass[-_]?with[-_]?no[-_]?tests|testmatch|testregex|namepattern|\bgrep\b|\bspecs?\b|include|\benabled\b|disable|onlyif|\boff\b|pytest_|autouse|_exit|runner|alias|rustflags|commands?\b|allowlist|thresholds?|retr(?:y|ies)|harness|autotests|doctest|^test *= *false|^replace |script-shell|distributionurl|continue|bail|setup`)
	// harmless matches what ordinary work adds there.
	harmless = pattern.Of(`^(?:markers|minversion|pythonpath|asyncio_\w+|log_\w+|console_output_style|cache_dir|junit_\w+|description|isolated_build|minversion|requires|deps|[^=]*python_version) *[=:]|^toolchain go1\.\d+(?:\.\d+)?$`)
)

// weakens reports whether lines of a configuration were removed, or lines added that check less.
func weakens(was, is []string) bool {
	had, has := set(was), set(is)
	for _, l := range was {
		if !has[l] && !harmless.MatchString(l) {
			return true
		}
	}
	return slices.ContainsFunc(is, func(l string) bool {
		return !had[l] && !harmless.MatchString(l) && narrows.MatchString(l)
	})
}
