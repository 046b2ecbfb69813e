//go:build linux

package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What bwrap is given for the places of a Confine: a folder before what lies in it, the
// links and mounts when all folders are there, and read-only what is empty at the very end.
func TestBwrapArguments(t *testing.T) {
	for name, c := range map[string]Confine{
		"home": {Writable: []string{"/tmp", "/disk/me/src/tree", "/disk/me/.cargo/registry"}, ReadOnly: []string{"/disk/me/src/tree/.git", "/disk/me/main/.git"},
			Hidden: []string{"/home", "/disk/me", "/disk/me/.ssh", "/disk/me/.cargo/credentials.toml"}, Readable: []string{"/disk/me/.cargo", "/disk/me/.cargo/bin", "/disk/me/dot/gitconfig", "/opt/tool"},
			Mounts: []Mount{{From: "/disk/me/main/.git/plan/x", To: "/disk/me/src/tree/.git", Writable: true}},
			links:  []link{{"/home/me", "/disk/me"}, {"/disk/me/.gitconfig", "dot/gitconfig"}, {"/disk/me/.cargo/link", "bin"}, {"/var/run", "/run"}}},
		"tree":   {Writable: []string{"/tmp", "/home/me/tree", "/dev/kvm"}, ReadOnly: []string{"/home/me/tree/.git"}, Hidden: []string{"/home/me/tree/keys", "/home/me/.netrc"}},
		"within": {Writable: []string{"/home/me"}, Hidden: []string{"/home/me/.ssh", "/opt"}}, // the home is the tree
		"private": {Writable: []string{"/tmp", "/tmp/git-plan/session", "/home/me/tree"}, Hidden: []string{"/tmp/git-plan"}, Readable: []string{"/tmp/tools", "/opt/tool"},
			Private: []Mount{{From: "/tmp/git-plan/private/0", To: "/tmp", Writable: true}}},
	} {
		golden(t, "bwrap/"+name, binds(c, func(path string) bool { return !strings.HasSuffix(path, "rc") && !strings.HasSuffix(path, ".toml") }))
	}
}

// A link that a program could have put there grants nothing: neither what it leads to
// is read nor written for its sake.
func TestNoLinkOfAProgramIsFollowed(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		in := func(p string) string { return filepath.Join(dir, p) }
		rules.Hidden = []string{in("home")}
		rules.Writable = []string{in("tree"), in("tree/cache")}
		rules.ReadOnly = []string{in("tree/.git"), in("tree/settings")}
		rules.Readable = []string{in("tree/tools")}
		for _, name := range []string{"cache", "settings", "tools"} {
			if err := os.Symlink("../home/.ssh", in("tree/"+name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"cat cache/id", "cat settings/id", "cat tools/id", "echo mine >cache/id", "cat ../home/.ssh/id"} {
			if may, said := confined(t, dir, rules, line); may || strings.Contains(said, "SECRET") {
				t.Errorf("%s: %q may: %s", k, line, said)
			}
		}
		rules.Readable = append(rules.Readable, in("home/keys")) // a link of the person's
		if may, said := confined(t, dir, rules, "cat ../home/.ssh/id && cat ../home/keys/id && ! cat ../home/.netrc"); !may {
			t.Errorf("%s: what is named cannot be read: %s", k, said)
		}
	}
}
