package checked

import (
	"slices"
	"strings"
)

// deepest is how many commands are followed that run each other.
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

	// A function that reads one kind of file passes whole lines and commands back to these, and
	// so knows nothing of the other kinds: follow.go.
	line    func(text, dir string, deep int)
	command func(words []string, dir string, deep int)
}

// once returns what read makes; it is read when it is first asked for.
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

// operands returns the words behind options; options in valued take the next word as well. -m,
// which names a module, stays.
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

// value returns the value of an option, given as "-C dir", "-Cdir" or "--directory=dir".
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
