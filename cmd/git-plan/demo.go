package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/demo"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "watch a whole run in a throwaway repository; no key needed", ArgsUsage: "[<folder>]",
		Description: "Needs git and Go, no key and no network: the program, the tools, the checks and the\n" +
			"commits are real, only the model's words are recorded. At a terminal, Enter goes on. The\n" +
			"folder is left for you to look around in, unless Ctrl-C ends the demo.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "no-pause", Usage: "do not wait for Enter"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if _, ok := proc.Find("go"); !ok {
				return fmt.Errorf("the demo's project is a Go program, and there is no go on PATH")
			}
			t, err := newTutorial(c)
			if err != nil {
				return err
			}
			err = t.play()
			if c.Context.Err() != nil { // Ctrl-C: whoever did not want to see the rest does not want the folder
				_ = os.RemoveAll(t.top)
				say(c.App.ErrWriter, "The demo's folder is removed.")
				return &ended{code: exitInterrupted}
			}
			return err
		},
	}
}

// tutorial shows commands and what they print. Each is run for real, as its
// own process, the way a person would type it.
type tutorial struct {
	ctx   context.Context
	out   io.Writer
	drawn bool   // on a terminal, where commands draw as they do for a person
	waits bool   // for Enter, after each text
	top   string // holds the project and the repository it is pushed to
	env   []string
	began time.Time
}

func newTutorial(c *cli.Context) (*tutorial, error) {
	top := c.Args().First()
	var err error
	if top == "" {
		top, err = os.MkdirTemp("", "git-plan-demo-")
	} else if top, err = filepath.Abs(top); err == nil {
		err = os.Mkdir(top, 0o755) // a folder that exists is somebody's
	}
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// git finds this program as its command, nothing of the person's own configuration is read,
	// and nothing is kept elsewhere.
	env := append(proc.Clean(), "PATH="+filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(top, "state"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off", "GIT_PLAN_DEPTH=", "GIT_EDITOR=:", "GIT_PAGER=cat")
	drawn := c.App.Writer == os.Stdout && terminal.Is(os.Stdout) && terminal.Is(os.Stderr)
	return &tutorial{ctx: c.Context, out: c.App.Writer, drawn: drawn, waits: drawn && terminal.Attended() && !c.Bool("no-pause"),
		top: top, env: env, began: time.Now()}, nil
}

func (t *tutorial) repo() string { return filepath.Join(t.top, "ledger") }

// play shows the tutorial from start to end.
func (t *tutorial) play() error {
	for _, part := range []func() error{t.prepare, t.plan, t.execute, t.gate} {
		if err := part(); err != nil {
			return err
		}
	}
	fmt.Fprintf(t.out, `
That was all of it, in %d seconds. Yours begins with: git plan "what you want"
Look around (git plan show, git plan log, git log -p), and remove it:
    cd %s
    rm -rf %s
`, int(time.Since(t.began).Seconds()), t.repo(), t.top)
	return nil
}

func (t *tutorial) prepare() error {
	if err := demo.WriteProject(t.repo()); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "git plan demo"}, {"config", "user.email", "demo@localhost"},
		{"add", "."}, {"commit", "--quiet", "--message=A ledger for what you spend"},
		{"init", "--quiet", "--bare", "../origin.git"}, {"remote", "add", "origin", "../origin.git"}, {"push", "--quiet", "--set-upstream", "origin", "main"},
		{"config", "plan.agent", "recorded"}, {"config", "plan.reviewers", "quality,fidelity"},
	} {
		if err := t.quietly(args...); err != nil {
			return err
		}
	}
	recording, pause := filepath.Join(t.repo(), ".git", "recording.json"), time.Duration(0)
	if t.drawn {
		pause = answerPause
	}
	if err := demo.WriteRecording(recording, pause); err != nil {
		return err
	}
	return t.quietly("config", "planAgent.recorded.recording", recording)
}

func (t *tutorial) plan() error {
	t.say(`The model's answers are recorded; the program, checks and commits are real.
First, a session reads the code and writes a plan. It can write nothing else.`)
	if err := t.run(0, "plan", demo.Goal, "-b", "over-budget"); err != nil {
		return err
	}
	t.say("You read the plan (git plan show) and approve it. Nothing runs before.")
	return t.run(0, "plan", "approve")
}

func (t *tutorial) execute() error {
	t.say(`Each step gets a fresh session, is checked by commands and becomes one commit.
Then reviewers judge the branch; what a second session confirms is fixed.`)
	return t.run(0, "plan", "run")
}

func (t *tutorial) gate() error {
	t.say("A hook guards git push: it stops secrets, conflict markers and the like.")
	fmt.Fprintln(t.out, "  $ git plan hooks install") // so that it prints five lines
	for _, args := range [][]string{{"plan", "hooks", "install"}, {"plan", "push", "origin"}} {
		if err := t.quietly(args...); err != nil {
			return err
		}
	}
	if err := t.run(0, "push", "--quiet", "origin", "HEAD"); err != nil {
		return err
	}
	conflict := "<<<<<<< HEAD\nbudget food 100.00\n=======\nbudget food 200.00\n>>>>>>> theirs\n"
	if err := os.WriteFile(filepath.Join(t.repo(), "notes.txt"), []byte(conflict), 0o644); err != nil {
		return err
	}
	if err := t.quietly("add", "notes.txt"); err != nil {
		return err
	}
	if err := t.run(0, "commit", "--quiet", "--message=Notes"); err != nil {
		return err
	}
	if err := t.run(1, "push", "--quiet", "origin", "HEAD"); err != nil {
		return err
	}
	return t.quietly("reset", "--quiet", "--hard", "HEAD~1")
}

// answerPause is how long the recorded model takes to answer at a terminal: long enough to see
// what each session does.
const answerPause = 300 * time.Millisecond

// say prints a text, which no terminal of 80 columns wraps; with a person there it waits for Enter.
func (t *tutorial) say(text string) {
	fmt.Fprintf(t.out, "\n%s\n", text)
	if t.waits {
		fmt.Fprint(t.out, "[Enter]")
		if _, err := terminal.ReadLine(t.ctx); err != nil {
			t.waits = false
		}
		fmt.Fprint(t.out, "\x1b[A\x1b[K") // the line that Enter ended
	}
}

// run shows a git command with its output. Its exit code must be the one that the text around it
// mentions.
func (t *tutorial) run(code int, args ...string) error {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = a; strings.Contains(a, " ") {
			shown[i] = `"` + a + `"`
		}
	}
	fmt.Fprintf(t.out, "  $ git %s\n", strings.Join(shown, " "))
	cmd := proc.Cmd{Name: "git", Args: args, Dir: t.repo(), Env: t.env, Stdout: os.Stdout, Stderr: os.Stderr}
	if self, err := os.Executable(); err == nil && args[0] == "plan" {
		// Asked a second time, as by Ctrl-C and by us, git itself would end before what it started.
		cmd.Name, cmd.Args = self, args[1:]
	}
	if !t.drawn {
		indented := &indent{w: t.out}
		cmd.Stdout, cmd.Stderr = indented, indented
	}
	exit, err := inItsOrder(t.ctx, cmd)
	if err == nil {
		err = context.Cause(t.ctx)
	}
	if err == nil && exit.Code != code {
		err = fmt.Errorf("git %s ended with %d, not %d; look at %s", strings.Join(shown, " "), exit.Code, code, t.repo())
	}
	return err
}

func (t *tutorial) quietly(args ...string) error {
	said := &proc.Tail{}
	exit, err := proc.Run(t.ctx, proc.Cmd{Name: "git", Args: args, Dir: t.repo(), Env: t.env, Stdout: said, Stderr: said})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), said)
	}
	return err
}

// indent writes every line a little to the right.
type indent struct {
	w     io.Writer
	midst bool // of a line
}

func (i *indent) Write(p []byte) (int, error) {
	for _, line := range strings.SplitAfter(string(p), "\n") {
		if line == "" {
			continue
		}
		if !i.midst {
			line = "  " + line
		}
		i.midst = !strings.HasSuffix(line, "\n")
		if _, err := io.WriteString(i.w, line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
