package proc

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// bwrap's arguments for the paths of a Confinement: a folder before its contents, links and mounts after all
// folders, and empty read-only mounts at the very end.
func TestBwrapArguments(t *testing.T) {
	for name, c := range map[string]Confinement{
		"home": {Writable: []string{"/tmp", "/disk/me/src/tree", "/disk/me/.cargo/registry"}, ReadOnly: []string{"/disk/me/src/tree/.git", "/disk/me/main/.git"},
			Hidden: []string{"/home", "/disk/me", "/disk/me/.ssh", "/disk/me/.cargo/credentials.toml"}, Readable: []string{"/disk/me/.cargo", "/disk/me/.cargo/bin", "/disk/me/dot/gitconfig", "/opt/tool"},
			Mounts: []Mount{{From: "/disk/me/main/.git/plan/x", To: "/disk/me/src/tree/.git", Writable: true}},
			links:  []disk.Link{{Path: "/home/me", To: "/disk/me"}, {Path: "/disk/me/.gitconfig", To: "dot/gitconfig"}, {Path: "/disk/me/.cargo/link", To: "bin"}, {Path: "/var/run", To: "/run"}}},
		"tree":    {Writable: []string{"/tmp", "/home/me/tree", "/dev/kvm"}, ReadOnly: []string{"/home/me/tree/.git"}, Hidden: []string{"/home/me/tree/keys", "/home/me/.netrc"}},
		"within":  {Writable: []string{"/home/me"}, Hidden: []string{"/home/me/.ssh", "/opt"}},                                                                           // the home is the tree
		"between": {Writable: []string{"/tmp", "/mod", "/tmp/ci/me/tree"}, ReadOnly: []string{"/mod/cache/vcs", "/tmp/ci/state/plan"}, Hidden: []string{"/tmp/ci/keys"}}, // no parent folder can be moved
		"private": {Writable: []string{"/tmp", "/tmp/git-plan/session", "/home/me/tree"}, Hidden: []string{"/tmp/git-plan"}, Readable: []string{"/tmp/tools", "/opt/tool"},
			Private: []Mount{{From: "/tmp/git-plan/private/0", To: "/tmp", Writable: true}}},
	} {
		golden(t, "bwrap/"+name, bindArgs(c, func(path string) bool { return !strings.HasSuffix(path, "rc") && !strings.HasSuffix(path, ".toml") }))
	}
}

// The command line is bwrap's path, its arguments, and after -- the program with its own: no argument of the
// program is one of bwrap's.
func TestBwrapCommandLine(t *testing.T) {
	dir := boundsTree(t)
	b := Confinement{Writable: below(dir, "tree"), Hidden: below(dir, "home", "outside")}
	line := b.bwrap("/usr/bin/bwrap", "/bin/echo", []string{"--bind", "/", "/"})
	end := slices.Index(line, "--")
	if line[0] != "/usr/bin/bwrap" || end < 0 || !slices.Equal(line[end:], []string{"--", "/bin/echo", "--bind", "/", "/"}) {
		t.Fatalf("%q", line)
	}
	args := strings.Join(line[1:end], " ")
	for _, want := range []string{"--unshare-pid", "--unshare-ipc", "--ro-bind / /", "--bind " + dir + "/tree " + dir + "/tree", "--tmpfs " + dir + "/home", "--ro-bind /dev/null " + dir + "/outside", "--remount-ro " + dir + "/home"} {
		if !strings.Contains(args+" ", want+" ") {
			t.Errorf("no %s in %s", want, args)
		}
	}
	if strings.Contains(args, "--unshare-net") || os.Geteuid() == 0 && !strings.Contains(args, "--cap-drop ALL") {
		t.Errorf("the network is shared, and root has only some capabilities: %s", args)
	}
	for _, kind := range SandboxKinds() {
		if kind == Unconfined || kind == "" {
			t.Errorf("%q confines nothing", kind)
		}
	}
}
