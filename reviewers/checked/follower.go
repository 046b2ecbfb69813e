package checked

import (
	"slices"
	"strings"
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

	// What reads one kind of file comes back to whole lines and commands by these, and so knows
	// nothing of the others: follow.go.
	line    func(text, dir string, deep int)
	command func(words []string, dir string, deep int)
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

// note keeps a piece under a name that it has in both trees.
func (f *follower) note(key string, p part) { f.parts[key] = &p }

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
