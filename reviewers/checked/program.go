package checked

import (
	"path"
	"slices"
	"strings"
)

// shellCall is what a shell is called to run: a command line, or files.
type shellCall struct {
	line   string
	inline bool
	stdin  bool
	files  []string
}

// shellOf reads the arguments of a shell as a shell does: -c may be among other letters, -o and
// -O take the next word, and -c runs the first word that is not an option.
func shellOf(args []string) (c shellCall) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--rcfile" || a == "--init-file":
			if i++; i < len(args) {
				c.files = append(c.files, args[i])
			}
		case strings.HasPrefix(a, "--") && a != "--":
		case a != "-" && a != "--" && strings.IndexAny(a, "-+") == 0:
			c.inline = c.inline || a[0] == '-' && strings.Contains(a, "c")
			c.stdin = c.stdin || a[0] == '-' && strings.Contains(a, "s")
			i += strings.Count(strings.ToLower(a), "o")
		case a == "-" || a == "--":
		case c.inline:
			c.line = a
			return c
		case c.stdin:
			return c
		default:
			c.files = append(c.files, a)
			return c
		}
	}
	return c
}

// readsProgram reports whether a command runs what it reads or what another command
// writes, rather than a file that it names.
func readsProgram(words []string) bool {
	computed := func(w string) bool { return strings.Contains(w, "$()") }
	name, args := path.Base(words[0]), words[1:]
	first := func(args []string) bool {
		return len(args) == 0 || args[0] == "-" || args[0] == "/dev/stdin" || computed(args[0])
	}
	switch {
	case computed(words[0]):
		return true
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, name):
		c := shellOf(args)
		return c.inline && computed(c.line) || !c.inline && first(c.files)
	case name == "." || name == "source" || name == "eval":
		return first(args) || slices.ContainsFunc(args, computed)
	case slices.Contains([]string{"python", "python3", "node", "ruby", "perl", "php"}, name):
		return first(operands(args))
	}
	return false
}

// feeding returns the words of what a command reads: the files that it is given, the commands
// whose output it reads, and those whose output is part of its line.
func feeding(all []simple, i int) (out []string) {
	out = append(out, all[i].in...)
	take := func(c simple) { out = append(append(out, c.words...), c.in...) }
	for j := i - 1; j >= 0 && all[j].inner; j-- {
		take(all[j])
	}
	for j := i; j > 0 && all[j].piped; j-- {
		take(all[j-1])
	}
	return out
}

// linked returns the file that a path with links of the tree leads to, and these links. The text
// of a link is the path that it leads to.
func (f *follower) linked(file string) (real string, links []string) {
	for real = file; len(links) < deepest; {
		at, rest := real, ""
		text, ok := f.tree(at)
		for !ok && strings.Contains(at, "/") && at != "/" {
			at = path.Dir(at)
			rest = strings.TrimPrefix(real, at+"/")
			text, ok = f.tree(at)
		}
		to := path.Join(path.Dir(at), string(text), rest)
		if !ok || len(text) == 0 || len(text) > 1<<10 || strings.ContainsAny(string(text), " \n\x00") {
			break
		}
		if _, there := f.tree(to); rest == "" && !there || to == real {
			break
		}
		links, real = append(links, at), to
	}
	return real, links
}

// searched adds the folders of the tree in which a command is looked for first.
func (f *follower) searched(words []string, dir string) {
	for _, w := range words {
		value, ok := strings.CutPrefix(w, "PATH=")
		if !ok {
			continue
		}
		for _, d := range strings.Split(value, ":") {
			d = strings.NewReplacer("$PWD", ".", "${PWD}", ".", "$()", ".", "$(CURDIR)", ".", "${CURDIR}", ".").Replace(d)
			if d = path.Join(dir, d); !path.IsAbs(d) && !strings.ContainsAny(d, "$~") && !strings.HasPrefix(d, "..") && !slices.Contains(f.paths, d) && len(f.paths) < deepest {
				f.paths = append(f.paths, d)
			}
		}
	}
}

// ordinary are programs that every system has, or that run checks: one in the tree with the same
// name would replace them.
var ordinary = strings.Fields("make gmake sh bash dash zsh npm npx yarn pnpm bun node deno python python3 ruby perl php java composer just task rake grep egrep fgrep rg sed awk cat test [ true false diff cmp find git ls head tail wc sort uniq cut tr xargs env cp mv rm mkdir touch printf echo timeout curl jq gcc cc clang")

// onPath notes a program if PATH leads into the tree.
func (f *follower) onPath(name string) {
	if strings.Contains(name, "/") {
		return
	}
	for _, d := range f.paths {
		file := path.Join(d, name)
		if !slices.Contains(f.changed, file) || f.parts["path "+file] != nil {
			continue
		}
		p := part{file: file, what: "the program " + name, kind: script, checks: ForChecks(name) || slices.Contains(ordinary, name) || sources[name] != nil}
		if text, ok := f.tree(file); ok {
			p.lines = append([]string{"it is there"}, scriptLines(string(text), Shell(file, text))...)
		}
		f.note("path "+file, p)
	}
}
