package main

import (
	"context"
	"fmt"
	"os"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// repository makes a repository of the earlier version, with one commit on main.
func (w *workshop) repository(ctx context.Context, t *Task, s source, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(s.from)); err != nil {
		return err
	}
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A", "-f", "."}, {"commit", "-q", "-m", "The project as it is"},
	} {
		if out, err := w.command(ctx, dir, gitAlone, "git", argv...); err != nil {
			return fmt.Errorf("git %s: %w\n%s", argv[0], err, out)
		}
	}
	return nil
}

// gitAlone hides the person's own settings of git, and of git plan.
var gitAlone = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_AUTHOR_NAME=eval", "GIT_AUTHOR_EMAIL=eval@localhost", "GIT_COMMITTER_NAME=eval", "GIT_COMMITTER_EMAIL=eval@localhost"}

// command runs a program that needs no key, and returns its output.
func (w *workshop) command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	out, said := &proc.Head{Max: 64 << 20}, &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{Name: name, Args: args, Dir: dir, Env: append(w.environment(), env...), Stdout: out, Stderr: said, Group: true, Timeout: limit})
	if err == nil && !exit.OK() {
		return string(out.Text) + said.String(), fmt.Errorf("%s exits with %d", name, exit.Code)
	}
	return string(out.Text), err
}

// environment is the environment of every program except git-plan: no key of a model provider.
func (w *workshop) environment() []string {
	var secrets []string
	if w.agent != nil && w.agent.KeyEnv != "" {
		secrets = []string{w.agent.KeyEnv}
	}
	return proc.CheckEnv(secrets)
}

// depends returns the variables by which the tests of a task find their dependencies.
func (t *Task) depends(s source) []string {
	return []string{"GOMODCACHE=" + s.deps, "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local"}
}
