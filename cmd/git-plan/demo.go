package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/remote"
	material "github.com/git-plan/git-plan/testdata/demo"
)

// demo is a whole run in a throwaway repository: real commands, and recorded answers of a model (testdata/demo).
type demo struct {
	ctx   context.Context
	out   io.Writer
	drawn bool   // on a terminal, where commands draw as they do for a person
	waits bool   // for Enter, after each text
	top   string // holds the project and the repository it is pushed to
	repo  string
	env   []string
	err   error // the first; nothing is done after it
}

// prepare makes the folder of the demo, a temporary one if folder is "", and the project in it.
func (d *demo) prepare(folder string) (err error) {
	if folder == "" {
		folder, err = os.MkdirTemp("", "git-plan-demo-")
	} else if folder, err = filepath.Abs(folder); err == nil {
		err = os.Mkdir(folder, 0o755) // an existing folder is not ours
	}
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	d.top, d.repo = folder, filepath.Join(folder, "ledger")
	// git finds this program, and the person's own configuration is not read.
	d.env = append(proc.CleanEnv(), "PATH="+filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(d.top, "state"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off", "GIT_PLAN_DEPTH=",
		"GIT_EDITOR=:", "GIT_PAGER=cat")
	if err := material.WriteProject(d.repo); err != nil {
		return err
	}
	recording, pause := filepath.Join(d.repo, ".git", "recording.json"), time.Duration(0)
	if d.drawn {
		pause = 300 * time.Millisecond // before each answer of the model, so that sessions are seen
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "git plan demo"},
		{"config", "user.email", "demo@localhost"},
		{"add", "."}, {"commit", "--quiet", "--message=A ledger for what you spend"},
		{"init", "--quiet", "--bare", "../origin.git"}, {"remote", "add", "origin", "../origin.git"},
		{"push", "--quiet", "--set-upstream", "origin", "main"},
		{"config", "plan.agent", "recorded"}, {"config", "plan.reviewers", "quality,fidelity"},
		{"config", "planAgent.recorded.baseURL", "replay:" + recording},
	} {
		d.quietly(args...)
	}
	if d.err != nil {
		return d.err
	}
	return material.WriteRecording(recording, pause)
}

func (d *demo) play(folder string) error {
	fmt.Fprintln(d.out, "\nA run from a goal to a push, in about a minute.")
	if d.waits {
		fmt.Fprintln(d.out, "It waits for you four times: press Enter to continue.")
	}
	if err := d.prepare(folder); err != nil {
		return err
	}
	fmt.Fprint(d.out, "Go builds the project; the first time, that takes minutes.")
	dots := time.NewTicker(8 * time.Second) // so that it is seen at work
	go func() {
		for range dots.C {
			fmt.Fprint(d.out, ".")
		}
	}()
	_, err := proc.Run(d.ctx, proc.Cmd{Name: "go", Args: []string{"test", "./..."}, Dir: d.repo, Env: d.env, Group: true})
	dots.Stop()
	fmt.Fprintln(d.out)
	if err != nil {
		return err
	}
	d.say(`The model's answers are recorded; the program, checks and commits are real.
First, a session reads the code and writes a plan. It can write nothing else.`)
	d.run(0, "plan", material.Goal, "-b", "over-budget")
	d.say("You read the plan (git plan show) and approve it. Nothing runs before.")
	d.run(0, "plan", "approve", "--yes")
	d.say(`Each step gets a fresh session, is checked by commands and becomes one commit.
Then reviewers judge the branch; what a second session confirms is fixed.`)
	d.run(0, "plan", "run")
	d.say("A hook guards git push. What was reviewed passes; what was not is stopped.")
	if d.err == nil {
		// without the lines that they print
		fmt.Fprintln(d.out, "  $ git plan hooks install && git config plan.prePush block && git push")
		d.err = os.WriteFile(filepath.Join(d.repo, "notes.txt"), []byte("budget food 100.00\n"), 0o644)
	}
	for _, args := range [][]string{{"plan", "hooks", "install"}, {"config", "plan.prePush", "block"},
		{"plan", "push", "origin"}, {"push", "--quiet", "origin", "HEAD"}, {"add", "notes.txt"}} {
		d.quietly(args...)
	}
	d.run(0, "commit", "--quiet", "--message=Notes")
	d.run(1, "push", "--quiet", "origin", "HEAD")
	d.quietly("reset", "--quiet", "--hard", "HEAD~1")
	if d.err == nil {
		fmt.Fprintf(d.out, `
That was all of it. Yours begins with: git plan "what you want"
Look around in its ledger folder (git plan log, git log -p), and remove it:
    rm -rf %s
`, d.top)
	}
	return d.err
}

// say prints a text, which no terminal of 80 columns wraps; with a person there it waits for Enter.
func (d *demo) say(text string) {
	if d.err != nil {
		return
	}
	fmt.Fprintf(d.out, "\n%s\n", text)
	if d.waits {
		fmt.Fprint(d.out, "[Enter]")
		if _, err := terminal.ReadLine(d.ctx); err != nil {
			d.waits = false
		}
		fmt.Fprint(d.out, "\x1b[A\x1b[K") // the line that Enter ended
	}
}

// run shows a git command with its output; its exit code must be code.
func (d *demo) run(code int, args ...string) {
	if d.err != nil {
		return
	}
	fmt.Fprintf(d.out, "  $ git%s\n", quoted(args))
	cmd := proc.Cmd{Name: "git", Args: args, Dir: d.repo, Env: d.env, Stdout: os.Stdout, Stderr: os.Stderr}
	run := proc.Run
	if self, err := os.Executable(); err == nil && args[0] == "plan" {
		// Signalled twice, by Ctrl-C and by us, git would exit before its children do.
		cmd.Name, cmd.Args, run = self, args[1:], proc.RunGracefully
	}
	exit, err := run(d.ctx, cmd)
	if d.err = cmp.Or(err, context.Cause(d.ctx)); d.err == nil && exit.Code != code {
		d.err = fmt.Errorf("git%s ended with %d, not %d; look at %s", quoted(args), exit.Code, code, d.repo)
	}
}

func (d *demo) quietly(args ...string) {
	if d.err != nil {
		return
	}
	said := &proc.Tail{}
	exit, err := proc.Run(d.ctx, proc.Cmd{Name: "git", Args: args, Dir: d.repo, Env: d.env, Stdout: said, Stderr: said})
	if d.err = err; err == nil && exit.Code != 0 {
		d.err = fmt.Errorf("git %s: %s", strings.Join(args, " "), said)
	}
}

func demoCommand(c *command) *cli.Command {
	var noPause bool
	c.option(&noPause, "no-pause", "do not wait for Enter")
	return c.define("demo", "[<folder>]", "watch a whole run in a throwaway repository; no key needed",
		c.do(1, func() error {
			if _, ok := proc.Find("go"); !ok {
				return errors.New("the demo's project is a Go program, and there is no go on PATH: https://go.dev/dl")
			}
			drawn := c.Out == os.Stdout && terminal.Is(os.Stdout) && terminal.Is(os.Stderr)
			d := &demo{ctx: c.Context, out: c.Out, drawn: drawn, waits: drawn && terminal.Attended() && !noPause}
			err := d.play(c.arg(0))
			if c.Context.Err() != nil { // after Ctrl-C the folder is not wanted either
				_ = os.RemoveAll(d.top)
				say(c.Err, "The demo's folder is removed.")
				return &exit.Ended{Code: exit.Interrupted}
			}
			return err
		}))
}

func workerCommand(c *command) *cli.Command {
	return &cli.Command{
		Name: "worker", Hidden: true, Usage: "run one session for git plan on another machine, started by a launcher",
		Action: c.do(0, func() error { return remote.Serve(c.Context, versionText(), os.Stdin, os.Stdout) }),
	}
}
