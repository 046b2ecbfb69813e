package hooks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What git does all day, by name.
var allDay = map[string][]string{
	"commit":   {"commit", "--quiet", "--allow-empty", "-m", "x"},
	"amend":    {"commit", "--quiet", "--allow-empty", "--amend", "-m", "y"},
	"detach":   {"switch", "--quiet", "--detach"},
	"switch":   {"switch", "--quiet", "main"},
	"checkout": {"checkout", "--quiet", "HEAD", "--", "README.md"}, // of files
	"rebase":   {"-c", "core.editor=true", "rebase", "--quiet", "--force-rebase", "--root"},
}

// starts reports whether a git in dir starts git-plan: the stand-in leaves its arguments.
func (b bench) starts(t *testing.T, dir, what string) bool {
	t.Helper()
	path := filepath.Join(b.seen, "ours.args")
	_ = os.Remove(path)
	gitIn(t, dir, allDay[what]...)
	return exists(path)
}

func (b bench) mark(t *testing.T, name string) {
	t.Helper()
	write(t, filepath.Join(b.repo, ".git/plan", name, "p-1234"), "", 0o600)
}

// Without a mark nothing is started, and with one only what has something to do.
func TestNoProgramIsStartedForNothing(t *testing.T) {
	b := newBench(t)
	install(t, b.repo)
	for _, c := range []struct{ mark, starts string }{
		{"", ""},
		{"open", "commit amend"},
		{"attached", "amend detach switch rebase"},
	} {
		must(t, os.RemoveAll(filepath.Join(b.repo, ".git/plan")))
		if c.mark != "" {
			b.mark(t, c.mark)
		}
		for _, what := range []string{"commit", "amend", "detach", "switch", "checkout", "rebase"} {
			want := slices.Contains(strings.Fields(c.starts), what)
			if got := b.starts(t, b.repo, what); got != want {
				t.Errorf("with mark %q git %v starts ours: %v", c.mark, allDay[what], got)
			}
		}
	}
	for _, kv := range [][2]string{{"GIT_PLAN_DEPTH", "1"}, {"GIT_PLAN_HOOKS", "0"}} {
		t.Setenv(kv[0], kv[1])
		for _, what := range []string{"amend", "detach", "rebase"} {
			if b.starts(t, b.repo, what) {
				t.Errorf("with %s=%s: git %v", kv[0], kv[1], allDay[what])
			}
		}
		t.Setenv(kv[0], "")
	}
}

func TestTheMarkIsFoundFromWhereverGitRunsTheHook(t *testing.T) {
	b := newBench(t)
	install(t, b.repo)
	b.mark(t, "attached")
	linked := b.repo + " linked"
	gitIn(t, b.repo, "worktree", "add", "--quiet", "-b", "linked", linked)
	if !exists(filepath.Join(b.seen, "ours.args")) {
		t.Error("not for a new worktree")
	}
	if !b.starts(t, linked, "amend") || !b.starts(t, linked, "detach") {
		t.Error("not in a linked worktree")
	}
	must(t, os.Mkdir(filepath.Join(b.repo, "sub"), 0o755))
	if !b.starts(t, filepath.Join(b.repo, "sub"), "amend") {
		t.Error("not below the top")
	}
	t.Setenv("GIT_DIR", filepath.Join(b.repo, ".git"))
	elsewhere := b.repo + "-tree"
	must(t, os.Mkdir(elsewhere, 0o755))
	t.Setenv("GIT_WORK_TREE", elsewhere)
	if !b.starts(t, elsewhere, "amend") {
		t.Error("not with a git folder that is elsewhere")
	}
}

// Every shell finds the mark, from a main and from a linked worktree, with any
// options, and what follows finds everything as if ours were not there.
func TestEveryShellFindsTheMark(t *testing.T) {
	b := newBench(t)
	linked := b.repo + " it's linked"
	gitIn(t, b.repo, "worktree", "add", "--quiet", "-b", "linked", linked)
	hook := filepath.Join(b.repo, ".git/hooks/post-rewrite")
	const input = "old new\nmore"
	for name, shell := range shells(t) {
		for _, options := range []string{"", "-eu", "-euC"} {
			for _, from := range []string{b.repo, linked} {
				t.Run(name+options+filepath.Base(from), func(t *testing.T) {
					write(t, hook, "#!"+strings.Join(shell, " ")+"\ncat >|\"$STAND_IN/theirs.stdin\"\necho \"${git_plan_dir-}${git_plan_word-} $# $1 $-\"\n", 0o755)
					call := func() ended {
						return run(t, from, input, shell[0], append(append(append([]string{}, shell[1:]...), strings.Fields(options)...), hook, "rebase")...)
					}
					alone := call()
					install(t, b.repo)
					for _, marked := range []bool{false, true} {
						_ = os.Remove(filepath.Join(b.seen, "ours.stdin"))
						_ = os.RemoveAll(filepath.Join(b.repo, ".git/plan"))
						if marked {
							write(t, filepath.Join(b.repo, ".git/plan/attached/p-1234"), "", 0o600)
						}
						if with := call(); with != alone || b.saw(t, "theirs.stdin") != input {
							t.Errorf("marked %v: %+v, without ours %+v", marked, with, alone)
						}
						if got := exists(filepath.Join(b.seen, "ours.stdin")); got != marked || marked && b.saw(t, "ours.stdin") != input {
							t.Errorf("marked %v: ours was started: %v", marked, got)
						}
					}
				})
			}
		}
	}
}

// What ours says or how it ends is nothing to git; what theirs says is.
func TestOnlyTheGateStopsGit(t *testing.T) {
	b := newBench(t)
	for _, h := range []string{"prepare-commit-msg", "commit-msg"} {
		write(t, filepath.Join(b.repo, ".git/hooks", h), "#!/bin/sh\nexit ${THEIRS:-0}\n", 0o755)
	}
	install(t, b.repo)
	write(t, filepath.Join(b.repo, ".git/plan/open/p-1234"), "", 0o600)
	for _, code := range []string{"1", "127", "143"} {
		t.Setenv("STAND_IN_EXIT", code)
		if e := run(t, b.repo, "", "git", "commit", "--quiet", "--allow-empty", "-m", "x"); e.code != 0 {
			t.Errorf("ours ended with %s: %+v", code, e)
		}
	}
	t.Setenv("THEIRS", "1")
	if e := run(t, b.repo, "", "git", "commit", "--quiet", "--allow-empty", "-m", "x"); e.code == 0 {
		t.Error("theirs did not stop the commit")
	}
}

// post-rewrite has something on standard input, which theirs reads too.
func TestTheirPostRewriteGetsWhatGitSaid(t *testing.T) {
	b := newBench(t)
	write(t, filepath.Join(b.repo, ".git/hooks/post-rewrite"), keeps, 0o755)
	install(t, b.repo)
	for _, marked := range []bool{false, true} {
		if marked {
			write(t, filepath.Join(b.repo, ".git/plan/attached/p-1234"), "", 0o600)
		}
		old := gitIn(t, b.repo, "rev-parse", "HEAD")
		gitIn(t, b.repo, "commit", "--quiet", "--amend", "--allow-empty", "-m", "amended", "--date", map[bool]string{false: "2026-01-01T00:00:00Z", true: "2026-01-01T00:00:01Z"}[marked])
		want := old + " " + gitIn(t, b.repo, "rev-parse", "HEAD") + "\n"
		if got := b.saw(t, "theirs.stdin"); got != want {
			t.Errorf("theirs read %q, want %q", got, want)
		}
		if ours := filepath.Join(b.seen, "ours.stdin"); marked && contents(t, ours) != want || !marked && exists(ours) {
			t.Errorf("marked %v: ours read %q", marked, want)
		}
	}
	if got := b.saw(t, "theirs.args"); got != "amend\n" {
		t.Errorf("theirs was told %q", got)
	}
}
