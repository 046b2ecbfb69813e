package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

// A session's work is committed with the person's hooks, like git commit: all run, one may change the
// message, and one that fails stops the commit.
func TestHooksOfACommit(t *testing.T) {
	w := newWorld(t)
	w.hook("pre-commit", "git diff --cached --name-only >&2").hook("prepare-commit-msg", `echo "kind $2" >&2`)
	w.hook("commit-msg", `sed -i.bak 's/A step/A good step/; s/Plan-Step: .*/Plan-Step: y\/b/' "$1"; rm -f "$1.bak"`).hook("post-commit", "echo afterwards >&2")
	said, err := w.write("x.txt", "x\n").commits(nil)
	fine(t, err)
	for _, part := range []string{"x.txt", "kind message", "afterwards"} {
		w.says(said, part)
	}
	w.says(w.git("log", "-1", "--format=%B"), "A good step\n\nPlan-Step: x/a") // the trailer is the program's

	head := w.git("rev-parse", "HEAD")
	for hook, what := range map[string]string{"pre-commit": "exit 3", "commit-msg": "exit 3", "prepare-commit-msg": `rm "$1"; mkdir "$1"`} {
		w.hook(hook, what)
		_, err := w.write("y.txt", hook+"\n").commits(nil)
		if git.Code(err) != 1 {
			t.Errorf("%s: %v", hook, err)
		}
		w.hook(hook, "exit 0")
	}
	if now := w.git("rev-parse", "HEAD"); now != head {
		t.Error("a refused commit was made")
	}
}

// A pre-commit hook's changes are staged, and checked before they are committed; then the hook does not run
// again.
func TestFormattingHook(t *testing.T) {
	w := newWorld(t)
	w.hook("pre-commit", "echo formatted >x.txt; echo mine >>own.txt; echo made >made.txt; git add made.txt own.txt")
	w.write("x.txt", "x\n")
	_, err := w.commits(func(c *Commit) { c.Own = func(path string) bool { return path == "own.txt" } })
	if !errors.Is(err, ErrFormatted) {
		t.Fatal(err)
	}
	formatted := w.git("write-tree")
	w.says(w.git("ls-tree", "--name-only", formatted), "x.txt")
	_, err = w.commits(func(c *Commit) { c.Formatted = c.Tree })
	fine(t, err)
	w.says(w.git("show", "HEAD:x.txt"), "formatted")
}

// A hook that runs a session's code cannot change configuration, plan or branch: in a sandbox it cannot write
// them, elsewhere they are restored and the commit is refused.
func TestTamperingHook(t *testing.T) {
	for script, says := range map[string]string{
		"git config core.editor vi":                         "the configuration (core.editor)",
		"git commit -q --allow-empty --no-verify -m sneaky": "tampering: it moved branch work to ",
		"git symbolic-ref HEAD refs/heads/main":             "tampering: it left branch work",
		"git update-ref PLAN HEAD":                          "tampering: the session moved the plan to ",
	} {
		w := newWorld(t)
		w.git("config", "plan.sandbox", "none")
		head, ref := w.git("rev-parse", "work"), "refs/plans/"+w.site.Checkout.Doc.ID
		tip := w.git("rev-parse", ref)
		said, err := w.hook("commit-msg", strings.ReplaceAll(script, "PLAN", ref)).write("x.txt", "x\n").commits(nil)
		if git.Code(err) != 1 {
			t.Errorf("%s: %v", script, err)
		}
		w.says(said, says)
		w.says(w.git("symbolic-ref", "HEAD"), "refs/heads/work")
		if w.git("rev-parse", "work") != head || w.git("rev-parse", ref) != tip {
			t.Errorf("%s: it is not as it was", script)
		}
	}
}

// Files that a message hook stages after the checks are not committed.
func TestStagingMessageHook(t *testing.T) {
	for _, sandbox := range []string{"auto", "none"} {
		w := newWorld(t)
		w.git("config", "plan.sandbox", sandbox)
		w.hook("commit-msg", "echo unchecked >x.txt; git add x.txt; exit 0")
		_, err := w.write("x.txt", "x\n").commits(nil)
		fine(t, err)
		if got := w.git("show", "HEAD:x.txt"); got != "x" {
			t.Errorf("%s: committed %q", sandbox, got)
		}
	}
}

// The hooks of a person's own commit run unconfined, and so do all hooks if they are not to be confined.
func TestConfinedHooks(t *testing.T) {
	w := newWorld(t)
	t.Setenv("ONLYMINE", "yes")
	w.hook("pre-commit", "echo \"mine: $ONLYMINE\" >&2")
	said, err := w.write("x.txt", "x\n").commits(nil)
	fine(t, err)
	w.says(said, "mine: \n")
	said, err = w.write("x.txt", "y\n").commits(func(c *Commit) { c.ByHand = true })
	fine(t, err)
	w.says(said, "mine: yes")
	w.git("config", "plan.hooksSandbox", "off")
	said, err = w.write("x.txt", "z\n").commits(nil)
	fine(t, err)
	w.says(said, "mine: yes")
	w.git("config", "plan.hooksSandbox", "sometimes")
	said, err = w.write("x.txt", "0\n").commits(nil)
	fine(t, err)
	w.says(said, "mine: \n") // like on
}

// From git 2.54 hooks can also be configured commands.
func TestConfiguredHooks(t *testing.T) {
	w := newWorld(t)
	w.git("config", "hook.lint.command", "echo linted")
	w.git("config", "hook.lint.event", "pre-commit")
	w.git("config", "hook.off.command", "echo off")
	w.git("config", "hook.off.event", "pre-commit")
	w.git("config", "hook.off.enabled", "false")
	w.git("config", "hook.back.command", "echo back")
	w.git("config", "hook.back.event", "")
	w.git("config", "--add", "hook.back.event", "pre-commit")
	w.git("config", "--add", "hook.back.event", "")
	c := w.hook("pre-commit", "exit 0").again().site.Checkout
	lines := hookLines(c, "pre-commit")
	if len(lines) != 2 || !strings.Contains(strings.Join(lines[0], " "), "echo linted") || lines[1][len(lines[1])-1] != filepath.Join(c.Repo.HooksDir, "pre-commit") {
		t.Errorf("%q", lines)
	}
	if !HasHook(c, "pre-commit") || HasHook(c, "commit-msg") {
		t.Error("HasHook")
	}
	fine(t, os.Chmod(filepath.Join(w.dir, ".git/hooks/pre-commit"), 0o644))
	w.git("config", "hook.pre-commit.enabled", "false")
	if HasHook(w.again().site.Checkout, "pre-commit") {
		t.Error("a hook that git would not run")
	}
}

// A push that the person did not just request runs the pre-push hook in the sandbox, or is left to the
// person, if git would run a hook that a session may have written.
func TestHooksOfAPush(t *testing.T) {
	w := newWorld(t)
	said, err := w.site.PrePush(t.Context(), nil, "origin")
	fine(t, err)
	w.says(said, "")
	w.hook("pre-push", `read line; echo "$1 $line $GIT_PLAN_HOOKS" >&2`)
	said, err = w.again().site.PrePush(t.Context(), []byte("refs/heads/work 1 refs/heads/work 2\n"), "origin")
	fine(t, err)
	w.says(said, "origin refs/heads/work 1 refs/heads/work 2 0")
	w.hook("pre-push", "exit 1")
	said, err = w.again().site.PrePush(t.Context(), nil, "origin")
	if git.Code(err) != 1 {
		t.Errorf("%v", err)
	}
	w.says(said, "the pre-push hook ended with an error and printed nothing")

	w.says(WhyNotPush(w.site.Checkout), "")
	w.git("config", "core.hooksPath", "tools")
	w.write("tools/pre-push", "#!/bin/sh\n")
	fine(t, os.Chmod(filepath.Join(w.dir, "tools/pre-push"), 0o755))
	w.says(WhyNotPush(w.again().site.Checkout), "tools/pre-push lies in the tree, where sessions write, and git push would run it")
	w.git("config", "hook.lint.event", "pre-push")
	w.says(WhyNotPush(w.again().site.Checkout), "hook.lint of the configuration is a pre-push hook")
	w.git("config", "plan.hooksSandbox", "off")
	w.says(WhyNotPush(w.again().site.Checkout), "")
}
