package checked

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// deepest is how far commands are followed that run commands.
const deepest = 8

// follower goes through one tree along one check.
type follower struct {
	tree    Tree              // files only
	there   func(string) bool // a file or a folder
	changed []string
	parts   map[string]*part
	seen    map[string]bool // commands by the folder that they run in
	paths   []string        // folders of the tree that PATH names
	known   map[string]any  // what was read, by file: thousands of commands may name one
}

// once is what read makes, the first time that it is asked for.
func once[T any](f *follower, key string, read func() T) T {
	if v, ok := f.known[key]; ok {
		return v.(T)
	}
	v := read()
	f.known[key] = v
	return v
}

func follow(check string, changed []string, tree Tree) map[string]*part {
	f := &follower{changed: changed, parts: map[string]*part{}, seen: map[string]bool{}, known: map[string]any{}}
	type file struct {
		text []byte
		ok   bool
	}
	read := func(p string) file {
		return once(f, "file "+p, func() file { text, ok := tree(p); return file{text, ok} })
	}
	f.tree = func(p string) ([]byte, bool) { r := read(p); return r.text, r.ok && r.text != nil }
	f.there = func(p string) bool { return read(p).ok }
	f.line(check, "", 0)
	return f.parts
}

// note keeps a piece under a name that it has in both trees.
func (f *follower) note(key string, p part) { f.parts[key] = &p }

// line follows a command line that runs in a folder of the tree.
func (f *follower) line(text, dir string, deep int) {
	if deep > deepest || f.seen[dir+"\x00"+text] {
		return
	}
	f.seen[dir+"\x00"+text] = true
	var outer []string // folders to come back to
	all := commands(text)
	for i, c := range all {
		for range c.open {
			outer = append(outer, dir)
		}
		f.searched(c.words, dir)
		f.module(c.words, dir, deep)
		words := bare(c.words)
		if len(words) > 0 && readsProgram(words) {
			for _, w := range feeding(all, i) {
				f.script(w, dir, deep, true)
			}
		}
		if len(words) > 1 && words[0] == "cd" {
			dir = path.Join(dir, words[1])
		} else if len(words) > 0 {
			f.command(words, dir, deep)
		}
		for range c.close {
			if len(outer) > 0 {
				dir, outer = outer[len(outer)-1], outer[:len(outer)-1]
			}
		}
	}
}

var assignment = pattern.Of(`^[A-Za-z_]\w*\+?=`)

// bare are the words of a command without what only starts it.
func bare(words []string) []string {
	for len(words) > 0 {
		w := path.Base(words[0])
		switch {
		case assignment.MatchString(words[0]), slices.Contains([]string{"!", "{", "if", "then", "else", "elif", "while", "until", "do", "exec", "command", "time", "nohup", "sudo", "builtin"}, words[0]):
			words = operands(words[1:], "-u", "-g", "-a", "-f", "-o")
		case w == "env" || w == "nice" || w == "xvfb-run" || w == "npx" || w == "bunx" || w == "stdbuf" || w == "setsid" || w == "doas":
			words = operands(words[1:], "-u", "-n", "-C", "--unset", "-p", "--package")
		case w == "timeout":
			if words = operands(words[1:], "-k", "-s", "--signal", "--kill-after"); len(words) > 0 {
				words = words[1:]
			}
		case len(words) > 2 && slices.Contains([]string{"uv run", "poetry run", "pipenv run", "hatch run", "rye run", "pdm run", "bundle exec", "pnpm exec", "pnpm dlx", "yarn exec", "npm exec", "coverage run", "bun x", "mise exec", "nix-shell --run"}, w+" "+words[1]):
			words = operands(words[2:], "--with", "--python", "-p", "--package", "--source", "--rcfile", "--group", "--extra")
			if len(words) > 1 && words[0] == "-m" {
				words = words[1:]
			}
		default:
			module := ofModule(words)
			if module == nil {
				return words
			}
			words = module
		}
	}
	return words
}

// operands are words behind options; those of valued take the next word as well. -m,
// which names a module, is left.
func operands(words []string, valued ...string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-m" {
		if slices.Contains(valued, words[0]) && len(words) > 1 {
			words = words[1:]
		}
		if words[0] == "--" {
			return words[1:]
		}
		words = words[1:]
	}
	return words
}

// value is what an option is given, as "-C dir", "-Cdir" or "--directory=dir".
func value(words []string, names ...string) string {
	for i, w := range words {
		for _, n := range names {
			switch {
			case w == n && i+1 < len(words):
				return words[i+1]
			case strings.HasPrefix(n, "--") && strings.HasPrefix(w, n+"="):
				return w[len(n)+1:]
			case len(n) == 2 && strings.HasPrefix(w, n) && len(w) > 2 && !strings.HasPrefix(w, "--"):
				return w[2:]
			}
		}
	}
	return ""
}

func (f *follower) command(words []string, dir string, deep int) {
	name, args := path.Base(words[0]), words[1:]
	f.onPath(words[0])
	switch strings.TrimSuffix(name, ".exe") {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		c := shellOf(args)
		f.line(c.line, dir, deep+1)
		for _, file := range c.files {
			f.script(file, dir, deep, true)
		}
	case "eval":
		f.line(strings.Join(args, " "), dir, deep+1)
	case ".", "source":
		if len(args) > 0 {
			f.script(args[0], dir, deep, true)
		}
	case "make", "gmake", "bmake":
		f.make(args, dir, deep)
	case "npm", "yarn", "pnpm", "bun":
		f.npm(name, args, dir, deep)
	case "node", "ruby", "perl", "php", "tsx", "ts-node", "Rscript", "lua", "python", "python3", "python2", "deno":
		rest := operands(args)
		if name == "deno" && len(rest) > 1 {
			rest = operands(rest[1:])
		}
		if len(rest) > 0 {
			f.script(rest[0], dir, deep, false)
			f.ends()
			if strings.HasPrefix(name, "python") {
				f.shadows(path.Join(dir, path.Dir(rest[0])))
			}
		}
	case "composer", "just", "task", "go-task", "rake":
		f.task(name, args, dir, deep)
	default:
		if !f.configured(name, args, dir) || strings.HasPrefix(words[0], "./") || strings.HasPrefix(name, "gradlew") || strings.HasPrefix(name, "mvnw") {
			f.script(words[0], dir, deep, false)
		}
	}
}
