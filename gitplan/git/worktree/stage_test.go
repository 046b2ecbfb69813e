package worktree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Whatever the person configured for line ends, encodings and filters, the staged content is the same as git
// add's, and refused if git add refuses it; a snapshot keeps it all the same.
func TestStagingEqualsGitAdd(t *testing.T) {
	const mixed, crlf = "a\r\nb\n", "a\r\nb\r\n"
	for name, c := range map[string]struct {
		config, attributes, content string
		refused                     bool
	}{
		"nothing":           {"", "", mixed, false},
		"input":             {"core.autocrlf=input", "", mixed, false},
		"true":              {"core.autocrlf=true", "", crlf, false},
		"eol":               {"", "* text=auto eol=crlf", mixed, false},
		"safe":              {"core.autocrlf=true core.safecrlf=true", "", mixed, true},
		"safe input":        {"core.autocrlf=input core.safecrlf=true", "", mixed, true},
		"warned":            {"core.autocrlf=input core.safecrlf=warn", "", mixed, false},
		"encoding":          {"", "*.x working-tree-encoding=UTF-16LE", "h\x00i\x00\n\x00", false},
		"another encoding":  {"", "*.x working-tree-encoding=UTF-16", "no mark", true},
		"ident":             {"", "* ident", "$Id: of another$\n", false},
		"filter":            {"filter.up.clean=tr\ta-z\tA-Z", "*.x filter=up", "lower\n", false},
		"filter that fails": {"filter.up.clean=false filter.up.required=true", "*.x filter=up", "lower\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := opened(t)
			repository.Write(t, "old.x", "before\n")
			repository.Write(t, "gone.x", "gone\n")
			repository.Commit(t, "base")
			for kv := range strings.FieldsFuncSeq(c.config, func(c rune) bool { return c == ' ' }) {
				key, value, _ := strings.Cut(kv, "=")
				repository.Ask(t, "config", key, strings.ReplaceAll(value, "\t", " "))
			}
			repository.Write(t, ".git/info/attributes", c.attributes+"\n")
			repository.Write(t, "old.x", c.content)
			repository.Write(t, "new.x", c.content)
			if err := os.Remove("gone.x"); err != nil {
				t.Fatal(err)
			}
			paths := []string{"gone.x", "new.x", "old.x"}
			kept, err := Snapshot(t.Context(), r, paths)
			if err != nil {
				t.Fatal(err)
			}
			staged, err := Stage(t.Context(), r, paths)
			if refused := git.Code(err) == 128; refused != c.refused || err != nil && !refused {
				t.Fatal(err)
			}
			repository.Ask(t, "read-tree", "HEAD")
			if c.refused {
				o, err := r.Read(t.Context(), kept+":new.x")
				if _, gone := r.Read(t.Context(), kept+":gone.x"); err != nil || string(o.Data) != c.content || gone != git.ErrMissing {
					t.Errorf("kept %q, want %q: %v", o.Data, c.content, err)
				}
				return
			}
			repository.Ask(t, "add", "-A")
			if want := repository.Ask(t, "write-tree"); staged != want || kept != want {
				t.Errorf("staged %s, kept %s, git add has %s", staged, kept, want)
			}
		})
	}
}

// Files are written like a checkout would, but not through a link in place of their folder.
func TestNothingIsCheckedOutThroughALink(t *testing.T) {
	r := opened(t)
	repository.Write(t, ".gitattributes", "* text=auto eol=crlf\n")
	repository.Write(t, "folder/x", "x\n")
	repository.Commit(t, "base")
	outside := t.TempDir()
	if err := errors.Join(os.RemoveAll("folder"), os.WriteFile(filepath.Join(outside, "x"), []byte("theirs\n"), 0o644), os.Symlink(outside, "folder")); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "made", "x\n")
	config, err := r.Config(t.Context())
	if err == nil {
		err = AsCheckedOut(t.Context(), r, config, []string{"folder/x", "made"}, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if there, made := repository.Read(t, filepath.Join(outside, "x")), repository.Read(t, "made"); there != "theirs\n" || made != "x\r\n" {
		t.Errorf("behind the link is %q, made is %q", there, made)
	}
}

// Many new files are passed to git in a way that does not compare each with the patterns of all others.
func TestManyNewFilesAreAddedOnce(t *testing.T) {
	for _, n := range []int{1000, 1001} {
		trace := filepath.Join(t.TempDir(), "trace")
		t.Setenv("GIT_TRACE", trace)
		r := opened(t)
		repository.Write(t, "old", "x\n")
		repository.Commit(t, "base")
		names := []string{"ignored"}
		for i := range n - 1 {
			names = append(names, fmt.Sprintf("new%d", i))
		}
		for _, name := range names {
			repository.Write(t, name, "x\n")
		}
		repository.Write(t, ".git/info/exclude", "ignored\n")
		before, err := OpenIndex(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		err = WithAdded(t.Context(), r, before, names, func() error {
			if got := strings.Count(repository.Ask(t, "ls-files"), "\n"); got != n {
				t.Errorf("the index has %d new files of %d", got, n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := repository.Ask(t, "ls-files"); got != "old" {
			t.Errorf("afterwards the index has %q", got)
		}
		if patterns := strings.Contains(repository.Read(t, trace), "--pathspec-from-file"); patterns != (n <= 1000) {
			t.Errorf("%d files as patterns: %v", n, patterns)
		}
		if err := before.Distrust(t.Context()); err != nil || strings.Contains(repository.Read(t, trace), "--refresh") {
			t.Errorf("every file is read again though only git plan wrote the index: %v", err)
		}
		repository.Ask(t, "update-index", "--chmod=+x", "old")
		if err := before.Distrust(t.Context()); err != nil || !strings.Contains(repository.Read(t, trace), "--refresh") {
			t.Errorf("an index that another program wrote is believed: %v", err)
		}
	}
}
