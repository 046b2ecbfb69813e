package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// completed is a repository with a plan, and a shell's completions of a line there.
type completed struct {
	t   *testing.T
	dir string
	env []string
}

func newCompleted(t *testing.T) *completed {
	t.Helper()
	dir := t.TempDir()
	bin := built(t)
	c := &completed{t: t, dir: filepath.Join(dir, "repo"), env: []string{
		"PATH=" + filepath.Dir(bin) + ":" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@y", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@y",
	}}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.run(`git init -q -b main && git commit -q --allow-empty -m one && git remote add upstream . &&
git branch '$(touch${IFS}evil)' &&
printf '# Greet\n\n## Steps\n- [ ] Write: hello {#hello}\n- [ ] Write bye {#bye}\n' | git plan new -F - --yes`, "sh", "-c")
	return c
}

// run runs a shell's script with a line to complete.
func (c *completed) run(line string, shell ...string) string {
	c.t.Helper()
	cmd := exec.Command(shell[0], append(shell[1:], line)...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return strings.ReplaceAll(string(out), "\r", "")
}

// TestCompletionInShells types into the real shells.
func TestCompletionInShells(t *testing.T) {
	if os.Getenv("SHELLS") == "" {
		t.Skip("SKIPPED: real shells are slow: SHELLS=all tries them")
	}
	c := newCompleted(t)
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "completion", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines := []struct{ line, want string }{
		{"git plan sho", "show"},
		{"git plan show he", "hello"},
		{"git plan show --js", "--json"},
		{"git plan run --until b", "bye"},
		{"git plan step hello b", "bye"},
		{"git plan new --base plan/", "plan/greet"},
		{"git plan attach gre", "greet-"},
		{"git plan push up", "upstream"},
		{"git plan hooks inst", "install"},
		{"git plan config plan.at", "plan.attempts"},
		{"git --no-pager plan show he", "hello"},
	}
	for _, shell := range [][]string{{"bash", script("bash.sh")}, {"zsh", "-f", script("zsh.sh")}, {"fish", script("fish.sh")}} {
		t.Run(shell[0], func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("SKIPPED: %s is not installed, so its completion is not tried", shell[0])
			}
			if _, err := os.Stat("/usr/share/bash-completion/completions/git"); err != nil && shell[0] == "bash" {
				t.Skip("SKIPPED: bash-completion is not installed, so bash's completion is not tried")
			}
			for _, l := range lines {
				got := c.run(l.line, shell...)
				if shell[0] == "zsh" { // which has put the word into the line
					got = strings.TrimPrefix(got, l.line[:strings.LastIndex(l.line, " ")+1])
				}
				if !strings.HasPrefix(got, l.want) || strings.Count(got, "\n") > 1 {
					t.Errorf("%q became %q, want %q", l.line, got, l.want)
				}
			}
		})
	}
}

// TestCandidates: completion offers candidates or nothing, never an error.
func TestCandidates(t *testing.T) {
	c := newCompleted(t)
	complete := func(shell string, words ...string) string {
		t.Helper()
		cmd := exec.Command("git-plan", append([]string{"complete", shell, "--"}, words...)...)
		cmd.Path = strings.TrimPrefix(strings.SplitN(c.env[0], ":", 2)[0], "PATH=") + "/git-plan"
		cmd.Dir, cmd.Env = c.dir, c.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v", words, err)
		}
		return string(out)
	}
	for _, k := range []struct {
		shell string
		words []string
		want  string
	}{
		{"bash", []string{"show", ""}, "hello\nbye\n"},
		{"zsh", []string{"show", ""}, "hello:Write: hello\nbye:Write bye\n"},
		{"fish", []string{"show", "b"}, "bye\tWrite bye\n"},
		{"bash", []string{"show", "hello", ""}, "bye\n"},
		{"bash", []string{"stat"}, "status\n"},
		{"bash", []string{"nothing", ""}, ""},
		{"bash", []string{"new", "-F", ""}, ""}, // the shell's own: files
		{"bash", nil, ""},
		{"bash", []string{"log", "--session", "h"}, "hello\n"},
		{"bash", []string{"man", "tu"}, "tutorial\n"},
		{"bash", []string{"man", "hoo"}, "hooks\n"},
		{"bash", []string{"new", "--base", ""}, "main\nplan/greet\n"}, // what bash would interpret is omitted
		{"fish", []string{"new", "--base", "$"}, "$(touch${IFS}evil)\tone\n"},
	} {
		if got := complete(k.shell, k.words...); got != k.want {
			t.Errorf("%s %q: %q, want %q", k.shell, k.words, got, k.want)
		}
	}
	if err := os.RemoveAll(filepath.Join(c.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if got := complete("bash", "show", ""); got != "" {
		t.Errorf("without a repository: %q", got)
	}
}
