package proc

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// SandboxExec is the program that applies a profile of Seatbelt; another of its name on PATH would confine nothing.
const SandboxExec = "/usr/bin/sandbox-exec"

// seatbeltBase begins each profile. It refuses what it does not name: other programs' memory and environments, signals
// to others, hard links and clones of files (a second name, for which no rule holds), and services that could start a
// program outside of the sandbox. The named services resolve users and hosts, read preferences, check certificates,
// watch files, draw letters and log.
//
//go:embed seatbelt.sb
var seatbeltBase string

// seatbelt returns the command line, up to the program, that runs one in the sandbox of macOS within a resolved
// Confinement. Paths are parameters of the profile, so that nothing in them is read as a rule. The last rule that
// matches wins. Rules are about names, so no folder above a protected path can be renamed or removed.
func seatbelt(b Confinement) []string {
	rules := b.rules()
	args, profile := []string{SandboxExec}, strings.Builder{}
	profile.WriteString(seatbeltBase)
	param := func(path string) string {
		name := fmt.Sprintf("P%d", (len(args)-1)/2)
		args = append(args, "-D", name+"="+path)
		return `(param "` + name + `")`
	}
	for _, p := range rules {
		at := "(subpath " + param(p.path) + ")"
		sockets := "network-outbound (remote unix-socket " + at + "))\n"
		switch p.may {
		case mayReadAndWrite:
			profile.WriteString("(allow file-read* file-map-executable file-write* file-ioctl " + at + ")\n(allow " + sockets)
		case mayOnlyRead:
			profile.WriteString("(deny file-write* file-ioctl " + at + ")\n(allow file-read* file-map-executable " +
				at + ")\n(allow " + sockets)
		case noAccess: // its metadata stays readable, as paths through it require
			profile.WriteString("(deny file* " + at + ")\n(allow file-read-metadata " + at + ")\n(deny " + sockets)
		}
	}
	for _, dir := range immovable(rules) {
		profile.WriteString("(deny file-write-unlink (require-all (vnode-type DIRECTORY) (literal " + param(dir) + ")))\n")
	}
	return append(args, "-p", profile.String(), "--")
}

// immovable returns the writable folders and those in them that lie above other rules.
func immovable(rules []pathRule) (out []string) {
	for _, p := range rules {
		if p.may == mayReadAndWrite {
			out = append(out, p.path)
		}
		for dir := filepath.Dir(p.path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if mayAt(rules, dir) == mayReadAndWrite {
				out = append(out, dir)
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}
