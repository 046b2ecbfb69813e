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

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/demo"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "watch a whole run in a throwaway repository; no key needed", ArgsUsage: "[<folder>]",
		Description: "Needs git and Go, no key and no network: the program, the tools, the checks and the\n" +
			"commits are real, only the model's words are recorded. The folder is left for you to\n" +
			"look around in.",
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
			return t.play()
		},
	}
}

// tutorial shows commands and what they print. Each is run for real, as its
// own process, the way a person would type it.
type tutorial struct {
	ctx   context.Context
	out   io.Writer
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
	// git finds this program as its command, and nothing of the person's own
	// configuration takes part.
	env := append(proc.Clean(), "PATH="+filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOWORK=off", "GIT_PLAN_DEPTH=", "GIT_EDITOR=:")
	return &tutorial{ctx: c.Context, out: c.App.Writer, top: top, env: env, began: time.Now()}, nil
}

func (t *tutorial) repo() string { return filepath.Join(t.top, "ledger") }

// play is the tutorial, from the first word to the last.
func (t *tutorial) play() error {
	for _, part := range []func() error{t.prepare, t.plan, t.execute, t.gate} {
		if err := part(); err != nil {
			return err
		}
	}
	t.say(fmt.Sprintf(`That was the whole way, in %d seconds. Look around:

    cd %s
    git plan status          where the plan stands
    git plan show            the plan, with its boxes as they stand
    git plan log             everything that happened, newest first
    git plan show --prompt 2 what a session for step 2 is told
    git plan stats           what it took, and how often somebody stepped in
    git log --stat           one commit for each step
    git log refs/plans/%s
                             the plan is a chain of commits of its own

Your own work begins with: git plan "what you want"
The folder is yours to remove: %s`, int(time.Since(t.began).Seconds()), t.repo(), t.planID(), t.top))
	return nil
}

// planID is the plan's, as the branch's configuration has it.
func (t *tutorial) planID() string {
	var out strings.Builder
	_, _ = proc.Run(t.ctx, proc.Cmd{Name: "git", Args: []string{"config", "--get-regexp", `^branch\..*\.plan$`}, Dir: t.repo(), Env: t.env, Stdout: &out})
	f := strings.Fields(out.String())
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}

func (t *tutorial) prepare() error {
	t.say(`This is a small Go program with tests, in a repository of its own. Nobody is asked
and nothing leaves this machine: the model's answers are recorded. Everything else
is real, the tools, the checks, the commits.`)
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
	recording := filepath.Join(t.repo(), ".git", "recording.json")
	if err := demo.WriteRecording(recording); err != nil {
		return err
	}
	if err := t.quietly("config", "planAgent.recorded.recording", recording); err != nil {
		return err
	}
	return t.run(0, "ls-files")
}

func (t *tutorial) plan() error {
	t.say(`A planner session reads the repository and writes the plan. It cannot write
anything else. The plan becomes a branch's own: a new one, since this is main.`)
	if err := t.run(0, "plan", demo.Goal); err != nil {
		return err
	}
	t.say("Read it. Nothing of it is executed before a person has approved it.")
	if err := t.run(0, "plan", "show"); err != nil {
		return err
	}
	if err := t.run(6, "plan", "step"); err != nil {
		return err
	}
	return t.run(0, "plan", "approve")
}

func (t *tutorial) execute() error {
	t.say(`Each step is done by a fresh session that knows the plan and the repository and
nothing else. Its work is checked by commands, committed as one commit, and ticked
by the program.`)
	if err := t.run(0, "plan", "step"); err != nil {
		return err
	}
	t.say(`Now the rest. One session will say that it is done and be wrong: the check says so,
and another one, with a clean head, is told why and does it. After the last step the
branch is reviewed; what is confirmed is repaired; it ends when a round changes nothing.`)
	if err := t.run(0, "plan", "run"); err != nil {
		return err
	}
	if err := t.run(0, "plan", "status"); err != nil {
		return err
	}
	return t.run(0, "log", "--oneline", "main..HEAD")
}

func (t *tutorial) gate() error {
	t.say("A hook is the gate at push. What was reviewed passes at once.")
	if err := t.run(0, "plan", "hooks", "install"); err != nil {
		return err
	}
	if err := t.run(0, "push", "--quiet", "origin", "HEAD"); err != nil {
		return err
	}
	t.say("Now somebody leaves an unresolved conflict in a file and commits it. The gate stops it.")
	conflict := "<<<<<<< HEAD\nbudget food 100.00\n=======\nbudget food 200.00\n>>>>>>> theirs\n"
	if err := os.WriteFile(filepath.Join(t.repo(), "notes.txt"), []byte(conflict), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "notes.txt"}, {"commit", "--quiet", "--message=Notes"}} {
		if err := t.quietly(args...); err != nil {
			return err
		}
	}
	if err := t.run(1, "push", "--quiet", "origin", "HEAD"); err != nil {
		return err
	}
	return t.quietly("reset", "--quiet", "--hard", "HEAD~1")
}

func (t *tutorial) say(text string) { fmt.Fprintf(t.out, "\n%s\n\n", text) }

// run shows a git command with its output, and wants its exit code to be the
// one that the text around it speaks of.
func (t *tutorial) run(code int, args ...string) error {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = a; strings.Contains(a, " ") {
			shown[i] = `"` + a + `"`
		}
	}
	fmt.Fprintf(t.out, "  $ git %s\n", strings.Join(shown, " "))
	indented := &indent{w: t.out}
	exit, err := proc.Run(t.ctx, proc.Cmd{Name: "git", Args: args, Dir: t.repo(), Env: t.env, Stdout: indented, Stderr: indented})
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
