package proc

import (
	"os"
	"path/filepath"
	"testing"
)

// What Seatbelt allows a program to do, on a Mac.
func TestSeatbeltKeepsItsTable(t *testing.T) {
	if err := Works(t.Context(), Seatbelt); err != nil {
		t.Fatal(err) // every Mac has it
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(p string) string { return filepath.Join(dir, p) }
	for _, p := range []string{"tree/.git", "tree/keys", "home/.ssh", "home/cache"} {
		if err := os.MkdirAll(in(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(p+"/file"), []byte("SECRET"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &Confinement{By: Seatbelt, Writable: []string{in("tree"), in("home/cache")}, ReadOnly: []string{in("tree/.git")},
		Hidden: []string{in("home/.ssh"), in("tree/keys/file")}}
	for line, may := range map[string]bool{
		"echo x >new && mkdir -p a/b && mv new a/b && rm -r a": true, "echo x >../home/cache/file": true, "cat .git/file /etc/passwd": true,
		"echo x >/dev/null": true, "sleep 60 & kill $!": true, "x=$(mktemp -u) && test -n \"$x\"": true,
		"echo x >../home/new": false, "echo x >.git/file": false, "mv .git git": false, "mv keys moved": false, "rm -rf .git": false,
		"cat ../home/.ssh/file": false, "ls ../home/.ssh": false, "cat keys/file": false, "ln ../home/.ssh/file l && cat l": false,
		"ln keys/file l && cat l": false, "cp -c keys/file l && cat l": false, "open -a Terminal": false, "launchctl submit -l x -- /usr/bin/true": false,
		"kill -CONT $PPID": false,
	} {
		name, args := Shell(line)
		exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: in("tree"), Group: true, Confine: c})
		if err != nil || exit.OK() != may {
			t.Errorf("%q may: %v, want %v (%v)", line, exit.OK(), may, err)
		}
	}
}
