package checked

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// makefile is what make reads, as far as it decides what a target runs.
type makefile struct {
	file     string
	of       map[string][]*makeRule // by target
	patterns []*makeRule            // those with a % in a target
	phony    map[string]bool
	vars     map[string]*part
	settings part // what concerns every target
	goal     string
	when     conditions
	whenSet  map[string][]string // by variable: the conditions of its assignments
	changed  map[string]bool     // files
	read     map[string]bool     // files
	left     int                 // bytes that may be expanded still
}

type makeRule struct {
	file    string
	targets []string
	needs   []string
	when    string // the conditions around it
	recipe  []string
}

var (
	makeAssign  = pattern.Of(`^(?:(?:export|override|private|unexport)\s+)*([^\s:=#+?!]+)\s*(:::?=|::?=|\+=|\?=|!=|=)\s*(.*)$`)
	makeDefine  = pattern.Of(`^(?:override\s+|export\s+)*define\s+([^\s=:+?]+)`)
	makeInclude = pattern.Of(`^[-s]?include\s+(.+)$`)
	makeUses    = pattern.Of(`\$(?:\(|\{)\s*(?:call\s+)?([^\s(){},:$]+)|\$([A-Za-z_])`)
	makeValue   = pattern.Of(`\$\([^\s(){},:$]+\)|\$\{[^\s(){},:$]+\}`)
	special     = []string{".IGNORE", ".ONESHELL", ".POSIX", ".DEFAULT", ".EXPORT_ALL_VARIABLES", ".SECONDEXPANSION"}
)

// make follows a call of make to its targets.
func (f *follower) make(args []string, dir string, deep int) {
	if d := value(args, "-C", "--directory"); d != "" {
		dir = path.Join(dir, d)
	}
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if file := value(args, "-f", "--file", "--makefile"); file != "" {
		names = []string{file}
	}
	m := once(f, "make "+dir+" "+strings.Join(names, " "), func() *makefile { return f.makefile(names, dir) })
	if m.file == "" {
		return
	}
	m.settings.what, m.settings.kind = "what holds for every target", whole
	f.note("make "+dir+" everything", m.settings)
	for _, v := range everywhere {
		f.makeVariables(m, f.makeVariable(m, v, dir), dir)
	}
	for _, l := range m.settings.lines {
		f.makeVariables(m, l, dir)
	}
	var goals []string
	for i, a := range args {
		valued := i > 0 && slices.Contains([]string{"-C", "-f", "--directory", "--file", "--makefile", "-o", "-W", "-I"}, args[i-1])
		if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") && !valued {
			goals = append(goals, a)
		}
	}
	if len(goals) == 0 && m.goal != "" {
		goals = []string{m.goal}
	}
	for _, g := range goals {
		f.makeTarget(m, g, dir, deep)
	}
}

// makefile reads the first file of some names.
func (f *follower) makefile(names []string, dir string) *makefile {
	m := &makefile{changed: set(f.changed), whenSet: map[string][]string{}, vars: map[string]*part{}, read: map[string]bool{}, of: map[string][]*makeRule{}, phony: map[string]bool{}, left: allExpanded}
	for _, n := range names {
		if text, ok := f.tree(path.Join(dir, n)); ok {
			m.file = path.Join(dir, n)
			m.read[m.file], m.settings.file = true, m.file
			f.readMake(m, m.file, string(text), dir, 0)
			break
		}
	}
	return m
}

// readMake takes in a file, and those that it includes.
func (f *follower) readMake(m *makefile, file, text, dir string, deep int) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")
	var rule *makeRule
	if m.changed[file] {
		m.settings.file = file
	}
	define := ""
	for _, l := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(l)
		switch {
		case define != "":
			if bare == "endef" {
				define = ""
			} else {
				m.assign(file, define, "+=", bare)
			}
		case strings.HasPrefix(l, "\t"):
			if rule != nil && bare != "" && !strings.HasPrefix(bare, "#") {
				if when := m.when.String(); when != rule.when {
					rule.recipe = append(rule.recipe, when)
				}
				rule.recipe = append(rule.recipe, recipeLine(bare))
			}
		case bare == "" || strings.HasPrefix(bare, "#"):
		case m.when.follow(bare):
		case m.holds(bare):
			rule = nil
		case makeDefine.MatchString(bare):
			define = makeDefine.FindStringSubmatch(bare)[1]
			m.assign(file, define, "=", "")
		case makeInclude.MatchString(bare):
			for _, p := range f.included(m.expand(makeInclude.FindStringSubmatch(bare)[1]), dir) {
				if m.read[p] {
					continue // it would say the same again, and what includes itself would never end
				}
				if text, ok := f.tree(p); ok && deep < deepest {
					m.read[p] = true
					f.readMake(m, p, string(text), dir, deep+1)
				}
			}
		case makeAssign.MatchString(bare):
			a := makeAssign.FindStringSubmatch(bare)
			m.assign(file, a[1], a[2], a[3])
			m.exports(bare, a[1])
			rule = nil
		default:
			if r := m.addRule(file, bare); r != nil {
				rule = r
			}
		}
	}
}

// recipeLine returns a line of a recipe without the signs that say whether it is shown.
func recipeLine(l string) string {
	marks := ""
	for l != "" && strings.IndexByte("@-+ \t", l[0]) >= 0 {
		if l[0] == '-' {
			marks = "-"
		}
		l = l[1:]
	}
	return marks + strings.Join(strings.Fields(l), " ")
}

func (m *makefile) assign(file, name, op, text string) {
	v := m.vars[name]
	if name == ".DEFAULT_GOAL" {
		m.goal = strings.TrimSpace(text)
	}
	if v == nil {
		v = &part{file: file, what: "the variable " + name, kind: variable}
		m.vars[name] = v
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	said := strings.Join(strings.Fields(text), " ")
	if op == "!=" {
		said = "!" + said
	}
	if when := m.when.String(); when != "" {
		m.whenSet[name] = append(m.whenSet[name], when+": "+said)
	}
	if last := len(v.lines) - 1; op == "+=" && last >= 0 && len(v.lines[last]) < longest && (last == 0 || len(v.lines[last-1]) < longest) {
		v.lines[last] = strings.TrimSpace(v.lines[last] + " " + said)
		said = ""
	}
	if said != "" || op != "+=" {
		v.lines = append(v.lines, said)
	}
	if !m.changed[v.file] {
		v.file = file
	}
}

// addRule takes in a rule's first line; it returns nil if the line is no rule.
func (m *makefile) addRule(file, l string) *makeRule {
	head, rest, ok := strings.Cut(l, ":")
	if !ok || strings.ContainsAny(head, "=") || strings.Contains(head, "$(if") {
		return nil // such as a condition
	}
	rest = strings.TrimPrefix(rest, ":")
	rest, inline, hasInline := strings.Cut(rest, ";")
	ofPattern := false // a variable for all targets that match
	if i := strings.Index(rest, "#"); i >= 0 {
		rest = rest[:i]
	}
	if a := makeAssign.FindStringSubmatch(strings.TrimSpace(rest)); a != nil { // for this target alone
		rest, inline, hasInline, ofPattern = "", strings.Join(strings.Fields(rest), " "), true, true
	}
	r := &makeRule{file: file, when: m.when.String(), targets: strings.Fields(m.expand(head)), needs: strings.Fields(strings.ReplaceAll(rest, "|", " "))}
	if hasInline && strings.TrimSpace(inline) != "" {
		r.recipe = []string{recipeLine(inline)}
	}
	if len(r.targets) > 0 && (slices.Contains(special, r.targets[0]) || ofPattern && strings.Contains(head, "%")) {
		m.settings.lines = append(m.settings.lines, strings.Join(strings.Fields(l), " "))
	}
	if m.goal == "" && len(r.targets) > 0 && !strings.HasPrefix(r.targets[0], ".") && !strings.Contains(r.targets[0], "%") {
		m.goal = r.targets[0]
	}
	m.index(r)
	return r
}

// index files a rule under what is asked for: one look-up for each target, of thousands.
func (m *makefile) index(r *makeRule) {
	pattern := false
	for _, t := range r.targets {
		if !slices.Contains(m.of[t][max(0, len(m.of[t])-1):], r) {
			m.of[t] = append(m.of[t], r)
		}
		pattern = pattern || strings.Contains(t, "%")
	}
	if pattern && len(m.patterns) < mostPatterns {
		m.patterns = append(m.patterns, r)
	}
	if slices.Equal(r.targets, []string{".PHONY"}) {
		for _, n := range strings.Fields(m.expand(strings.Join(r.needs, " "))) {
			m.phony[n] = true
		}
	}
}

// makeTarget notes a target and all that it needs, and follows what these run. A chain of them
// may be a hundred thousand long.
func (f *follower) makeTarget(m *makefile, goal, dir string, deep int) {
	if deep > deepest {
		return
	}
	for todo := []string{goal}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, ok := m.target(name)
		key := "make " + dir + " target " + name
		if !ok || f.parts[key] != nil {
			continue
		}
		f.note(key, p)
		for _, l := range p.lines {
			f.makeVariables(m, l, dir)
		}
		needs := strings.Fields(m.expand(p.lines[0]))
		f.made(m, name, dir, needs)
		slices.Reverse(needs)
		todo = append(todo, needs...)
		for _, l := range p.lines[1:] {
			l = strings.NewReplacer("$(MAKE)", "make", "${MAKE}", "make", "$@", name, "$$", "$", "$(CURDIR)/", "", "$(CURDIR)", ".").Replace(m.expand(l))
			f.line(strings.TrimPrefix(l, "-"), dir, deep+1)
		}
	}
}

// target returns the piece of a target: what it needs, in the first line, and what it runs.
func (m *makefile) target(name string) (p part, ok bool) {
	if name == ".PHONY" {
		return p, false
	}
	p = part{what: "the target " + name, kind: recipe}
	var needs []string
	if m.phony[name] {
		needs = []string{".PHONY"} // otherwise a file of this name is enough
	}
	for _, r := range m.rulesOf(name) {
		if !m.changed[p.file] && (p.file == "" || len(r.recipe) > 0 || m.changed[r.file]) {
			p.file = r.file
		}
		needs = append(needs, r.needs...)
		if r.when != "" {
			p.lines = append(p.lines, r.when)
		}
		p.lines = append(p.lines, r.recipe...)
	}
	p.lines = append([]string{strings.Join(needs, " ")}, p.lines...)
	return p, p.file != ""
}

// rulesOf returns the rules for a target: those that name it, else the pattern that matches.
func (m *makefile) rulesOf(name string) (out []*makeRule) {
	out = slices.Clone(m.of[name])
	if slices.ContainsFunc(out, func(r *makeRule) bool { return len(r.recipe) > 0 }) {
		return out
	}
	for _, r := range m.patterns {
		for _, t := range r.targets {
			before, after, ok := strings.Cut(t, "%")
			if ok && t != "%" && len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
				return append(out, r)
			}
		}
	}
	return out
}

// makeVariables notes the variables that a text uses, and those that these use.
func (f *follower) makeVariables(m *makefile, text, dir string) {
	for texts := []string{text}; len(texts) > 0; {
		last := len(texts) - 1
		uses := makeUses.FindAllStringSubmatch(texts[last], -1)
		texts = texts[:last]
		for _, u := range uses {
			if said := f.makeVariable(m, u[1]+u[2], dir); said != "" {
				texts = append(texts, said)
			}
		}
	}
}

// makeVariable notes a variable, and returns its value the first time.
func (f *follower) makeVariable(m *makefile, name, dir string) string {
	key := "make " + dir + " variable " + name
	if f.parts[key] != nil {
		return ""
	}
	v := m.vars[name]
	if v == nil {
		v = &part{file: m.file, what: "the variable " + name, kind: variable} // it may be added
	}
	noted := *v
	noted.lines = slices.Concat(v.lines, m.whenSet[name])
	f.note(key, noted)
	return strings.Join(v.lines, " ")
}
