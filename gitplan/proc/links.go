package proc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// link is a symbolic link: the real path of the folder that it lies in with its name,
// and what it holds. A folder that is hidden takes its links with it, and what they lead
// to could no longer be reached by the name that a person gave it.
type link struct{ path, to string }

// mostLinks is how many links are followed on the way to one path, as in Linux.
const mostLinks = 40

// Links follows links, and remembers what it saw of each folder: it is for looking at
// many paths at one moment, and is thrown away afterwards. The zero value is ready.
type Links struct{ seen map[string]followed }

// followed is the real path of another one, and the links on the way to it; not ok where
// nothing is there.
type followed struct {
	real string
	on   []link
	ok   bool
}

// follow returns where an absolute path leads.
func (l *Links) follow(path string) followed {
	const root = string(filepath.Separator)
	if !filepath.IsAbs(path) {
		return followed{}
	}
	if f, ok := l.seen[path]; ok {
		return f
	}
	if l.seen == nil {
		l.seen = map[string]followed{}
	}
	l.seen[path] = followed{} // what leads to itself leads nowhere
	f := followed{real: root, ok: true}
	if i := strings.LastIndex(path, root); strings.Trim(path, root) != "" {
		if f = l.follow(path[:max(i, 1)]); f.ok {
			f = l.step(f, path[i+1:])
		}
	}
	l.seen[path] = f
	return f
}

// step returns where a name in a real folder leads. What is real has no links, so that .. is
// the folder above.
func (l *Links) step(in followed, name string) followed {
	at := filepath.Join(in.real, name)
	to, err := os.Readlink(at)
	whole := to
	switch {
	case errors.Is(err, syscall.EINVAL): // no link
		return followed{at, in.on, true}
	case err != nil || len(in.on) >= mostLinks:
		return followed{}
	case !filepath.IsAbs(to):
		whole = in.real + string(filepath.Separator) + to
	}
	f := l.follow(whole)
	if len(in.on)+len(f.on) >= mostLinks {
		return followed{}
	}
	f.on = slices.Concat(in.on, []link{{at, to}}, f.on)
	return f
}

// Real returns a path with its links followed, or as it is if nothing is there.
func (l *Links) Real(path string) string {
	if f := l.follow(path); f.ok {
		return f.real
	}
	return filepath.Clean(path)
}

// RealPath is Real of one path.
func RealPath(path string) string { return new(Links).Real(path) }

// There reports whether something is at a path.
func (l *Links) There(path string) bool { return l.follow(path).ok }

// Steered reports whether a path, or a link on the way to it, lies in one of the
// folders, which are real: who writes there chooses what it leads to.
func (l *Links) Steered(path string, folders []string) bool {
	f := l.follow(path)
	return f.ok && (misled(f.on, folders) || slices.ContainsFunc(folders, func(in string) bool { return Within(in, f.real) }))
}

// misled reports that somebody who writes in these folders chose where a way leads.
func misled(on []link, writable []string) bool {
	return slices.ContainsFunc(on, func(l link) bool {
		return slices.ContainsFunc(writable, func(w string) bool { return Within(w, l.path) })
	})
}

// existing returns the real paths of those that are there.
func (l *Links) existing(paths []string) (out []string) {
	for _, p := range paths {
		if f := l.follow(p); f.ok {
			out = append(out, f.real)
		}
	}
	slices.Sort(out) // what lies below another path comes behind it
	return slices.Compact(out)
}
