package proc

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the profiles in testdata")

// The profiles of Seatbelt, as sandbox-exec gets them. They cannot be run here: read all of a profile after
// changing it.
func TestSeatbeltProfiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths have other separators")
	}
	for name, c := range map[string]Confinement{
		"empty": {},
		"tree": {Writable: []string{"/private/tmp", "/Users/me/tree", "/Users/me/Library/Caches/go-build"},
			ReadOnly: []string{"/Users/me/tree/.git"}, Hidden: []string{"/Users/me/.ssh", "/Users/me/tree/keys/secret", "/private/var/run/docker.sock"}},
		"nested": {Writable: []string{"/Users/me/.config/tool", "/Users/me/tree"}, ReadOnly: []string{"/Users/me/tree"}, Hidden: []string{"/Users/me/.config"}},
		"home": {Writable: []string{"/private/tmp", "/Users/me/src/tree", "/Users/me/.cargo/registry"}, ReadOnly: []string{"/Users/me/src/tree/.git", "/Users/me/main/.git"},
			Hidden: []string{"/Users", "/Users/me", "/Users/me/.ssh", "/Users/me/.cargo/credentials.toml"}, Readable: []string{"/Users/me/.cargo", "/Users/me/.cargo/bin", "/Users/me/.gitconfig", "/opt/tool"}},
		"names": {Writable: []string{`/Users/me/a "b" \c=d`, "/Users/me/line\nline", "/Users/me/(allow default)"}},
	} {
		golden(t, "seatbelt/"+name, seatbelt(c))
	}
}

// golden compares arguments with a file of testdata.
func golden(t *testing.T, name string, args []string) {
	t.Helper()
	got, path := strings.Join(args, "\n")+"\n", filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// No path becomes a rule, whatever its name: the profile differs only in the number of paths.
func TestNoPathIsReadAsARule(t *testing.T) {
	profile := func(path string) string {
		args := seatbelt(Confinement{Writable: []string{path}, Hidden: []string{path + "/h"}})
		return args[slices.Index(args, "-p")+1]
	}
	for _, path := range []string{`/x")) (allow default) ;`, "/x\n(allow default)", `/x\`, "/x;y", "/ünicode", "/-p"} {
		if d := cmp.Diff(profile("/x"), profile(path)); d != "" {
			t.Errorf("%q: %s", path, d)
		}
	}
}

// A profile is one list of balanced lists: else sandbox-exec refuses all of it.
func TestSeatbeltProfilesAreBalanced(t *testing.T) {
	args := seatbelt(Confinement{Writable: []string{"/w"}, ReadOnly: []string{"/w/r"}, Hidden: []string{"/w/r/h"}})
	depth := 0
	for _, r := range args[slices.Index(args, "-p")+1] {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			t.Fatal("a list ends that has not begun")
		}
	}
	if depth != 0 {
		t.Errorf("%d lists are open", depth)
	}
}

// The deepest path decides what is allowed, and nothing above a place can be renamed.
func TestDeepestPathDecides(t *testing.T) {
	places := Confinement{Writable: []string{"/t", "/t/.git/w", "/h/w", "/h/r/w"}, ReadOnly: []string{"/t/.git", "/same"}, Hidden: []string{"/h", "/h/r/secret", "/h/both", "/t/a/secret", "/same"},
		Readable: []string{"/h/r", "/h/w", "/h/w/x", "/h/both", "/h/both/x", "/t/x"}}.rules()
	for path, want := range map[string]access{"/": mayOnlyRead, "/etc": mayOnlyRead, "/t": mayReadAndWrite, "/t/x": mayReadAndWrite, "/tx": mayOnlyRead,
		"/t/.git": mayOnlyRead, "/t/.git/w/x": mayReadAndWrite, "/t/.gitx": mayReadAndWrite, "/h": noAccess, "/h/x": noAccess, "/h/w": mayReadAndWrite,
		"/h/r": mayOnlyRead, "/h/rx": noAccess, "/h/r/w": mayReadAndWrite, "/h/r/secret": noAccess, "/h/w/x": mayReadAndWrite, "/h/both": noAccess, "/h/both/x": mayOnlyRead,
		"/t/a": mayReadAndWrite, "/t/a/secret/x": noAccess, "/same": noAccess} {
		if may := mayAt(places, path); may != want {
			t.Errorf("%s: %v, want %v", path, may, want)
		}
	}
	if d := cmp.Diff([]string{"/h/r/w", "/h/w", "/t", "/t/.git/w", "/t/a"}, immovable(places)); d != "" {
		t.Error(d)
	}
}
