package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is not tracked comes back as it was, whatever git's filters would make of it.
func TestRawFilesComeBackAsTheyWere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and such names are Unix's")
	}
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := repository(t, "--object-format="+format)
			run(t, "", "config", "core.autocrlf", "true")
			run(t, "", "config", "core.safecrlf", "true")
			run(t, "", "config", "filter.no.clean", "false")
			run(t, "", "config", "filter.no.required", "true")
			write(t, ".gitattributes", "* filter=no ident\n")
			contents := map[string]string{"key": "a\nb\r\n", "dir/run": "$Id$\n", "a \"b\"\nc": "odd", "\"q": "", "dir/bin": "\x00\xff"}
			modes := map[string]fs.FileMode{"key": 0o600, "dir/run": 0o755}
			var files []RawFile
			var paths []string
			for name, text := range contents {
				write(t, name, text)
				if m := modes[name]; m != 0 {
					if err := os.Chmod(name, m); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Chtimes(name, time.Time{}, time.Unix(1700000000, 0)); err != nil {
					t.Fatal(err)
				}
				files, paths = append(files, r.RawFileOf(name)), append(paths, name)
			}
			if err := os.Symlink("to/nowhere", "dir/link"); err != nil {
				t.Fatal(err)
			}
			files, paths = append(files, r.RawFileOf("dir/link")), append(paths, "dir/link")

			tree, unread, err := r.KeepRaw(t.Context(), append(paths, "gone", "dir"))
			if err != nil || !slices.Equal(unread, []string{"gone", "dir"}) {
				t.Fatalf("not kept: %q, %v", unread, err)
			}
			for _, path := range paths {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			write(t, "key", "there again")
			if failed := r.PutRaw(t.Context(), tree, files); !slices.Equal(failed, []string{"key"}) {
				t.Errorf("not put back: %q", failed)
			}
			if err := os.Remove("key"); err != nil {
				t.Fatal(err)
			}
			if failed := r.PutRaw(t.Context(), tree, files[:len(files)-1]); len(failed) != len(contents)-1 {
				t.Errorf("put over what is there: all but %q", failed)
			}
			for _, was := range files {
				now := r.RawFileOf(was.Path)
				if was.Mode&fs.ModeSymlink != 0 {
					now.Time = was.Time
				}
				if diff := cmp.Diff(was, now); diff != "" {
					t.Error(diff)
				}
			}
			for name, text := range contents {
				if data, _ := os.ReadFile(name); string(data) != text {
					t.Errorf("%q is %q, want %q", name, data, text)
				}
			}
			if left, _ := filepath.Glob("*.plan-half"); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// The biggest are left out, so that small ones are kept beside them.
func TestWhatFitsIsKeptBesideWhatDoesNot(t *testing.T) {
	files := []RawFile{{Path: "big", Size: 70}, {Path: "b", Size: 3}, {Path: "half", Size: 40}, {Path: "a", Size: 9}, {Path: "half2", Size: 41}}
	fits, tooBig := Fits(files, 64, 10)
	if diff := cmp.Diff([]string{"a", "b", "half"}, fits); diff != "" || len(tooBig) != 2 {
		t.Errorf("%s\n%v", diff, tooBig)
	}
	if fits, tooBig := Fits(files, 1000, 2); !slices.Equal(fits, []string{"a", "b"}) || len(tooBig) != 3 {
		t.Errorf("of two: %q, %v", fits, tooBig)
	}
}
