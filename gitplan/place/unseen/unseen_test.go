package unseen

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/testdata/repository"
)

// began returns a look at a repository in which a session begins now: it has .gitignore with some
// lines, and files that are there already.
func began(t *testing.T, rules string, there ...string) Look {
	t.Helper()
	repository.Here(t)
	repository.Write(t, ".gitignore", rules)
	repository.Commit(t, "one")
	for _, name := range there {
		repository.Write(t, name, "theirs\n")
	}
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	s := sees(t, r)
	before := &checkout.InProgress{Head: s.Head, Ignored: s.Ignored}
	for _, name := range s.Untracked {
		before.Untracked = append(before.Untracked, worktree.RawFileOf(r, name))
	}
	ledger := NewLedger()
	ledger.Since = time.Now().Add(time.Hour)
	return Look{Tree: r, Repo: r, Before: before, Ledger: &ledger}
}

func sees(t *testing.T, r *git.Repo) *worktree.Status {
	t.Helper()
	s, err := worktree.ReadStatusIgnored(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What git ignores by rules that a session wrote, or takes from git by changing them, is untracked
// all the same; what git ignored before is ignored still, and so is what tools write.
func TestRulesOfASession(t *testing.T) {
	for name, story := range map[string]struct{ file, rules, wrote, want string }{
		"a rule at the top":                    {".gitignore", "*.old\nwork.txt\n", "work.txt a.old", "work.txt"},
		"a rule in a folder":                   {"sub/.gitignore", "work.txt\n", "sub/work.txt", "sub/work.txt"},
		"a rule in a folder that it ignores":   {"sub/.gitignore", "*\n", "sub/work.txt", ""},
		"a rule for a folder":                  {".gitignore", "lib\n", "lib/a.txt lib/b/c.txt lib/node_modules/d.js", "lib/a.txt lib/b/c.txt"},
		"what tools write and machines keep":   {".gitignore", "*\n", "node_modules/m.js a.pyc .env .env.test x.local", ""},
		"no rule of its own":                   {"notes.txt", "", "a.old", ""},
		"line ends alone are no other rules":   {".gitignore", "*.old\r\n", "a.old", ""},
		"a repository in a folder of its own":  {".gitignore", "lib\n", "lib/in/.git/HEAD lib/in/a.txt lib/b.txt", "lib/b.txt"},
		"a folder with nothing but tools' own": {".gitignore", "lib\n", "lib/build/a.o", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := began(t, "*.old\n")
			repository.Write(t, story.file, story.rules)
			for _, name := range strings.Fields(story.wrote) {
				repository.Write(t, name, "x\n")
			}
			s := sees(t, l.Tree)
			if err := l.Unignore(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			slices.Sort(s.Unignored)
			if got := strings.Join(s.Unignored, " "); got != story.want {
				t.Errorf("unignored %q, not %q", got, story.want)
			}
		})
	}
}

// What git ignores is the session's if it was not there, or was written since by the clock of its
// file, which nobody sets back.
func TestWritten(t *testing.T) {
	l := began(t, "*.old\nlib/\nout/\nmade.old\n", "mine.old", "lib/mine.txt")
	for _, name := range []string{"new.old", "lib/new.txt", "fresh/out/x.txt", "made.old"} {
		repository.Write(t, name, "x\n")
	}
	l.ByChecks["made.old"] = true
	if got := strings.Join(l.written(sees(t, l.Tree)), " "); got != "new.old" {
		t.Errorf("before the session: %s", got) // by time; one that was not there is always new
	}
	l.Since = time.Now().Add(-time.Minute)
	if got := strings.Join(l.written(sees(t, l.Tree)), " "); got != "lib/mine.txt lib/new.txt mine.old new.old" {
		t.Errorf("written: %s", got)
	}
	if got := strings.Join(l.WrittenOf(sees(t, l.Tree), []string{"new.old", "mine.old", "made.old", "new.old", "../x", "lib", "gone"}), " "); got != "new.old mine.old" {
		t.Errorf("written of those named: %s", got)
	}
}

// A program that git ignores and that has the name of the system's would be run in its place.
func TestShadowing(t *testing.T) {
	l := began(t, "bin/\nvenv/\nnode_modules/\nlib/\ntools/bin/sed\n", "venv/bin/make")
	since := time.Now().Add(-time.Minute)
	for _, name := range []string{"bin/git", "bin/other", "venv/bin/grep", "node_modules/.bin/test", "lib/sed", "tools/bin/sed", "bin/cat"} {
		repository.Write(t, name, "#!/bin/sh\n")
	}
	if err := os.Symlink("/nowhere", "bin/ls"); err != nil {
		t.Skip(err)
	}
	l.ByChecks["bin/cat"] = true
	got := l.Shadowing(sees(t, l.Tree), since)
	slices.Sort(got)
	if want := "bin/git node_modules/.bin/test tools/bin/sed venv/bin/grep venv/bin/make"; strings.Join(got, " ") != want {
		t.Errorf("shadowing: %v", got)
	}
	if got := l.Shadowing(sees(t, l.Tree), time.Now().Add(time.Hour)); len(got) != 0 {
		t.Errorf("later: %v", got)
	}
}

// Repositories that a session makes in the tree are found with their files, all but git's own and
// tools'.
func TestNested(t *testing.T) {
	l := began(t, "", "theirs/.git/HEAD")
	repository.Git(t, "", "init", "-q", "lib")
	for _, name := range []string{"lib/a.txt", "lib/b/c.txt", "lib/node_modules/d.js"} {
		repository.Write(t, name, "x\n")
	}
	if got := strings.Join(l.Nested(sees(t, l.Tree)), " "); got != "lib" {
		t.Errorf("nested: %s", got)
	}
	root, err := os.OpenRoot(l.Tree.Top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if files, all := FilesBelow(root, "lib"); strings.Join(files, " ") != "lib/a.txt lib/b/c.txt" || !all {
		t.Errorf("files: %v, all %v", files, all)
	}
	if _, all := FilesBelow(root, "gone"); all {
		t.Error("all the files of a folder that is not there")
	}
	l.ByChecks["lib/"] = true
	if got := l.Nested(sees(t, l.Tree)); len(got) != 0 {
		t.Errorf("made by a check: %v", got)
	}
}

func TestWhatToolsWrite(t *testing.T) {
	for _, p := range []string{"node_modules/", "a/target/x", "x.pyc", ".mypy_cache/a", "x.swp", "a~", "pkg.egg-info/PKG"} {
		if !ByTools(p) {
			t.Errorf("%s is not a tool's", p)
		}
	}
	for _, p := range []string{"a.go", "targets/x", "node_modules.txt", "cache.go"} {
		if ByTools(p) {
			t.Errorf("%s is a tool's", p)
		}
	}
	if !installed("a/vendor/b.go") || !installed(".venv/bin/x") || installed("build/x") || installed("vendors/x") {
		t.Error("what is installed")
	}
}
