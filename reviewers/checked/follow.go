package checked

import (
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// follow returns what a check runs or reads its settings from in a tree, each piece under a name
// that it has in both trees, and the paths that it asked the tree for: nothing else matters to it.
func follow(check string, changed []string, tree Tree) (parts map[string]*part, asked []string) {
	f := &follower{changed: changed, parts: map[string]*part{}, seen: map[string]bool{}, known: map[string]any{}}
	type file struct {
		text []byte
		ok   bool
	}
	read := func(p string) file {
		return once(f, "file "+p, func() file {
			asked = append(asked, p)
			text, ok := tree(p)
			return file{text, ok}
		})
	}
	f.tree = func(p string) ([]byte, bool) { r := read(p); return r.text, r.ok && r.text != nil }
	f.there = func(p string) bool { return read(p).ok }
	f.line, f.command = f.followLine, f.followCommand
	f.line(check, "", 0)
	return f.parts, asked
}

// followLine follows a command line that runs in a folder of the tree.
func (f *follower) followLine(text, dir string, deep int) {
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

// bare returns the words of a command without those that only start it.
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

// followCommand follows a simple command, by what its name says it reads.
func (f *follower) followCommand(words []string, dir string, deep int) {
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
