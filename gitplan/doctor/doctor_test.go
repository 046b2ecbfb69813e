package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Each role is listed with its agent, or why it has none; roles with the same agent share a line.
func TestAgentsOfRoles(t *testing.T) {
	w := newWorld(t)
	nothing := repository.OnlyGit(t)
	agents := func(path string) []Symptom {
		t.Helper()
		t.Setenv("PATH", path)
		defer t.Setenv("PATH", os.Getenv("PATH"))
		return examineAgents(w.open(), proc.Bwrap)
	}
	path := os.Getenv("PATH")
	says(t, agents(nothing), "planner, executor, reviewer, verifier, fixer", "WRONG no agent is configured, and there is neither OPENAI_API_KEY nor ...")

	t.Setenv("PATH", path)
	w.git("config plan.agent mine", "config planAgent.mine.command true", "config planAgent.mine.model big", "config plan.fixer.agent other", "config planAgent.other.command true",
		"config plan.reviewer.effort high", "config plan.verifier.fallback other")
	found := agents(path)
	says(t, found, "planner, executor", "ok mine big")
	says(t, found, "reviewer", "ok mine big high")
	says(t, found, "verifier", "ok mine big, else other")
	says(t, found, "fixer", "ok other")

	hidden := filepath.Join(disk.Real(os.Getenv("HOME")), ".ssh", "agent")
	w.write(hidden, "#!/bin/sh\n", 0o755)
	linked := filepath.Join(w.TempDir(), "agent")
	fine(t, os.Symlink(hidden, linked))
	w.git("config planAgent.linked.acp "+linked, "config plan.fixer.agent linked")
	says(t, agents(path), "fixer", "WRONG linked: the sandbox hides its program: "+hidden+" => git config --add plan.sandboxReadable "+filepath.Dir(hidden))

	between := filepath.Join(disk.Real(os.Getenv("HOME")), ".gnupg", "agent")
	fine(t, os.MkdirAll(filepath.Dir(between), 0o755), os.Symlink(hidden, between), os.Remove(linked), os.Symlink(between, linked))
	both := filepath.Dir(between) + ", " + filepath.Dir(hidden) // one command reveals all that is on the way
	says(t, agents(path), "fixer", "WRONG linked: the sandbox hides its program: "+between+", "+hidden+" => git config --add plan.sandboxReadable "+visible.Shell(both))
	w.run("config", "--add", "plan.sandboxReadable", both)
	says(t, agents(path), "planner, executor", "ok mine big")

	w.git("config plan.fixer.agent nobody", "config plan.planner.fallback nobody")
	found = agents(path)
	says(t, found, "planner", "WRONG agent nobody is not set up: neither planAgent.nobody.command nor planAgent.nobody.baseURL is set, else nobody => git config plan.planner.fallback NAME, or none")
	says(t, found, "fixer", "WRONG agent nobody is not set up: ...")
}

// Command-line agents are listed as installed or not, and working or not; none is required.
func TestProgramsOfAgents(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake program is a shell script")
	}
	w := newWorld(t)
	dir := repository.OnlyGit(t)
	for _, version := range []string{"999.0.0", "0.1.0"} {
		w.write(filepath.Join(dir, "codex"), "#!/bin/sh\necho codex-cli "+version+"\n", 0o755)
		t.Setenv("PATH", dir)
		found := examinePrograms(t.Context(), w.open().Config)
		says(t, found, "not installed", "- claude, gemini, opencode")
		if version == "0.1.0" {
			says(t, found, "codex", "WRONG codex 0.1.0 is too old: ...")
		} else {
			says(t, found, "codex", "ok 999.0.0 "+filepath.Join(dir, "codex")+" (not signed in, as far as its files show)")
		}
	}
}

// Existing keys are listed by name, and never shown.
func TestTheKeys(t *testing.T) {
	w := newWorld(t)
	w.git("config planAgent.mine.apiKeyEnv MY_KEY", "config planAgent.more.apiKeyEnv OPENAI_API_KEY")
	t.Setenv("MY_KEY", "")
	says(t, examineKeys(w.open().Config), "keys", "- none in the environment")
	t.Setenv("MY_KEY", "hush-1")
	t.Setenv("OPENAI_API_KEY", "hush-2")
	says(t, examineKeys(w.open().Config), "keys", "ok in the environment: OPENAI_API_KEY, MY_KEY")
}

// A sandbox that does not work is wrong; "none" is a person's choice.
func TestTheSandbox(t *testing.T) {
	w := newWorld(t)
	examined := func() []Symptom {
		c := w.open()
		chosen, err := sandbox.Choose(t.Context(), c.Config)
		return examineSandbox(c, chosen, err)
	}
	w.git("config plan.sandbox none")
	says(t, examined(), "sandbox", "ok none")
	w.git("config plan.sandbox chroot")
	says(t, examined(), "sandbox", `WRONG plan.sandbox is "chroot": it must be auto, bwrap, landlock, seatbelt or none => install it, or use what there is: git config plan.sandbox auto`)
	w.git("config plan.sandbox auto")
	found := examined()
	switch s := found[0]; {
	case strings.HasPrefix(s.Text, "none"):
		says(t, found, "sandbox", "- none...")
	case s.Found != Fine || len(found) != 2 || found[1].About != "home":
		t.Errorf("found %+v", found)
	}
}

// git finds git-plan on PATH.
func TestProgramOnPath(t *testing.T) {
	own, err := os.Executable()
	fine(t, err)
	name := "git-plan" + filepath.Ext(own)
	if runtime.GOOS != "windows" {
		name = "git-plan"
	}
	this := t.TempDir()
	fine(t, os.Symlink(own, filepath.Join(this, name)))
	for dir, want := range map[string]string{
		t.TempDir(): "WRONG is not on PATH, so `git plan` and the hooks do not find it => add its folder to PATH: " + own,
		this:        "ok " + filepath.Join(this, name),
	} {
		t.Setenv("PATH", dir)
		says(t, []Symptom{examinePath()}, "git-plan", want)
	}
}

// Everything is examined, inside or outside a repository, without network access.
func TestExamine(t *testing.T) {
	w := newWorld(t)
	w.git("config plan.sandbox none", "config plan.unknown x")
	about := map[string]bool{}
	for _, s := range Examine(t.Context(), w.open()) {
		about[s.About] = true
	}
	for _, want := range []string{"git", "not installed", "keys", "plan.unknown", "sandbox", "git-plan"} {
		if !about[want] {
			t.Errorf("nothing is said about %s: %v", want, about)
		}
	}
	w.Chdir(t.TempDir())
	c, err := checkout.Outside(t.Context())
	fine(t, err)
	defer c.Close()
	if found := Examine(t.Context(), c); len(found) == 0 || found[0].About != "git" || found[0].Found != Fine {
		t.Errorf("outside a repository: %+v", found)
	}
}
