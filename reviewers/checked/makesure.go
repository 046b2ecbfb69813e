package checked

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// everywhere are the variables that affect every recipe: make's own, and those that programs read
// and that make passes on if the environment already has them.
var everywhere = []string{
	"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", ".RECIPEPREFIX", "VPATH", "MAKE", "MAKEFILES",
	"PATH", "HOME", "ENV", "BASH_ENV", "IFS", "CDPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "GOFLAGS", "PYTHONPATH",
	"PYTEST_ADDOPTS", "NODE_OPTIONS", "RUSTFLAGS", "JAVA_TOOL_OPTIONS", "PERL5OPT", "RUBYOPT",
}

// conditions are those under which a line of a Makefile counts.
type conditions []string

var makeCondition = pattern.Of(`^(ifn?eq|ifn?def|else|endif)\b`)

// follow takes in a line that begins, turns or ends a condition; it returns false for any
// other line.
func (c *conditions) follow(l string) bool {
	word := makeCondition.FindString(l)
	if word == "" {
		return false
	}
	l = strings.Join(strings.Fields(l), " ")
	switch last := len(*c) - 1; {
	case word == "endif":
		*c = (*c)[:max(last, 0)]
	case word != "else":
		*c = append(*c, l)
	case last >= 0 && len((*c)[last]) < longest:
		*c = append(slices.Clone((*c)[:last]), "not "+(*c)[last]+strings.TrimPrefix(l, "else"))
	}
	return true
}

func (c conditions) String() string {
	text := strings.Join(c[:min(len(c), deepest)], ", ")
	return text[:min(len(text), longest)]
}

var (
	makeExport = pattern.Of(`^(?:(?:override|private)\s+)*(?:un)?export\b`)
	makeTop    = pattern.Of(`^-?(?:load|undefine|vpath)\b|^\$[({](?:eval|call|foreach|if|or|and|shell|file|guile|let|info|warning|error)\b`)
	makeEval   = pattern.Of(`\$[({](?:eval|file|guile)\b`)
	makeShell  = pattern.Of(`\$[({]shell\s+(.*)[)}]`)
	harmlessly = pattern.Of(`^(?:date|uname|pwd|nproc|which|command|ls|cat|echo|printf|basename|dirname|hostname|whoami|id|head|tail|cut|tr|sort|wc|grep|true|go (?:env|list|version)|git (?:rev-parse|describe|log|rev-list|symbolic-ref|remote|branch --show-current|status|ls-files|diff)|find [^-].*)(?: |$)`)
)

// holds takes in a line that affects every target in a way that the text does not show: what make
// loads, undefines or computes before it runs anything.
func (m *makefile) holds(l string) bool {
	a := makeAssign.FindStringSubmatch(l)
	switch {
	case a != nil && (a[2] == "!=" && !onlyAsks(a[3]) || makeEval.MatchString(a[3]) || strings.HasPrefix(a[2], ":") && !asksOnly(a[3])):
		m.setting(l)
		return false // and it is an assignment as well
	case a == nil && (makeExport.MatchString(l) || makeTop.MatchString(l)):
		m.setting(l)
		return true
	}
	return false
}

// exports takes in an assignment whose variable every recipe gets.
func (m *makefile) exports(l, name string) {
	if makeExport.MatchString(l) {
		m.setting("export " + name)
	}
}

func (m *makefile) setting(l string) {
	m.settings.lines = append(m.settings.lines, strings.TrimSpace(m.when.String()+" "+strings.Join(strings.Fields(l), " ")))
	for _, name := range strings.Fields(makeExport.ReplaceAllString(l, "")) {
		if makeExport.MatchString(l) && !strings.Contains(name, "$") {
			m.settings.lines = append(m.settings.lines, "$("+name+")")
		}
	}
}

// asksOnly reports whether the commands that a value is computed by change nothing.
func asksOnly(value string) bool {
	s := makeShell.FindStringSubmatch(value)
	return s == nil || onlyAsks(s[1])
}

func onlyAsks(command string) bool {
	command = strings.NewReplacer("2>/dev/null", "", "2> /dev/null", "", "2>&1", "", ">/dev/null", "", "$$", "$").Replace(command)
	if strings.ContainsAny(command, "<>") || strings.Contains(command, "-exec") || strings.Contains(command, "-delete") || strings.Contains(command, "-ok") || strings.Contains(command, "-fprint") {
		return false
	}
	return !slices.ContainsFunc(commands(command), func(c simple) bool {
		return len(c.words) > 0 && !harmlessly.MatchString(strings.Join(c.words, " "))
	})
}

// included returns the files that a Makefile includes by these names. Of those that a pattern
// matches, only changed ones matter.
func (f *follower) included(names, dir string) (out []string) {
	for _, name := range strings.Fields(strings.NewReplacer("$(wildcard ", "", "${wildcard ", "", "$(CURDIR)/", "").Replace(names)) {
		p := path.Join(dir, strings.TrimRight(name, ")}"))
		if !strings.ContainsAny(name, "*?[") {
			out = append(out, p)
			continue
		}
		for _, c := range f.changed {
			if ok, _ := path.Match(p, c); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// made notes whether a file with a target's name exists now that did not before: make then takes
// the target as made, and does not run its recipe.
func (f *follower) made(m *makefile, name, dir string, needs []string) {
	always := func(n string) bool { return m.phony[n] || n == "FORCE" }
	if always(name) || slices.ContainsFunc(needs, always) {
		return
	}
	at := path.Join(dir, name)
	came := once(f, "below", func() map[string]string {
		below := map[string]string{}
		for _, c := range f.changed {
			for p := c; p != "." && p != "/" && p != ""; p = path.Dir(p) {
				below[p] = cmp.Or(below[p], c)
			}
		}
		return below
	})[at]
	if came == "" {
		return
	}
	p := part{file: came, what: "something is named as the target " + name + ", which is not .PHONY", kind: whole}
	if f.there(at) {
		p.lines = []string{"it is there"}
	}
	f.note("make "+dir+" made "+name, p)
}
