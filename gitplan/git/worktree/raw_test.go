package worktree

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// oddContents are files that git would convert, or with names that are hard to quote.
var oddContents = map[string]string{"key": "a\nb\r\n", "dir/run": "$Id$\n", "a \"b\"\nc": "odd", "\"q": "", "dir/bin": "\x00\xff"}

// oddFiles writes oddContents with other modes and an old time, and a link, where every filter of git fails.
func oddFiles(t *testing.T, r *git.Repo) (files []RawFile) {
	t.Helper()
	for key, value := range map[string]string{"core.autocrlf": "true", "core.safecrlf": "true", "filter.no.clean": "false", "filter.no.required": "true"} {
		repository.Ask(t, "config", key, value)
	}
	repository.Write(t, ".gitattributes", "* filter=no ident\n")
	modes := map[string]fs.FileMode{"key": 0o600, "dir/run": 0o755}
	for name, text := range oddContents {
		repository.Write(t, name, text)
		if err := errors.Join(os.Chmod(name, cmp.Or(modes[name], 0o644)), os.Chtimes(name, time.Time{}, time.Unix(1700000000, 0))); err != nil {
			t.Fatal(err)
		}
		files = append(files, RawFileOf(r, name))
	}
	if err := os.Symlink("to/nowhere", "dir/link"); err != nil {
		t.Fatal(err)
	}
	return append(files, RawFileOf(r, "dir/link"))
}

// Untracked files are restored exactly, whatever git's filters would do to them, and never over an existing
// file.
func TestRawFilesAreRestored(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and such names are Unix's")
	}
	for _, format := range []string{"sha1", "sha256"} {
		r, ctx := opened(t, "--object-format="+format), t.Context()
		files := oddFiles(t, r)
		tree, unread, err := KeepRaw(ctx, r, append(pathsOf(files), "gone", "dir"))
		if err != nil || !slices.Equal(unread, []string{"gone", "dir"}) {
			t.Fatalf("not kept: %q, %v", unread, err)
		}
		for _, f := range files {
			if err := os.Remove(f.Path); err != nil {
				t.Fatal(err)
			}
		}
		repository.Write(t, "key", "there again")
		if failed := PutRaw(ctx, r, tree, files); !slices.Equal(failed, []string{"key"}) || repository.Read(t, "key") != "there again" {
			t.Errorf("not put back: %q", failed)
		}
		if err := os.Remove("key"); err != nil {
			t.Fatal(err)
		}
		if failed := PutRaw(ctx, r, tree, files); len(failed) != len(files)-1 {
			t.Errorf("put over what is there: all but %q", failed)
		}
		for _, was := range files {
			now := RawFileOf(r, was.Path)
			now.Changed = was.Changed
			if was.Mode&fs.ModeSymlink != 0 {
				now.Time = was.Time
			}
			if diff := gocmp.Diff(was, now); diff != "" {
				t.Error(diff)
			}
		}
		for name, text := range oddContents {
			if got := repository.Read(t, name); got != text {
				t.Errorf("%q is %q, want %q", name, got, text)
			}
		}
		if left, _ := filepath.Glob(".git-plan-*"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}

// The biggest files are omitted, so that small ones are kept beside them.
func TestSmallFilesAreKeptBesideBigOnes(t *testing.T) {
	files := []RawFile{{Path: "big", Size: 70}, {Path: "b", Size: 3}, {Path: "half", Size: 40}, {Path: "a", Size: 9}, {Path: "half2", Size: 41}}
	fits, tooBig := Fits(files, 64, 10)
	if diff := gocmp.Diff([]string{"a", "b", "half"}, fits); diff != "" || len(tooBig) != 2 {
		t.Errorf("%s\n%v", diff, tooBig)
	}
	if fits, tooBig := Fits(files, 1000, 2); !slices.Equal(fits, []string{"a", "b"}) || len(tooBig) != 3 {
		t.Errorf("of two: %q, %v", fits, tooBig)
	}
}

// Whatever a note or a tree says, nothing is written where git itself would check out nothing: into a
// repository, beyond a link, or outside the work tree.
func TestNothingIsWrittenWhereGitChecksNothingOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are Unix's")
	}
	r := opened(t)
	repository.Write(t, "real/file", "x")
	for link, to := range map[string]string{"link": ".git", "inside": "real"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	git := func(stdin string, args ...string) string {
		var out strings.Builder
		if err := r.Run(t.Context(), git.Command{Args: args, Stdin: strings.NewReader(stdin), Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out.String())
	}
	oid := git("evil", "hash-object", "-w", "--stdin")
	for _, path := range []string{".git/hooks/post-checkout", ".GIT/x", "sub/.git/config", "sub/.gIt./x", ".git /x", "git~1/x",
		"GIT~1/x", ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x", `sub\.git\x`, "link/x", "inside/x", ".git"} {
		entry, at := "100755 blob "+oid, path
		for {
			dir, name := filepath.Split(at)
			tree := git(entry+"\t"+name+"\x00", "mktree", "-z")
			if entry, at = "040000 tree "+tree, strings.TrimSuffix(dir, "/"); at == "" {
				break
			}
		}
		f := RawFile{Path: path, Size: 4, Mode: 0o755, Time: time.Unix(1700000000, 0)}
		failed := PutRaw(t.Context(), r, strings.TrimPrefix(entry, "040000 tree "), []RawFile{f})
		if _, err := os.Lstat(path); err == nil && path != ".git" || len(failed) != 1 {
			t.Errorf("%q was written", path)
		}
	}
	for _, path := range []string{"../out", "/tmp/out", ""} {
		if failed := PutRaw(t.Context(), r, "HEAD", []RawFile{{Path: path}}); len(failed) != 1 {
			t.Errorf("%q was written", path)
		}
	}
	for _, name := range []string{".gitignore", ".git2", "git", ".github", "a.git", "git~2"} {
		if IsDotGit(name) {
			t.Errorf("%q is taken for .git", name)
		}
	}
}

// A link is kept by its target.
func TestLinkIsKept(t *testing.T) {
	r, ctx := opened(t), t.Context()
	if err := os.Symlink("there", "link"); err != nil {
		t.Skip("links are not supported here:", err)
	}
	tree, unread, err := KeepRaw(ctx, r, []string{"link"})
	if err != nil || len(unread) != 0 || repository.Ask(t, "cat-file", "blob", tree+":link") != "there" {
		t.Fatalf("it is not kept: %q, %v", unread, err)
	}
	if tree, _, err := KeepRaw(ctx, r, nil); tree != "" || err != nil {
		t.Errorf("of nothing there is %q, %v", tree, err)
	}
}

func pathsOf(files []RawFile) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}
