package confine

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// What bwrap is given for the places of Bounds: a folder before what lies in it, the
// links and mounts when all folders are there, and read-only what is empty at the very end.
func TestBwrapArguments(t *testing.T) {
	for name, c := range map[string]Bounds{
		"home": {Writable: []string{"/tmp", "/disk/me/src/tree", "/disk/me/.cargo/registry"}, ReadOnly: []string{"/disk/me/src/tree/.git", "/disk/me/main/.git"},
			Hidden: []string{"/home", "/disk/me", "/disk/me/.ssh", "/disk/me/.cargo/credentials.toml"}, Readable: []string{"/disk/me/.cargo", "/disk/me/.cargo/bin", "/disk/me/dot/gitconfig", "/opt/tool"},
			Mounts: []Mount{{From: "/disk/me/main/.git/plan/x", To: "/disk/me/src/tree/.git", Writable: true}},
			links:  []disk.Link{{Path: "/home/me", To: "/disk/me"}, {Path: "/disk/me/.gitconfig", To: "dot/gitconfig"}, {Path: "/disk/me/.cargo/link", To: "bin"}, {Path: "/var/run", To: "/run"}}},
		"tree":   {Writable: []string{"/tmp", "/home/me/tree", "/dev/kvm"}, ReadOnly: []string{"/home/me/tree/.git"}, Hidden: []string{"/home/me/tree/keys", "/home/me/.netrc"}},
		"within": {Writable: []string{"/home/me"}, Hidden: []string{"/home/me/.ssh", "/opt"}}, // the home is the tree
		"private": {Writable: []string{"/tmp", "/tmp/git-plan/session", "/home/me/tree"}, Hidden: []string{"/tmp/git-plan"}, Readable: []string{"/tmp/tools", "/opt/tool"},
			Private: []Mount{{From: "/tmp/git-plan/private/0", To: "/tmp", Writable: true}}},
	} {
		golden(t, "bwrap/"+name, binds(c, func(path string) bool { return !strings.HasSuffix(path, "rc") && !strings.HasSuffix(path, ".toml") }))
	}
}
