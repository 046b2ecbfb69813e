package checked

import (
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

var (
	forChecks = pattern.Of(`(?i)(?:^|[._-])(?:tests?|checks?|checker|lint(?:er)?|vet|verify|validate|ci|specs?|suite|smoke|e2e|integration|regression|acceptance|runtests|precommit)(?:[._-]|$)|^(?:test|check|lint|verify|run-?all)`)
	toolsDir  = pattern.Of(`(?i)(?:^|/)(?:scripts?|tests?|\.?ci|hack|tools?|checks?|e2e|\.github|build-aux|spec)/`)
	shebang   = pattern.Of(`^#!\s*\S*/(?:env\s+(?:-S\s+)?)?(?:ba|da|z|k|a)?sh\b`)
)

// ForChecks reports whether the name of a script says that it is a check, or helps with the work:
// anything else that checks run is the work itself.
func ForChecks(file string) bool {
	base := path.Base(file)
	return forChecks.MatchString(base) || toolsDir.MatchString(file) || base == "gradlew" || base == "mvnw"
}

// Shell reports whether a file is a shell's script, by its name or its first line.
func Shell(file string, text []byte) bool {
	ext := path.Ext(file)
	return ext == ".sh" || ext == ".bash" || ext == ".zsh" || shebang.Match(text)
}

// script follows a program in the tree. One that another script runs counts only if its name says
// that it is for checks. read says that a shell reads it, whatever its name.
func (f *follower) script(name, dir string, deep int, read bool) {
	file := path.Join(dir, name)
	if path.IsAbs(name) || strings.HasPrefix(file, "../") || strings.ContainsAny(name, "$*") {
		return
	}
	real, links := f.linked(file)
	text, ok := f.tree(real)
	shell, checks := read && deep == 0 || Shell(real, text), ForChecks(file)
	if !ok || f.parts["script "+file] != nil || deep > 0 && !checks || !shell && !checks {
		return
	}
	for _, l := range links {
		text, _ := f.tree(l)
		f.note("link "+l, part{file: l, what: "the link", kind: whole, lines: []string{string(text)}})
	}
	f.note("script "+file, part{file: real, what: "the script", kind: script, lines: scriptLines(string(text), shell), checks: checks && len(links) > 0})
	if shell && len(text) < 1<<20 {
		f.line(strings.ReplaceAll(string(text), "\\\n", " "), dir, deep+1)
	}
}

// scriptLines returns the lines that do something. Indentation is dropped only for a shell.
func scriptLines(text string, shell bool) (out []string) {
	for _, l := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(l)
		if bare == "" || strings.HasPrefix(bare, "#") && !strings.HasPrefix(bare, "#!") || strings.HasPrefix(bare, "//") {
			continue
		}
		if shell {
			l = bare
		}
		out = append(out, strings.TrimRight(l, " \t\r"))
	}
	return out
}
