package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/testdata/hooked"
)

// without removes git-plan from PATH, the stand-in and an installed one, and records program in the hook.
func (b bench) without(t *testing.T, program string) {
	t.Helper()
	hooked.Must(t, os.Rename(filepath.Join(b.Bin, "git-plan"), filepath.Join(b.Bin, "moved")))
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if hooked.Exists(filepath.Join(dir, "git-plan")) {
			dir = othersOf(t, dir, "git-plan")
		}
		dirs = append(dirs, dir)
	}
	t.Setenv("PATH", strings.Join(dirs, string(os.PathListSeparator)))
	f := look(t, b.Repo)
	f.Program = program
	perform(t, install.Plan(f, install.Install))
}

// othersOf returns a folder with links to everything in dir except that name.
func othersOf(t *testing.T, dir, name string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	hooked.Must(t, err)
	links := t.TempDir()
	for _, e := range all {
		if e.Name() != name {
			hooked.Must(t, os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(links, e.Name())))
		}
	}
	return links
}

func TestPersonsHookGetsGitsInput(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	installed(t, b.Repo)
	hooked.Git(t, b.Repo, "branch", "other")
	oid := hooked.Git(t, b.Repo, "rev-parse", "HEAD")

	if e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", "main", "other:x"); e.Code != 0 || e.Stderr != "" {
		t.Fatalf("push: %+v", e)
	}
	zero := strings.Repeat("0", 40)
	want := "refs/heads/main " + oid + " refs/heads/main " + zero + "\n" + "refs/heads/other " + oid + " refs/heads/x " + zero + "\n"
	for _, who := range []string{"ours", "theirs"} {
		if got := b.Saw(t, who+".stdin"); got != want {
			t.Errorf("%s read %q, want %q", who, got, want)
		}
	}
	if ours, theirs := b.Saw(t, "ours.args"), b.Saw(t, "theirs.args"); ours != "hook\npre-push\n"+theirs || theirs != "origin\n"+b.Remote+"\n" {
		t.Errorf("arguments: ours %q, theirs %q", ours, theirs)
	}

	// When everything is up to date git writes nothing, so they read nothing.
	hooked.Git(t, b.Repo, "push", "--quiet", "origin", "main")
	if b.Saw(t, "ours.stdin") != "" || b.Saw(t, "theirs.stdin") != "" {
		t.Errorf("ours %q, theirs %q", b.Saw(t, "ours.stdin"), b.Saw(t, "theirs.stdin"))
	}
}

func TestBothHooksCanStopThePush(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps+"exit $THEIRS\n", 0o755)
	installed(t, b.Repo)
	for _, c := range []struct {
		ours, theirs string
		pushed, ran  bool
	}{
		{"0", "0", true, true},
		{"0", "3", false, true},
		{"1", "0", false, false},
		{"143", "0", false, false},
		{"126", "0", true, true}, // it could not run: a wrong kind of program
		{"127", "3", false, true},
	} {
		t.Setenv("STAND_IN_EXIT", c.ours)
		t.Setenv("THEIRS", c.theirs)
		_ = os.Remove(filepath.Join(b.Seen, "theirs.stdin"))
		branch := "x" + c.ours + "-" + c.theirs
		hooked.Git(t, b.Repo, "branch", branch)
		e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", branch)
		if (e.Code == 0) != c.pushed || hooked.Exists(filepath.Join(b.Seen, "theirs.stdin")) != c.ran {
			t.Errorf("ours %s, theirs %s: push ended with %d, theirs ran: %v\n%s", c.ours, c.theirs, e.Code, hooked.Exists(filepath.Join(b.Seen, "theirs.stdin")), e.Stderr)
		}
	}
}

func TestHookWithoutGitPlanWarnsAndContinues(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	b.without(t, "/nowhere/git-plan")
	e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", "main")
	if e.Code != 0 || strings.Count(e.Stderr, "\n") != 1 {
		t.Errorf("push: %+v", e)
	}
	hooked.Contains(t, e.Stderr, "git-plan cannot be run", "pre-push")
	hooked.Contains(t, b.Saw(t, "theirs.stdin"), "refs/heads/main")

	// A session may have removed the execute permission (Landlock does not protect modes): with block, the
	// push is stopped.
	for mode, code := range map[string]int{"block": 1, "blokc": 1, "off": 0, "warn": 0} {
		hooked.Git(t, b.Repo, "config", "plan.prePush", mode)
		if e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", "main:"+mode); e.Code != code {
			t.Errorf("%s: push: %+v", mode, e)
		}
	}
}

func TestRecordedProgramIsUsedIfNotOnPATH(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	b.without(t, filepath.Join(b.Bin, "moved"))
	hooked.Git(t, b.Repo, "push", "--quiet", "origin", "main")
	hooked.Contains(t, b.Saw(t, "ours.stdin"), "refs/heads/main")
}

func TestOneVariableSwitchesTheHookOff(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	installed(t, b.Repo)
	t.Setenv("GIT_PLAN_HOOKS", "0")
	hooked.Git(t, b.Repo, "push", "--quiet", "origin", "main")
	if hooked.Exists(filepath.Join(b.Seen, "ours.stdin")) {
		t.Error("git-plan was asked")
	}
	hooked.Contains(t, b.Saw(t, "theirs.stdin"), "refs/heads/main")
}

func TestTheHookOfALinkedWorktreeWorks(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	installed(t, b.Repo)
	linked := b.Repo + "-linked"
	hooked.Git(t, b.Repo, "worktree", "add", "--quiet", linked)
	hooked.Git(t, linked, "push", "--quiet", "origin", "HEAD")
	hooked.Contains(t, b.Saw(t, "ours.stdin"), "HEAD ")
}

// shells are those of this machine that a hook may name, with the arguments to start them.
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

// Whatever shell and options a hook has, its own lines run as if git plan's were not there.
func TestHookLinesHaveNoSideEffectsInAnyShell(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	const input = "exact\x00bytes, and no newline at the end"
	for name, shell := range shells(t) {
		for _, options := range []string{"", "-e", "-u", "-eu", "-C", "-euC"} {
			t.Run(name+options, func(t *testing.T) {
				script := filepath.Join(b.Seen, "hook")
				body := "cat >|\"$STAND_IN/theirs.stdin\"\nif command -v git_plan_hook; then echo leaked; fi\necho \"${git_plan-}${git_plan_in-}${git_plan_code-} $# $2 $-\"\n" +
					"trap 'echo trapped $?' EXIT\nset -e\nfalse\necho unreachable\n"
				hooked.Write(t, script, "#!"+strings.Join(shell, " ")+"\n"+body, 0o755)
				words := append(append([]string{}, shell[1:]...), strings.Fields(options)...)
				call := func(path string) hooked.Ended {
					return hooked.Run(t, b.Repo, input, shell[0], append(words, path, "origin", "two words")...)
				}
				alone := call(script)
				hooked.Contains(t, alone.Stdout, "two words", "trapped 1")

				hooked.Write(t, b.Hook(), hooked.Contents(t, script), 0o755)
				installed(t, b.Repo)
				hooked.Must(t, os.Remove(filepath.Join(b.Seen, "theirs.stdin")))
				if with := call(b.Hook()); with != alone {
					t.Errorf("with our lines: %+v\nwithout: %+v", with, alone)
				}
				if b.Saw(t, "ours.stdin") != input || b.Saw(t, "theirs.stdin") != input {
					t.Errorf("ours read %q, theirs %q", b.Saw(t, "ours.stdin"), b.Saw(t, "theirs.stdin"))
				}
				t.Setenv("STAND_IN_EXIT", "9")
				if e := call(b.Hook()); e.Code != 9 || e.Stdout != "" {
					t.Errorf("stopped: %+v", e)
				}
			})
		}
	}
}

func TestHookThatCannotStoreItsInput(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	installed(t, b.Repo)
	t.Run("has read nothing yet, but cannot judge", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(b.Temp, "gone"))
		e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", "main")
		if e.Code == 0 || e.Stderr == "" || hooked.Exists(filepath.Join(b.Seen, "theirs.stdin")) {
			t.Errorf("push: %+v", e)
		}
	})
	t.Run("has read some of it, so theirs must not run on the rest", func(t *testing.T) {
		hooked.Write(t, filepath.Join(b.Bin, "cat"), "#!/bin/sh\nread line; echo No space left >&2; exit 1\n", 0o755)
		e := hooked.Run(t, b.Repo, "", "git", "push", "--quiet", "origin", "main:full")
		if e.Code == 0 || hooked.Exists(filepath.Join(b.Seen, "theirs.stdin")) {
			t.Errorf("push: %+v", e)
		}
	})
}

func TestHookIsValidShell(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	installed(t, b.Repo)
	for name, shell := range shells(t) {
		for _, h := range install.All() {
			if e := hooked.Run(t, b.Repo, "", shell[0], append(shell[1:], "-n", filepath.Join(b.Repo, ".git/hooks", h.Name))...); e.Code != 0 {
				t.Errorf("%s, %s: %s", name, h.Name, e.Stderr)
			}
		}
	}
}
