package install_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/hooked"
)

// Everyday git commands, by name.
var allDay = map[string][]string{
	"commit":   {"commit", "--quiet", "--allow-empty", "-m", "x"},
	"amend":    {"commit", "--quiet", "--allow-empty", "--amend", "-m", "y"},
	"detach":   {"switch", "--quiet", "--detach"},
	"switch":   {"switch", "--quiet", "main"},
	"checkout": {"checkout", "--quiet", "HEAD", "--", "README.md"}, // of files
	"rebase":   {"-c", "core.editor=true", "rebase", "--quiet", "--force-rebase", "--root"},
}

// starts reports whether a git in dir starts git-plan: the stand-in records its arguments.
func (b bench) starts(t *testing.T, dir, what string) bool {
	t.Helper()
	path := filepath.Join(b.Seen, "ours.args")
	_ = os.Remove(path)
	hooked.Git(t, dir, allDay[what]...)
	return hooked.Exists(path)
}

func (b bench) mark(t *testing.T, name string) {
	t.Helper()
	hooked.Write(t, filepath.Join(b.Repo, ".git/plan", name, "p-1234"), "", 0o600)
}

// Without a marker nothing is started, and with one only hooks that have something to do.
func TestNoProgramIsStartedWithoutNeed(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	installed(t, b.Repo)
	for _, c := range []struct{ mark, starts string }{
		{"", ""},
		{"open", "commit amend"},
		{"attached", "amend detach switch rebase"},
	} {
		hooked.Must(t, os.RemoveAll(filepath.Join(b.Repo, ".git/plan")))
		if c.mark != "" {
			b.mark(t, c.mark)
		}
		for _, what := range []string{"commit", "amend", "detach", "switch", "checkout", "rebase"} {
			want := slices.Contains(strings.Fields(c.starts), what)
			if got := b.starts(t, b.Repo, what); got != want {
				t.Errorf("with mark %q git %v starts ours: %v", c.mark, allDay[what], got)
			}
		}
	}
	for _, kv := range [][2]string{{"GIT_PLAN_DEPTH", "1"}, {"GIT_PLAN_HOOKS", "0"}} {
		t.Setenv(kv[0], kv[1])
		for _, what := range []string{"amend", "detach", "rebase"} {
			if b.starts(t, b.Repo, what) {
				t.Errorf("with %s=%s: git %v", kv[0], kv[1], allDay[what])
			}
		}
		t.Setenv(kv[0], "")
	}
}

func TestTheMarkIsFoundFromWhereverGitRunsTheHook(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	installed(t, b.Repo)
	b.mark(t, "attached")
	linked := b.Repo + " linked"
	hooked.Git(t, b.Repo, "worktree", "add", "--quiet", "-b", "linked", linked)
	if !hooked.Exists(filepath.Join(b.Seen, "ours.args")) {
		t.Error("not for a new worktree")
	}
	if !b.starts(t, linked, "amend") || !b.starts(t, linked, "detach") {
		t.Error("not in a linked worktree")
	}
	hooked.Must(t, os.Mkdir(filepath.Join(b.Repo, "sub"), 0o755))
	if !b.starts(t, filepath.Join(b.Repo, "sub"), "amend") {
		t.Error("not below the top")
	}
	t.Setenv("GIT_DIR", filepath.Join(b.Repo, ".git"))
	elsewhere := b.Repo + "-tree"
	hooked.Must(t, os.Mkdir(elsewhere, 0o755))
	t.Setenv("GIT_WORK_TREE", elsewhere)
	if !b.starts(t, elsewhere, "amend") {
		t.Error("not with a git folder that is elsewhere")
	}
}

// Every shell finds the marker, from a main and from a linked work tree, with any options, and the rest of
// the hook runs as if git plan's lines were not there.
func TestEveryShellFindsTheMark(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	linked := b.Repo + " it's linked"
	hooked.Git(t, b.Repo, "worktree", "add", "--quiet", "-b", "linked", linked)
	hook := filepath.Join(b.Repo, ".git/hooks/post-rewrite")
	const input = "old new\nmore"
	for name, shell := range shells(t) {
		for _, options := range []string{"", "-eu", "-euC"} {
			for _, from := range []string{b.Repo, linked} {
				t.Run(name+options+filepath.Base(from), func(t *testing.T) {
					hooked.Write(t, hook, "#!"+strings.Join(shell, " ")+"\ncat >|\"$STAND_IN/theirs.stdin\"\necho \"${git_plan_dir-}${git_plan_word-} $# $1 $-\"\n", 0o755)
					call := func() hooked.Ended {
						return hooked.Run(t, from, input, shell[0], append(append(append([]string{}, shell[1:]...), strings.Fields(options)...), hook, "rebase")...)
					}
					alone := call()
					installed(t, b.Repo)
					for _, marked := range []bool{false, true} {
						_ = os.Remove(filepath.Join(b.Seen, "ours.stdin"))
						_ = os.RemoveAll(filepath.Join(b.Repo, ".git/plan"))
						if marked {
							hooked.Write(t, filepath.Join(b.Repo, ".git/plan/attached/p-1234"), "", 0o600)
						}
						if with := call(); with != alone || b.Saw(t, "theirs.stdin") != input {
							t.Errorf("marked %v: %+v, without ours %+v", marked, with, alone)
						}
						if got := hooked.Exists(filepath.Join(b.Seen, "ours.stdin")); got != marked || marked && b.Saw(t, "ours.stdin") != input {
							t.Errorf("marked %v: ours was started: %v", marked, got)
						}
					}
				})
			}
		}
	}
}

// Output and exit code of git plan's lines do not affect git; those of the person's hook do.
func TestOnlyTheGateStopsGit(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	for _, h := range []string{"prepare-commit-msg", "commit-msg"} {
		hooked.Write(t, filepath.Join(b.Repo, ".git/hooks", h), "#!/bin/sh\nexit ${THEIRS:-0}\n", 0o755)
	}
	installed(t, b.Repo)
	hooked.Write(t, filepath.Join(b.Repo, ".git/plan/open/p-1234"), "", 0o600)
	for _, code := range []string{"1", "127", "143"} {
		t.Setenv("STAND_IN_EXIT", code)
		if e := hooked.Run(t, b.Repo, "", "git", "commit", "--quiet", "--allow-empty", "-m", "x"); e.Code != 0 {
			t.Errorf("ours ended with %s: %+v", code, e)
		}
	}
	t.Setenv("THEIRS", "1")
	if e := hooked.Run(t, b.Repo, "", "git", "commit", "--quiet", "--allow-empty", "-m", "x"); e.Code == 0 {
		t.Error("theirs did not stop the commit")
	}
}

// post-rewrite has standard input, which the person's hook reads, too.
func TestPersonsPostRewriteGetsGitsInput(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, filepath.Join(b.Repo, ".git/hooks/post-rewrite"), hooked.Keeps, 0o755)
	installed(t, b.Repo)
	for _, marked := range []bool{false, true} {
		if marked {
			hooked.Write(t, filepath.Join(b.Repo, ".git/plan/attached/p-1234"), "", 0o600)
		}
		old := hooked.Git(t, b.Repo, "rev-parse", "HEAD")
		hooked.Git(t, b.Repo, "commit", "--quiet", "--amend", "--allow-empty", "-m", "amended", "--date", map[bool]string{false: "2026-01-01T00:00:00Z", true: "2026-01-01T00:00:01Z"}[marked])
		want := old + " " + hooked.Git(t, b.Repo, "rev-parse", "HEAD") + "\n"
		if got := b.Saw(t, "theirs.stdin"); got != want {
			t.Errorf("theirs read %q, want %q", got, want)
		}
		if ours := filepath.Join(b.Seen, "ours.stdin"); marked && hooked.Contents(t, ours) != want || !marked && hooked.Exists(ours) {
			t.Errorf("marked %v: ours read %q", marked, want)
		}
	}
	if got := b.Saw(t, "theirs.args"); got != "amend\n" {
		t.Errorf("theirs got %q", got)
	}
}
