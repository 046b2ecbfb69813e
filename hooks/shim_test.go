package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/hooks"
)

// bench is a repository with a local remote, the stand-in for git-plan on
// PATH, and a folder in which the stand-in and the hooks keep what they see.
type bench struct{ repo, remote, bin, seen, temp string }

func newBench(t *testing.T) bench {
	t.Helper()
	dir := world(t)
	b := bench{filepath.Join(dir, "repo"), filepath.Join(dir, "remote.git"), filepath.Join(dir, "bin"), filepath.Join(dir, "seen"), filepath.Join(dir, "temp")}
	repository(t, b.repo)
	gitIn(t, dir, "init", "--quiet", "--bare", b.remote)
	gitIn(t, b.repo, "remote", "add", "origin", b.remote)
	write(t, filepath.Join(b.bin, "git-plan"), contents(t, "../testdata/hooks/git-plan"), 0o755)
	must(t, os.Mkdir(b.seen, 0o755))
	must(t, os.Mkdir(b.temp, 0o755))
	t.Setenv("STAND_IN", b.seen)
	t.Setenv("STAND_IN_EXIT", "0")
	t.Setenv("TMPDIR", b.temp)
	t.Setenv("PATH", b.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Cleanup(func() {
		if left, _ := os.ReadDir(b.temp); len(left) > 0 {
			t.Errorf("a temporary file was left: %v", left)
		}
	})
	return b
}

func (b bench) hook() string { return filepath.Join(b.repo, ".git/hooks/pre-push") }

func (b bench) saw(t *testing.T, name string) string {
	t.Helper()
	return contents(t, filepath.Join(b.seen, name))
}

// without takes git-plan off PATH, the stand-in and one that is installed here,
// and records program in the hook.
func (b bench) without(t *testing.T, program string) {
	t.Helper()
	must(t, os.Rename(filepath.Join(b.bin, "git-plan"), filepath.Join(b.bin, "moved")))
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if exists(filepath.Join(dir, "git-plan")) {
			dir = othersOf(t, dir, "git-plan")
		}
		dirs = append(dirs, dir)
	}
	t.Setenv("PATH", strings.Join(dirs, string(os.PathListSeparator)))
	f := look(t, b.repo)
	f.Program = program
	perform(t, hooks.PlanInstall(f))
}

// othersOf returns a folder with links to what is in dir but that name.
func othersOf(t *testing.T, dir, name string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	must(t, err)
	links := t.TempDir()
	for _, e := range all {
		if e.Name() != name {
			must(t, os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(links, e.Name())))
		}
	}
	return links
}

// keeps is a hook that keeps its arguments and its input as the stand-in does.
const keeps = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$STAND_IN/theirs.args\"\ncat >\"$STAND_IN/theirs.stdin\"\n"

func TestThePersonsHookGetsWhatGitSaid(t *testing.T) {
	b := newBench(t)
	write(t, b.hook(), keeps, 0o755)
	install(t, b.repo)
	gitIn(t, b.repo, "branch", "other")
	oid := gitIn(t, b.repo, "rev-parse", "HEAD")

	if e := run(t, b.repo, "", "git", "push", "--quiet", "origin", "main", "other:x"); e.code != 0 || e.stderr != "" {
		t.Fatalf("push: %+v", e)
	}
	zero := strings.Repeat("0", 40)
	want := "refs/heads/main " + oid + " refs/heads/main " + zero + "\n" + "refs/heads/other " + oid + " refs/heads/x " + zero + "\n"
	for _, who := range []string{"ours", "theirs"} {
		if got := b.saw(t, who+".stdin"); got != want {
			t.Errorf("%s read %q, want %q", who, got, want)
		}
	}
	if ours, theirs := b.saw(t, "ours.args"), b.saw(t, "theirs.args"); ours != "hook\npre-push\n"+theirs || theirs != "origin\n"+b.remote+"\n" {
		t.Errorf("arguments: ours %q, theirs %q", ours, theirs)
	}

	// When all is up to date git says nothing, and nothing is what they read.
	gitIn(t, b.repo, "push", "--quiet", "origin", "main")
	if b.saw(t, "ours.stdin") != "" || b.saw(t, "theirs.stdin") != "" {
		t.Errorf("ours %q, theirs %q", b.saw(t, "ours.stdin"), b.saw(t, "theirs.stdin"))
	}
}

func TestOursStopsThePushAndTheirsDoes(t *testing.T) {
	b := newBench(t)
	write(t, b.hook(), keeps+"exit $THEIRS\n", 0o755)
	install(t, b.repo)
	for _, c := range []struct {
		ours, theirs string
		pushed, ran  bool
	}{
		{"0", "0", true, true},
		{"0", "3", false, true},
		{"1", "0", false, false},
		{"143", "0", false, false},
		{"126", "0", true, true}, // it could not be run: a wrong kind of program
		{"127", "3", false, true},
	} {
		t.Setenv("STAND_IN_EXIT", c.ours)
		t.Setenv("THEIRS", c.theirs)
		_ = os.Remove(filepath.Join(b.seen, "theirs.stdin"))
		branch := "x" + c.ours + "-" + c.theirs
		gitIn(t, b.repo, "branch", branch)
		e := run(t, b.repo, "", "git", "push", "--quiet", "origin", branch)
		if (e.code == 0) != c.pushed || exists(filepath.Join(b.seen, "theirs.stdin")) != c.ran {
			t.Errorf("ours %s, theirs %s: push ended with %d, theirs ran: %v\n%s", c.ours, c.theirs, e.code, exists(filepath.Join(b.seen, "theirs.stdin")), e.stderr)
		}
	}
}

func TestAHookWithoutGitPlanSaysSoAndGoesOn(t *testing.T) {
	b := newBench(t)
	write(t, b.hook(), keeps, 0o755)
	b.without(t, "/nowhere/git-plan")
	e := run(t, b.repo, "", "git", "push", "--quiet", "origin", "main")
	if e.code != 0 || strings.Count(e.stderr, "\n") != 1 {
		t.Errorf("push: %+v", e)
	}
	contains(t, e.stderr, "git-plan cannot be run", "pre-push")
	contains(t, b.saw(t, "theirs.stdin"), "refs/heads/main")
}

func TestTheRecordedProgramServesWherePATHDoesNotNameIt(t *testing.T) {
	b := newBench(t)
	b.without(t, filepath.Join(b.bin, "moved"))
	gitIn(t, b.repo, "push", "--quiet", "origin", "main")
	contains(t, b.saw(t, "ours.stdin"), "refs/heads/main")
}

func TestOneVariableSwitchesTheHookOff(t *testing.T) {
	b := newBench(t)
	write(t, b.hook(), keeps, 0o755)
	install(t, b.repo)
	t.Setenv("GIT_PLAN_HOOKS", "0")
	gitIn(t, b.repo, "push", "--quiet", "origin", "main")
	if exists(filepath.Join(b.seen, "ours.stdin")) {
		t.Error("git-plan was asked")
	}
	contains(t, b.saw(t, "theirs.stdin"), "refs/heads/main")
}

func TestTheHookOfALinkedWorktreeWorks(t *testing.T) {
	b := newBench(t)
	install(t, b.repo)
	linked := b.repo + "-linked"
	gitIn(t, b.repo, "worktree", "add", "--quiet", linked)
	gitIn(t, linked, "push", "--quiet", "origin", "HEAD")
	contains(t, b.saw(t, "ours.stdin"), "HEAD ")
}

// shells are those of this machine that a hook may name, with how to start them.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range []string{"sh", "dash", "bash", "busybox", "zsh", "mksh", "yash"} {
		path, ok := proc.Find(name)
		if !ok {
			continue
		}
		found[name] = []string{path}
		if name == "busybox" {
			found[name] = []string{path, "sh"}
		}
	}
	return found
}

// Whatever shell and options a hook has, its own lines find everything as if
// ours were not there.
func TestOurLinesLeaveNoTraceInAnyShell(t *testing.T) {
	b := newBench(t)
	const input = "exact\x00bytes, and no newline at the end"
	for name, shell := range shells(t) {
		for _, options := range []string{"", "-e", "-u", "-eu", "-C", "-euC"} {
			t.Run(name+options, func(t *testing.T) {
				script := filepath.Join(b.seen, "hook")
				body := "cat >|\"$STAND_IN/theirs.stdin\"\nif command -v git_plan_hook; then echo leaked; fi\necho \"${git_plan-}${git_plan_in-}${git_plan_code-} $# $2 $-\"\n" +
					"trap 'echo trapped $?' EXIT\nset -e\nfalse\necho unreachable\n"
				write(t, script, "#!"+strings.Join(shell, " ")+"\n"+body, 0o755)
				words := append(append([]string{}, shell[1:]...), strings.Fields(options)...)
				call := func(path string) ended {
					return run(t, b.repo, input, shell[0], append(words, path, "origin", "two words")...)
				}
				alone := call(script)
				contains(t, alone.stdout, "two words", "trapped 1")

				write(t, b.hook(), contents(t, script), 0o755)
				install(t, b.repo)
				must(t, os.Remove(filepath.Join(b.seen, "theirs.stdin")))
				if with := call(b.hook()); with != alone {
					t.Errorf("with our lines: %+v\nwithout: %+v", with, alone)
				}
				if b.saw(t, "ours.stdin") != input || b.saw(t, "theirs.stdin") != input {
					t.Errorf("ours read %q, theirs %q", b.saw(t, "ours.stdin"), b.saw(t, "theirs.stdin"))
				}
				t.Setenv("STAND_IN_EXIT", "9")
				if e := call(b.hook()); e.code != 9 || e.stdout != "" {
					t.Errorf("stopped: %+v", e)
				}
			})
		}
	}
}

func TestAHookThatCannotKeepItsInput(t *testing.T) {
	b := newBench(t)
	write(t, b.hook(), keeps, 0o755)
	install(t, b.repo)
	t.Run("has read nothing yet, so it goes on", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(b.temp, "gone"))
		e := run(t, b.repo, "", "git", "push", "--quiet", "origin", "main")
		if e.code != 0 || e.stderr == "" {
			t.Errorf("push: %+v", e)
		}
		contains(t, b.saw(t, "theirs.stdin"), "refs/heads/main")
	})
	t.Run("has read some of it, so theirs must not run on the rest", func(t *testing.T) {
		write(t, filepath.Join(b.bin, "cat"), "#!/bin/sh\nread line; echo No space left >&2; exit 1\n", 0o755)
		must(t, os.Remove(filepath.Join(b.seen, "theirs.stdin")))
		e := run(t, b.repo, "", "git", "push", "--quiet", "origin", "main:full")
		if e.code == 0 || exists(filepath.Join(b.seen, "theirs.stdin")) {
			t.Errorf("push: %+v", e)
		}
	})
}

func TestTheHookIsGoodShell(t *testing.T) {
	b := newBench(t)
	install(t, b.repo)
	for name, shell := range shells(t) {
		for _, h := range hooks.All() {
			if e := run(t, b.repo, "", shell[0], append(shell[1:], "-n", filepath.Join(b.repo, ".git/hooks", h.Name))...); e.code != 0 {
				t.Errorf("%s, %s: %s", name, h.Name, e.stderr)
			}
		}
	}
}
