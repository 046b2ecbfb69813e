//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// boundsTree returns a real folder with a tree that sessions may write, and a home with secrets.
func boundsTree(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"tree/file", "tree/.git/config", "home/.ssh/id", "home/bin/tool", "home/.cache/entry", "outside"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("SECRET"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"home/keys": ".ssh", "tree/theirs": "../home/.ssh", "tree/out": "../outside"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// below puts a folder in front of each path.
func below(dir string, paths ...string) (out []string) {
	for _, p := range paths {
		out = append(out, filepath.Join(dir, p))
	}
	return out
}

// Only real, existing paths apply; a link that a program may have made grants neither writing nor reading,
// but its target can still be hidden.
func TestPathsOfBoundsAreResolved(t *testing.T) {
	dir := boundsTree(t)
	got := Confinement{
		Writable: below(dir, "tree", "tree/out", "missing", "home/.cache"), Readable: below(dir, "home/keys", "tree/theirs"),
		ReadOnly: below(dir, "tree/.git", "tree/out", "tree/file"), Hidden: below(dir, "home/keys", "tree/out", "home"), Sockets: below(dir, "tree/theirs", "outside"),
	}.resolve()
	for name, c := range map[string]struct{ got, want []string }{
		"writable":  {got.Writable, below(dir, "home/.cache", "tree")},
		"read-only": {got.ReadOnly, below(dir, "tree/.git", "tree/file")},
		"readable":  {got.Readable, below(dir, "home/.ssh")},
		"hidden":    {got.Hidden, below(dir, "home", "home/.ssh", "outside")},
		"sockets":   {got.Sockets, below(dir, "outside")},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if len(got.links) != 2 || got.links[0].Path != filepath.Join(dir, "home/keys") {
		t.Errorf("links: %v", got.links)
	}
	private := Confinement{Writable: below(dir, "tree"), Readable: below(dir, "tree/theirs"), Private: []Mount{{From: dir, To: filepath.Join(dir, "tree"), Writable: true}}}
	if got := private.resolve().Readable; !slices.Equal(got, below(dir, "home/.ssh")) {
		t.Errorf("a link in a private folder, which no program has seen: %v", got)
	}
}

// Hides answers for existing paths, and names the topmost of each visible path.
func TestHiddenAndVisiblePaths(t *testing.T) {
	dir := boundsTree(t)
	b := &Confinement{Hidden: below(dir, "home", "home/bin/tool"), Readable: below(dir, "home/bin"), Writable: below(dir, "home/.cache", "tree")}
	for path, want := range map[string]bool{"home": true, "home/.ssh/id": true, "home/bin": false, "home/bin/tool": true, "home/.cache/entry": false, "home/missing": false,
		"outside": false, "home/keys/id": true, "tree/theirs/id": true} {
		if got := b.Hides(filepath.Join(dir, path)); got != want {
			t.Errorf("%s is hidden: %v", path, got)
		}
	}
	if got := b.Visible(); !slices.Equal(got, below(dir, "home/.cache", "home/bin")) {
		t.Errorf("visible: %v", got)
	}
	b.Private = []Mount{{From: dir, To: filepath.Join(dir, "tree"), Writable: true}}
	if !b.Hides(filepath.Join(dir, "tree/file")) {
		t.Error("what a private folder covers is not hidden")
	}
}

// Each copy adds to the bounds that it was made from, which do not change.
func TestCopiesDoNotChangeTheirBounds(t *testing.T) {
	dir := boundsTree(t)
	b := Confinement{Writable: below(dir, "tree"), ReadOnly: below(dir, "tree/.git"), Hidden: below(dir, "home", "home/keys", "outside")}
	before := Confinement{Writable: slices.Clone(b.Writable), ReadOnly: slices.Clone(b.ReadOnly), Hidden: slices.Clone(b.Hidden)}
	id := filepath.Join(dir, "home/.ssh/id")
	if b.Allow(filepath.Join(dir, "home")).Hides(id) || b.Reveal(filepath.Join(dir, "home/keys")).Hides(id) || !b.Hides(id) {
		t.Error("allowed and revealed paths are not the readable ones")
	}
	if got := b.Allow(filepath.Join(dir, "home/.ssh")); !slices.Equal(got.Writable, below(dir, "tree", "home/.ssh")) || !slices.Equal(got.Hidden, below(dir, "home", "outside")) {
		t.Errorf("allowed: %+v", got)
	}
	if got := b.Protect(filepath.Join(dir, "tree/file")); !slices.Equal(got.ReadOnly, below(dir, "tree/.git", "tree/file")) {
		t.Errorf("protected: %+v", got)
	}
	if !slices.Equal(b.Writable, before.Writable) || !slices.Equal(b.ReadOnly, before.ReadOnly) || !slices.Equal(b.Hidden, before.Hidden) {
		t.Errorf("they are now %+v", b)
	}
	var none *Confinement
	if none.Allow("/x") != nil || none.Protect("/x") != nil || none.Reveal("/x") != nil || none.Hides(id) || none.Visible() != nil {
		t.Error("empty bounds are not none")
	}
}
