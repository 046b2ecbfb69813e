package proc

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// bwrap returns the command line that runs a program in bubblewrap, with the network shared.
func (b Confinement) bwrap(bwrap, program string, args []string) []string {
	line := []string{bwrap, "--die-with-parent", "--json-status-fd", "3", "--seccomp", "4", // see startSupervised
		"--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if os.Geteuid() == 0 {
		line = append(line, "--cap-drop", "ALL")
		for capability := range rootCapabilities {
			line = append(line, "--cap-add", capability)
		}
	}
	for _, p := range kernelFiles() {
		line = append(line, "--ro-bind", p, p)
	}
	line = append(line, bindArgs(b.resolve(), isDir)...)
	for _, p := range new(disk.Links).Existing(kernelSecrets) {
		line = hideArgs(line, p, isDir(p))
		if isDir(p) {
			line = append(line, "--remount-ro", p)
		}
	}
	return append(append(line, "--", program), args...)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// bindArgs returns the arguments of bwrap for a resolved Confinement. A later mount covers an earlier one, so an
// empty folder becomes read-only last, after everything visible in it has its place there.
func bindArgs(b Confinement, isDir func(string) bool) (args []string) {
	rules := fixed(b.rules())
	var sealed []string
	for _, p := range rules {
		switch {
		case p.may == mayReadAndWrite && strings.HasPrefix(p.path, "/dev/"): // a device that was named
			args = append(args, "--dev-bind", p.path, p.path)
		case p.may == mayReadAndWrite:
			args = append(args, "--bind", cmp.Or(p.from, p.path), p.path)
		case p.may == mayOnlyRead:
			args = append(args, "--ro-bind", p.path, p.path)
		default:
			args = hideArgs(args, p.path, isDir(p.path))
			if isDir(p.path) {
				sealed = append(sealed, p.path)
			}
		}
	}
	for _, l := range b.links {
		if at, ok := deepest(rules, l.Path); ok && at.may == noAccess && at.path != l.Path {
			args = append(args, "--symlink", l.To, l.Path)
		}
	}
	for _, m := range b.Mounts {
		bind := "--ro-bind"
		if m.Writable {
			bind = "--bind"
		}
		args = append(args, bind, m.From, m.To)
	}
	for _, p := range sealed {
		args = append(args, "--remount-ro", p)
	}
	return args
}

// fixed adds a rule for each folder between a rule's path and the writable folder around it: it becomes a mount, too,
// which cannot be moved away, with another put in its place.
func fixed(rules []pathRule) []pathRule {
	all := slices.Clone(rules)
	for _, p := range rules {
		for dir := filepath.Dir(p.path); ; dir = filepath.Dir(dir) {
			at, ok := deepest(rules, dir)
			if !ok || at.may != mayReadAndWrite || at.from != "" || at.path == dir {
				break
			}
			all = append(all, pathRule{dir, mayReadAndWrite, ""})
		}
	}
	return sortedRules(all)
}

// hideArgs covers a path with an empty folder, or with a device of another mount, which cannot be opened.
func hideArgs(args []string, path string, dir bool) []string {
	if dir {
		return append(args, "--tmpfs", path)
	}
	return append(args, "--ro-bind", "/dev/null", path)
}
