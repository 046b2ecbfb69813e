package main

import (
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
	env   []string
}

// newDemo makes the folder of a demo, a temporary one if folder is "".
func newDemo(ctx context.Context, out io.Writer, folder string, drawn, waits bool) (*demo, error) {
	var err error
	if folder == "" {
		folder, err = os.MkdirTemp("", "git-plan-demo-")
	} else if folder, err = filepath.Abs(folder); err == nil {
		err = os.Mkdir(folder, 0o755) // an existing folder is not ours
	}
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// git finds this program, and the person's own configuration is not read.
	env := append(proc.CleanEnv(), "PATH="+filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(folder, "state"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off", "GIT_PLAN_DEPTH=",
		"GIT_EDITOR=:", "GIT_PAGER=cat")
	return &demo{ctx: ctx, out: out, drawn: drawn, waits: waits, top: folder, env: env}, nil
}

func (d *demo) repo() string { return filepath.Join(d.top, "ledger") }

func (d *demo) play() error {
	fmt.Fprintln(d.out, "\nA run from a goal to a push, in about a minute.")
	if d.waits {
		fmt.Fprintln(d.out, "It waits for you four times: Enter goes on.")
	}
	for _, part := range []func() error{d.prepare, d.build, d.plan, d.execute, d.gate} {
		if err := part(); err != nil {
			return err
		}
	}
	fmt.Fprintf(d.out, `
That was all of it. Yours begins with: git plan "what you want"
Look around in its ledger folder (git plan log, git log -p), and remove it:
    rm -rf %s
`, d.top)
	return nil
}

func (d *demo) prepare() error {
	if err := material.WriteProject(d.repo()); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "git plan demo"},
		{"config", "user.email", "demo@localhost"},
		{"add", "."}, {"commit", "--quiet", "--message=A ledger for what you spend"},
		{"init", "--quiet", "--bare", "../origin.git"}, {"remote", "add", "origin", "../origin.git"},
		{"push", "--quiet", "--set-upstream", "origin", "main"},
		{"config", "plan.agent", "recorded"}, {"config", "plan.reviewers", "quality,fidelity"},
	} {
		if err := d.quietly(args...); err != nil {
			return err
		}
	}
	recording, pause := filepath.Join(d.repo(), ".git", "recording.json"), time.Duration(0)
	if d.drawn {
		pause = answerPause
	}
	if err := material.WriteRecording(recording, pause); err != nil {
		return err
	}
	return d.quietly("config", "planAgent.recorded.baseURL", "replay:"+recording)
}

// build has Go compile what the checks need. On a fresh machine that takes minutes, so it says that it is at work.
func (d *demo) build() error {
	fmt.Fprint(d.out, "Go builds the project; the first time, that takes minutes.")
	built := make(chan error, 1)
	go func() {
		_, err := proc.Run(d.ctx, proc.Cmd{Name: "go", Args: []string{"test", "./..."}, Dir: d.repo(), Env: d.env, Group: true})
		built <- err
	}()
	for {
		select {
		case err := <-built:
			fmt.Fprintln(d.out, " Done.")
			return err
		case <-time.After(8 * time.Second):
			fmt.Fprint(d.out, ".")
		}
	}
}

func (d *demo) plan() error {
	d.say(`The model's answers are recorded; the program, checks and commits are real.
First, a session reads the code and writes a plan. It can write nothing else.`)
	if err := d.run(0, "plan", material.Goal, "-b", "over-budget"); err != nil {
		return err
	}
	d.say("You read the plan (git plan show) and approve it. Nothing runs before.")
	return d.run(0, "plan", "approve", "--yes")
}

func (d *demo) execute() error {
	d.say(`Each step gets a fresh session, is checked by commands and becomes one commit.
Then reviewers judge the branch; what a second session confirms is fixed.`)
	return d.run(0, "plan", "run")
}

func (d *demo) gate() error {
	d.say("A hook guards git push. What was reviewed passes; what was not is stopped.")
	// without the lines that they print
	fmt.Fprintln(d.out, "  $ git plan hooks install && git config plan.prePush block && git push")
	if err := os.WriteFile(filepath.Join(d.repo(), "notes.txt"), []byte("budget food 100.00\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"plan", "hooks", "install"}, {"config", "plan.prePush", "block"},
		{"plan", "push", "origin"}, {"push", "--quiet", "origin", "HEAD"}, {"add", "notes.txt"}} {
		if err := d.quietly(args...); err != nil {
			return err
		}
	}
	if err := d.run(0, "commit", "--quiet", "--message=Notes"); err != nil {
		return err
	}
	if err := d.run(1, "push", "--quiet", "origin", "HEAD"); err != nil {
		return err
	}
	return d.quietly("reset", "--quiet", "--hard", "HEAD~1")
}

// answerPause is how long the recorded model takes to answer at a terminal, so that sessions are seen.
const answerPause = 300 * time.Millisecond

// say prints a text, which no terminal of 80 columns wraps; with a person there it waits for Enter.
func (d *demo) say(text string) {
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
func (d *demo) run(code int, args ...string) error {
	fmt.Fprintf(d.out, "  $ git%s\n", quoted(args))
	cmd := proc.Cmd{Name: "git", Args: args, Dir: d.repo(), Env: d.env, Stdout: os.Stdout, Stderr: os.Stderr}
	run := proc.Run
	if self, err := os.Executable(); err == nil && args[0] == "plan" {
		// Signalled twice, by Ctrl-C and by us, git would exit before its children do.
		cmd.Name, cmd.Args, run = self, args[1:], proc.RunGracefully
	}
	exit, err := run(d.ctx, cmd)
	if err == nil {
		err = context.Cause(d.ctx)
	}
	if err == nil && exit.Code != code {
		err = fmt.Errorf("git%s ended with %d, not %d; look at %s", quoted(args), exit.Code, code, d.repo())
	}
	return err
}

func (d *demo) quietly(args ...string) error {
	said := &proc.Tail{}
	exit, err := proc.Run(d.ctx, proc.Cmd{Name: "git", Args: args, Dir: d.repo(), Env: d.env, Stdout: said, Stderr: said})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), said)
	}
	return err
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
			d, err := newDemo(c.Context, c.Out, c.arg(0), drawn, drawn && terminal.Attended() && !noPause)
			if err != nil {
				return err
			}
			err = d.play()
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
		Action: c.do(0, func() error {
			return remote.Serve(c.Context, versionText(), os.Stdin, os.Stdout)
		}),
	}
}
