package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
	"github.com/google/go-cmp/cmp"
)

// apartFromTemp is the sandbox of a repository whose work tree and home are not in a temporary folder.
func apartFromTemp(t *testing.T) *Sandbox {
	t.Helper()
	if err := proc.Works(t.Context(), proc.Bwrap); err != nil {
		t.Skipf("bwrap does not work here: %v", err)
	}
	dir := layout(t, "me/note=x")
	t.Setenv("HOME", filepath.Join(dir, "me"))
	repository.Git(t, "", "init", "-q", filepath.Join(dir, "tree"))
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(filepath.Join(dir, "tree"))
	return open(t)
}

// inBwrap runs a line like the sessions in dir, and reports whether it succeeded.
func inBwrap(t *testing.T, c *Sandbox, dir, line string, allow ...string) (bool, string) {
	t.Helper()
	bounds, err := c.Confine(proc.Bwrap, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	name, args := proc.Shell(line)
	said := &proc.Tail{}
	exit, err := proc.Run(t.Context(), proc.Cmd{Name: name, Args: args, Dir: dir, Group: true, Confine: bounds.Allow(allow...), Stdout: said, Stderr: said})
	if err != nil {
		t.Fatal(err)
	}
	return exit.OK(), said.String()
}

// A session in bwrap sees and writes its own folder, and no other session's.
func TestSessionsDoNotSeeEachOthersFolders(t *testing.T) {
	for _, c := range []*Sandbox{apartFromTemp(t), sandboxWith(t, "")} { // the other one in a temporary folder, which is shared then
		t.Setenv("TMPDIR", t.TempDir())
		var dirs []string
		for range 2 {
			dir, remove, err := disk.TempFolder("session")
			if err != nil {
				t.Fatal(err)
			}
			defer remove()
			if err := os.WriteFile(filepath.Join(dir, "secret"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		t.Setenv("OWN", dirs[0])
		t.Setenv("OTHER", dirs[1])
		if ok, said := inBwrap(t, c, c.repo.Top, `test -e "$OWN/secret" && echo x >"$OWN/left" && echo y >"$TMPDIR/found" &&
			! test -e "$OTHER" && ! ls "$(dirname "$OTHER")" | grep -q lock && ! mv "$(dirname "$OTHER")" "$TMPDIR/away" && ! mkdir "$OTHER"`, dirs[0]); !ok {
			t.Error(said)
		}
		for _, path := range []string{filepath.Join(dirs[0], "left"), filepath.Join(dirs[1], "secret")} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
	}
}

// In bwrap the temporary folders are private: other users' files there are invisible, even later ones, and
// the next command in the same folder finds the files of the last one; they are removed with the checkout.
func TestTemporaryFoldersArePrivate(t *testing.T) {
	c := apartFromTemp(t)
	theirs, err := os.MkdirTemp("/tmp", "git-plan-theirs-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(theirs) })
	t.Setenv("THEIRS", theirs)
	other := filepath.Join(filepath.Dir(c.repo.Top), "other")
	bin := filepath.Join(os.Getenv("TMPDIR"), "tools", "bin")
	for path, text := range map[string]string{filepath.Join(bin, "tool"): "#!/bin/sh\necho tool\n", filepath.Join(other, "x"): ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, line := range []string{
		`! test -e "$THEIRS" && echo one >/tmp/left && echo two >"$TMPDIR/left" && f=$(mktemp) && mkdir -p "$THEIRS" && echo mine >"$THEIRS/mine"`,
		`grep one /tmp/left && grep two "$TMPDIR/left" && tool`, // a program that a person keeps there is found
		`! echo x >"` + bin + `/tool" && ! rm "` + bin + `/tool"`,
	} {
		if ok, said := inBwrap(t, c, c.repo.Top, line); !ok {
			t.Errorf("%s: %s", line, said)
		}
	}
	if ok, said := inBwrap(t, c, other, `! test -e /tmp/left && ! test -e "$TMPDIR/left"`); !ok {
		t.Errorf("who works elsewhere finds it: %s", said)
	}
	for _, path := range []string{"/tmp/left", filepath.Join(os.Getenv("TMPDIR"), "left"), filepath.Join(theirs, "mine")} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was written outside", path)
		}
	}
	c.Close()
	for _, dir := range disk.Temps(os.TempDir()) {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left: %v", left, err)
		}
	}
}

// A path that should be shared all the same is configured.
func TestTemporaryFolderCanBeShared(t *testing.T) {
	c := apartFromTemp(t)
	shared := filepath.Join(os.TempDir(), "shared")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SHARED", shared)
	for named, can := range map[string]bool{shared: true, os.TempDir(): true, "/opt": false} {
		repository.Git(t, c.repo.Top, "config", "plan.sandboxWritable", named)
		again := open(t)
		if ok, said := inBwrap(t, again, again.repo.Top, `echo x >"$SHARED/x"`); ok != can {
			t.Errorf("with %s named it can be written: %v: %s", named, ok, said)
		}
	}
}

// Every socket in the file system is closed in bwrap: editors, terminals and agents do what they are sent.
// Sockets that resolve hosts and users are not closed, and neither are configured ones.
func TestSocketsAnywhereAreClosed(t *testing.T) {
	c := apartFromTemp(t)
	beside, tmp := filepath.Join(filepath.Dir(c.repo.Top), "a b"), t.TempDir()
	paths := []string{filepath.Join(beside, "editor.sock"), filepath.Join(tmp, "agent.1"), filepath.Join(c.repo.Top, "own"), filepath.Join(beside, "named")}
	for _, dir := range []string{run, "/tmp"} {
		dir, err := os.MkdirTemp(dir, "git-plan-terminal-")
		if err != nil { // not root
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		paths = append(paths, filepath.Join(dir, "1.tty"))
	}
	if err := os.MkdirAll(beside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		listener, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
	}
	repository.Git(t, c.repo.Top, "config", "plan.sandboxWritable", paths[3])
	c = open(t)
	for _, path := range paths {
		open := path == paths[2] || path == paths[3]
		if ok, said := inBwrap(t, c, c.repo.Top, `test -S '`+path+`'`); ok != open {
			t.Errorf("%s is open: %v: %s", path, ok, said)
		}
	}
	if ok, said := inBwrap(t, c, c.repo.Top, `for f in /etc/resolv.conf /etc/hosts; do ! test -e $f || cat $f; done`); !ok {
		t.Errorf("hosts are not resolved: %s", said)
	}
}

// A socket that disappears while bwrap hides it does not fail the command: neither its input nor its output
// is lost, or contains bwrap's messages.
func TestVanishingSocketFailsNoCommand(t *testing.T) {
	c := apartFromTemp(t)
	beside := filepath.Join(filepath.Dir(c.repo.Top), "beside")
	if err := os.Mkdir(beside, 0o755); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			listener, err := net.Listen("unix", filepath.Join(beside, fmt.Sprint(i%50)))
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if err == nil {
				listener.Close() // which removes it
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	for i := range 30 {
		bounds, err := c.Confine(proc.Bwrap, c.repo.Top, true)
		if err != nil {
			t.Fatal(err)
		}
		said := &proc.Tail{}
		exit, err := proc.Run(t.Context(), proc.Cmd{Name: "sh", Args: []string{"-c", "cat >&2; exit 1"}, Stdin: strings.NewReader("bwrap: mine"), Dir: c.repo.Top, Group: true, Confine: bounds, Stdout: said, Stderr: said})
		if err != nil || exit.Code != 1 || !strings.HasSuffix(said.String(), "bwrap: mine") {
			t.Fatalf("command %d: %v, %+v: %q", i, err, exit, said)
		}
	}
}

// Sockets as the kernel lists them; abstract and unnamed ones do not count.
func TestBoundSockets(t *testing.T) {
	table := `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 14821 /run/user/1000/bus
0000000000000000: 00000003 00000000 00000000 0001 03 14822 /run/user/1000/bus
0000000000000000: 00000002 00000000 00010000 0001 01 15000 @/tmp/.X11-unix/X0
0000000000000000: 00000003 00000000 00000000 0001 03 15001
0000000000000000: 00000002 00000000 00000000 0002 01 15002 /tmp/with a blank/ and /more
0000000000000000: 00000002 00000000 00010000 0001 01 15003 relative/one /tmp/x
`
	if d := cmp.Diff([]string{"/run/user/1000/bus", "/tmp/with a blank/ and /more"}, boundIn(table)); d != "" {
		t.Error(d)
	}
	if got := boundIn(strings.Repeat("\n", 3)); got != nil {
		t.Error(got)
	}
}
