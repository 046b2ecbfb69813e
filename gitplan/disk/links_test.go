//go:build unix

package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// house returns a real folder with files (a path) and links (a path and its target).
func house(t *testing.T, files []string, links map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, f := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, f), nil, 0o644))
	}
	for from, to := range links {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, from)), 0o755))
		must(t, os.Symlink(to, filepath.Join(dir, from)))
	}
	return dir
}

// A path resolves as the system resolves it, and every link on the way is named.
func TestPathsAreResolved(t *testing.T) {
	dir := house(t, []string{"a/b/file", "c/file"}, map[string]string{
		"up": "a/b/../../c", "a/back": "../c", "a/b/deep": "../back", "self": "self", "one": "other", "other": "one", "broken": "nowhere", "a/b/through": "../../up/file",
	})
	must(t, os.Symlink(filepath.Join(dir, "a"), filepath.Join(dir, "absolute")))
	for path, on := range map[string][]string{
		"a/b/file": nil, "a/./b/../b/file": nil, "a//b/": nil, ".": nil,
		"up": {"up"}, "up/file": {"up"}, "a/back/file": {"a/back"}, "absolute/b/file": {"absolute"},
		"a/b/deep/file": {"a/b/deep", "a/back"}, "a/b/through": {"a/b/through", "up"}, "up/..": {"up"},
		"self": nil, "one/x": nil, "broken": nil, "nothing": nil, "a/b/file/below": nil,
	} {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, "x/..") + "/" + path)
		way := new(Links).Follow(dir + "/" + path)
		if way.Found != (err == nil) || way.Found && way.Real != real {
			t.Errorf("%s leads to %s (%v), and the system says %s, %v", path, way.Real, way.Found, real, err)
		}
		var names []string
		for _, l := range way.Links {
			rel, _ := filepath.Rel(dir, l.Path)
			names = append(names, rel)
		}
		if d := cmp.Diff(on, names); d != "" {
			t.Errorf("on the way to %s: %s", path, d)
		}
	}
}

// A chain of links ends where Linux's does; a path that cannot be resolved is at least cleaned.
func TestLongChainOfLinks(t *testing.T) {
	dir := house(t, []string{"l0"}, nil)
	for i := range maxLinks + 1 {
		must(t, os.Symlink(fmt.Sprint("l", i), filepath.Join(dir, fmt.Sprint("l", i+1))))
	}
	at := new(Links)
	if !at.Exists(filepath.Join(dir, fmt.Sprint("l", maxLinks-1))) || at.Exists(filepath.Join(dir, fmt.Sprint("l", maxLinks+1))) {
		t.Error("not as many links are followed as may be")
	}
	if got := Real(dir + "/x/../nothing"); got != dir+"/nothing" {
		t.Errorf("where nothing is: %s", got)
	}
	if at.Follow("relative").Found || at.Follow("").Found {
		t.Error("a relative path leads somewhere")
	}
	if got := Real("/"); got != "/" {
		t.Errorf("the root is %s", got)
	}
}

// Answers are cached: all of them are of one moment.
func TestLinksAreCached(t *testing.T) {
	dir := house(t, []string{"a"}, map[string]string{"to": "a"})
	at := new(Links)
	before := at.Real(dir + "/to")
	must(t, os.Remove(dir+"/to"))
	must(t, os.Remove(dir+"/a"))
	if now := at.Real(dir + "/to"); now != before || new(Links).Exists(dir+"/to") {
		t.Errorf("it led to %s, and now to %s", before, now)
	}
}

// A path, or a link on its way, can be redirected by whoever can write its folder.
func TestRedirectablePaths(t *testing.T) {
	dir := house(t, []string{"mine/file", "theirs/file"}, map[string]string{"mine/in": "../theirs/file", "theirs/out": "../mine/file", "theirs/on": "../mine"})
	for path, want := range map[string]bool{"mine/file": false, "theirs/file": true, "mine/in": true, "theirs/out": true, "theirs/on/file": true, "theirs/none": false, "theirsX": false} {
		w := new(Links).Follow(dir + "/" + path)
		if got := w.Found && (w.ControlledFrom([]string{dir + "/theirs"}) || Within(dir+"/theirs", w.Real)); got != want {
			t.Errorf("%s is steered: %v", path, got)
		}
	}
	way := new(Links).Follow(dir + "/mine/in") // it is in mine, and leads out
	if way.ControlledFrom([]string{dir + "/theirs"}) || !way.ControlledFrom([]string{dir + "/elsewhere", dir + "/mine"}) {
		t.Errorf("%+v", way)
	}
	got := new(Links).Existing([]string{dir + "/theirs/out", dir + "/mine", dir + "/none", dir + "/mine/file", "mine"})
	if !slices.Equal(got, []string{dir + "/mine", dir + "/mine/file"}) {
		t.Errorf("existing: %v", got)
	}
}

// A path is direct if only folders, or nothing, are above it; the path itself may be anything.
func TestDirectPaths(t *testing.T) {
	dir := house(t, []string{"a/b/file"}, map[string]string{"a/link": "b", "broken": "nowhere", "out": ".."})
	for path, want := range map[string]bool{
		"a": true, "a/b/file": true, "a/link": true, "a/new/x": true, ".": true,
		"a/link/file": false, "a/link/new/x": false, "broken/x": false, "out/x": false, "a/b/file/x": false, "../x": false, "/x": false, "": false,
	} {
		if got := Direct(dir, path); got != want {
			t.Errorf("%q is direct: %v", path, got)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}, {"/", "/a", true}, {"/", "/", true}, {"/a", "/b/a", false}} {
		if got := Within(c.dir, c.path); got != c.want {
			t.Errorf("%s within %s: %v", c.path, c.dir, got)
		}
	}
}

// A file whose place another takes while it is opened is there all the time.
func TestReplacedFileIsThere(t *testing.T) {
	path, over := filepath.Join(t.TempDir(), "file"), make(chan error, 1)
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	go func() {
		var err error
		for i := 0; i < 2000 && err == nil; i++ {
			if err = os.WriteFile(path+".new", []byte("x"), 0o600); err == nil {
				err = os.Rename(path+".new", path)
			}
		}
		over <- err
	}()
	for reads, gone := 0, 0; ; reads++ {
		if text, err := ReadRegular(path); err != nil || string(text) != "x" {
			gone++
		}
		if len(over) > 0 {
			if must(t, <-over); gone > 0 {
				t.Errorf("of %d reads, %d found no file", reads+1, gone)
			}
			return
		}
	}
}
