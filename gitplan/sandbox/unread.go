package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// mostUnread is the number of paths that Unread names at most.
const mostUnread = 3

// Unread returns the paths in homes and temporary folders that the sandbox hides from a program,
// and that its output names as missing or refused. As the output may be a session's words, a
// known secret is never named.
func Unread(c *confine.Bounds, output string) (out []string) {
	home, err := settings.HomeFolder()
	if c == nil || err != nil {
		return nil
	}
	known := secrets(home)
	for line := range strings.Lines(output) {
		if !strings.Contains(line, "No such file") && !strings.Contains(line, "no such file") && !strings.Contains(strings.ToLower(line), "permission denied") && !strings.Contains(line, "ENOENT") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`:;,()[]", r) }) {
			path := filepath.Clean(word)
			secret := func(s string) bool { return disk.Within(disk.Real(s), disk.Real(path)) }
			hidden := homeOf(home, path) != "" || slices.ContainsFunc(c.Private, func(m confine.Mount) bool { return disk.Within(m.To, path) })
			if len(out) < mostUnread && hidden && !slices.Contains(out, path) && c.Hides(path) && !slices.ContainsFunc(known, secret) {
				out = append(out, path)
			}
		}
	}
	return out
}
