package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/testdata/repository"
)

// began returns a repository in which a session begins now: it has a .gitignore with some lines, and existing
// files.
func began(t *testing.T, rules string, there ...string) *Workspace {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	repository.Write(t, ".gitignore", rules)
	repository.Commit(t, "one")
	for _, name := range there {
		repository.Write(t, name, "theirs\n")
	}
	c, err := checkout.Open(t.Context())
	fine(t, err)
	t.Cleanup(c.Close)
	p := At(&runner.Runner{Checkout: c}, sees(t, c.Repo))
	fine(t, p.RecordUserFiles(t.Context(), "a"))
	p.state.Session, p.Files.since = "a-1", time.Now().Add(time.Hour)
	return p
}

func sees(t *testing.T, r *git.Repo) *worktree.Status {
	t.Helper()
	s, err := worktree.ReadStatusIgnored(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Files that only a session's own rules make git ignore count as untracked; files that git ignored before are
// still ignored, and so are tools' files.
func TestRulesOfASession(t *testing.T) {
	for name, story := range map[string]struct{ file, rules, wrote, want string }{
		"a rule at the top":                  {".gitignore", "*.old\nwork.txt\n", "work.txt a.old", "work.txt"},
		"a rule in a folder":                 {"sub/.gitignore", "work.txt\n", "sub/work.txt", "sub/work.txt"},
		"a rule in a folder that it ignores": {"sub/.gitignore", "*\n", "sub/work.txt", ""},
		"a rule for a folder":                {".gitignore", "lib\n", "lib/a.txt lib/b/c.txt lib/node_modules/d.js", "lib/a.txt lib/b/c.txt"},
		"files of tools and of the machine":  {".gitignore", "*\n", "node_modules/m.js a.pyc .env .env.test x.local", ""},
		"no own rule":                        {"notes.txt", "", "a.old", ""},
		"other line ends are the same rules": {".gitignore", "*.old\r\n", "a.old", ""},
		"a repository in an ignored folder":  {".gitignore", "lib\n", "lib/in/.git/HEAD lib/in/a.txt lib/b.txt", "lib/b.txt"},
		"a folder with only tools' files":    {".gitignore", "lib\n", "lib/build/a.o", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := began(t, "*.old\n")
			repository.Write(t, story.file, story.rules)
			for _, name := range strings.Fields(story.wrote) {
				repository.Write(t, name, "x\n")
			}
			s := sees(t, l.Tree())
			if err := l.Files.unignore(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			slices.Sort(s.Unignored)
			if got := strings.Join(s.Unignored, " "); got != story.want {
				t.Errorf("unignored %q, not %q", got, story.want)
			}
		})
	}
}

// An ignored file is the session's if it did not exist, or was written since according to its ctime, which
// cannot be reset.
func TestWritten(t *testing.T) {
	l := began(t, "*.old\nlib/\nout/\nmade.old\n", "mine.old", "lib/mine.txt")
	for _, name := range []string{"new.old", "lib/new.txt", "fresh/out/x.txt", "made.old"} {
		repository.Write(t, name, "x\n")
	}
	l.Files.byChecks["made.old"] = true
	if got := hiddenNow(t, l); got != "new.old" {
		t.Errorf("before the session: %s", got) // by time; a new one always counts
	}
	l.Files.since = time.Now().Add(-time.Minute)
	if got := hiddenNow(t, l); got != "lib/mine.txt lib/new.txt mine.old new.old" {
		t.Errorf("written: %s", got)
	}
	if got := strings.Join(l.Files.writtenOf(sees(t, l.Tree()), []string{"new.old", "mine.old", "made.old", "new.old", "../x", "lib", "gone"}), " "); got != "new.old mine.old" {
		t.Errorf("written of those named: %s", got)
	}
}

func hiddenNow(t *testing.T, p *Workspace) string {
	p.Files.hidden = nil
	p.Files.noteHidden(sees(t, p.Tree()))
	return strings.Join(p.Files.hidden, " ")
}

// An ignored program with the name of one of the system's would run in its place.
func TestShadowing(t *testing.T) {
	l := began(t, "bin/\nvenv/\nnode_modules/\nlib/\ntools/bin/sed\n", "venv/bin/make")
	l.Files.since = time.Now().Add(-time.Minute)
	for _, name := range []string{"bin/git", "bin/other", "venv/bin/grep", "node_modules/.bin/test", "lib/sed", "tools/bin/sed", "bin/cat"} {
		repository.Write(t, name, "#!/bin/sh\n")
	}
	if err := os.Symlink("/nowhere", "bin/ls"); err != nil {
		t.Skip(err)
	}
	l.Files.byChecks["bin/cat"] = true
	dir := l.Dir()
	t.Setenv("PATH", strings.Join([]string{"bin", filepath.Join(dir, "venv/bin"), filepath.Join(dir, "node_modules/.bin"), filepath.Join(dir, "tools/bin"), os.Getenv("PATH")}, ":"))
	got := l.Files.shadowing(sees(t, l.Tree()))
	slices.Sort(got)
	if want := "bin/git node_modules/.bin/test tools/bin/sed venv/bin/grep venv/bin/make"; strings.Join(got, " ") != want {
		t.Errorf("shadowing: %v", got)
	}
	l.Files.since = time.Now().Add(time.Hour)
	if got := l.Files.shadowing(sees(t, l.Tree())); len(got) != 0 {
		t.Errorf("later: %v", got)
	}
}

// Repositories that a session creates in the tree are found.
func TestNested(t *testing.T) {
	l := began(t, "", "theirs/.git/HEAD")
	repository.Git(t, "", "init", "-q", "lib")
	for _, name := range []string{"lib/a.txt", "lib/b/c.txt", "lib/node_modules/d.js"} {
		repository.Write(t, name, "x\n")
	}
	if got := strings.Join(l.Files.nested(sees(t, l.Tree())), " "); got != "lib" {
		t.Errorf("nested: %s", got)
	}
	l.Files.byChecks["lib/"] = true
	if got := l.Files.nested(sees(t, l.Tree())); len(got) != 0 {
		t.Errorf("made by a check: %v", got)
	}
}

func TestFilesOfTools(t *testing.T) {
	for _, p := range []string{"node_modules/", "a/target/x", "x.pyc", ".mypy_cache/a", "x.swp", "a~", "pkg.egg-info/PKG"} {
		if !byTools(p) {
			t.Errorf("%s is not a tool's", p)
		}
	}
	for _, p := range []string{"a.go", "targets/x", "node_modules.txt", "cache.go"} {
		if byTools(p) {
			t.Errorf("%s is a tool's", p)
		}
	}
	if !installed("a/vendor/b.go") || !installed(".venv/bin/x") || installed("build/x") || installed("vendors/x") {
		t.Error("what is installed")
	}
}

// Work in ignored files cannot be committed; another session could not help if the task itself asks for it.
func TestOutOfSight(t *testing.T) {
	for name, story := range map[string]struct {
		wrote, files, asked string
		reason              string
		hopeless            bool
	}{
		"a file of the task":                   {"x.old b.txt", "x.old", "x.old", "what it did is in x.old, which git ignores", true},
		"a file that a check names":            {"x.old", "", "x.old", "what it did is in x.old, which git ignores", true},
		"a file that a check names, with work": {"x.old b.txt", "", "x.old", "", false},
		"nothing else":                         {"x.old", "", "", "what it did is in x.old, which git ignores", false},
		"only a tool's file":                   {"x.pyc", "", "", "", false},
		"no work at all":                       {"", "b.txt", "b.txt", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := began(t, "*.old\n*.pyc\n")
			for _, name := range strings.Fields(story.wrote) {
				repository.Write(t, name, "x\n")
			}
			l.Task = Spec{Session: true, Files: strings.Fields(story.files), Checks: strings.Fields(story.asked)}
			s := sees(t, l.Tree())
			f := FailureOf(l.Files.outOfSight(&Changes{Status: s, Added: l.Files.added(s)}))
			if f == nil {
				f = &Failure{}
			}
			if f.Reason != story.reason || f.Hopeless != story.hopeless {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Files that appeared during checks, or before any session, are not the session's work, unless it changes them.
func TestFilesOfChecks(t *testing.T) {
	l := began(t, "*.old\n", "mine.txt")
	repository.Write(t, "stays.txt", "x\n")
	l.Files.noteStays([]string{"stays.txt"})
	repository.Write(t, "new.txt", "x\n")
	before := sees(t, l.Tree())
	if got := l.Files.added(before); !slices.Equal(got, []string{"new.txt"}) {
		t.Errorf("added: %v", got)
	}
	for _, name := range []string{"made.txt", "made.old", ".gitignore"} {
		repository.Write(t, name, "*.old\n# by a check\n")
	}
	after := sees(t, l.Tree())
	if got := l.Files.checked(l.Files.changesIn(before), l.Files.changesIn(after)); !slices.Equal(got, []string{"new.txt"}) {
		t.Errorf("the session's: %v", got)
	}
	if !l.Files.byCheck("made.txt") || !l.Files.byCheck("made.old") || l.Files.rewritten[".gitignore"].Path == "" || len(l.Files.rewritten) != 1 {
		t.Errorf("by checks: %v, %v", l.Files.byChecks, l.Files.rewritten)
	}
	repository.Write(t, "stays.txt", "changed\n")
	repository.Write(t, "made.txt", "corrected by the next session\n")
	if got := l.Files.added(sees(t, l.Tree())); !slices.Equal(got, []string{"made.txt", "new.txt", "stays.txt"}) {
		t.Errorf("added, with what was changed: %v", got)
	}
	nothing := func(context.Context) error { return nil }
	if err := l.judgedAsCommitted(t.Context(), after, nothing); err != nil || len(l.Files.rewritten) != 1 {
		t.Errorf("%v: rewritten by checks alone: %v", err, l.Files.rewritten)
	}
	repository.Write(t, ".gitignore", "*.old\n*.new\n")
	if err := l.judgedAsCommitted(t.Context(), after, nothing); err != nil || len(l.Files.rewritten) != 0 {
		t.Errorf("%v: rewritten by checks, though the session changed it: %v", err, l.Files.rewritten)
	}
}

// Files that only a tool writes are reported once.
func TestArtefactsAreReportedOnce(t *testing.T) {
	l := began(t, "")
	for _, name := range []string{".coverage", "a/__pycache__/a.pyc", "__pycache__/a.pyc"} {
		repository.Write(t, name, "new")
	}
	s := sees(t, l.Tree())
	if notes := strings.Join(l.Artefacts(s), "\n"); strings.Count(notes, "not committed, since only a tool writes it: ") != 2 || !strings.Contains(notes, ".coverage; a line in .gitignore") {
		t.Errorf("notes: %q", notes)
	}
	if again := l.Artefacts(s); again != nil {
		t.Errorf("reported again: %v", again)
	}
}

// Files of a session that git would read for hours are removed from the tree, and kept; a tracked file is
// restored.
func TestLargeFiles(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("truncate -s 300G large; truncate -s 200G a.txt; echo x >small.txt")
		left, reason := task.left()
		w.says(reason, "")
		if got := strings.Join(left.Paths(), " "); got != "small.txt" {
			t.Errorf("left are %s", got)
		}
		_, said := task.Files.Touched(w.Context())
		w.says(strings.Join(said, "\n"), "large (307200 MB) is too large to be committed: it is in ")
		w.says(strings.Join(said, "\n"), "a.txt (204800 MB) is too large to be committed: it is in ")
	})
}
