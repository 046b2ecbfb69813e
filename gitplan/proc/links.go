package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// link is a symbolic link: the real path of the folder that it lies in with its name,
// and what it holds. A folder that is hidden takes its links with it, and what they lead
// to could no longer be reached by the name that a person gave it.
type link struct{ path, to string }

// mostLinks is how many links are followed on the way to one path, as in Linux.
const mostLinks = 40

// follow is the real path of an absolute one, and the links on the way to it; not ok
// where nothing is there.
func follow(path string) (real string, on []link, ok bool) {
	if !filepath.IsAbs(path) {
		return "", nil, false
	}
	const root = string(filepath.Separator)
	rest := strings.Split(path, root)
	for real = root; len(rest) > 0; {
		at := filepath.Join(real, rest[0]) // what is real has no links, so .. is the folder above
		rest = rest[1:]
		to, err := os.Readlink(at)
		switch {
		case errors.Is(err, syscall.EINVAL): // no link
			real = at
			continue
		case err != nil, len(on) == mostLinks:
			return "", nil, false
		case filepath.IsAbs(to):
			real = root
		}
		on = append(on, link{at, to})
		rest = append(strings.Split(to, root), rest...)
	}
	return real, on, true
}
