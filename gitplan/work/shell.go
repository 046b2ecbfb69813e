package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
)

// Shell is the agent of a step with Run, in the workspace, the limits and the guards of every session.
type Shell struct{ Command string }

func (s Shell) Name() string { return "run" }

func (s Shell) FullPrompt(session agent.Session) string { return session.Prompt.Text() }

func (s Shell) MayWrite() bool { return false }

func (s Shell) Run(ctx context.Context, session agent.Session) agent.Result {
	name, args := proc.Shell(s.Command)
	out := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Dir: session.Dir, Env: session.Env, Group: true, Confine: session.Confine,
		Stdout: out, Stderr: out, Timeout: session.Timeout, Idle: session.Idle,
	})
	if session.Transcript != nil {
		_ = json.NewEncoder(session.Transcript).Encode(map[string]any{"command": s.Command, "exit": exit.Code, "output": out.String()})
	}
	r := agent.Result{Agent: "run"}
	switch {
	case ctx.Err() != nil:
		r.Status, r.Reason = agent.Cancelled, "interrupted"
	case errors.Is(err, fault.ErrSandbox): // that error says nothing about the command
		r.Status, r.Reason = agent.Unusable, err.Error()
	case err != nil:
		r.Status, r.Reason = agent.Failed, err.Error()
	case exit.TimedOut || exit.Idle:
		r.Status, r.Reason = agent.TimedOut, fmt.Sprintf("`%s` did not end within its time\n%s", s.Command, out)
	case !exit.OK():
		r.Status, r.Reason = agent.Failed, explain(&runner.CheckFailure{Command: s.Command, Exit: exit, Output: strings.TrimSpace(out.String())}).Error()
	default:
		r.Status, r.Summary = agent.Done, ""
	}
	if err == nil && r.Status != agent.Cancelled && r.Status != agent.TimedOut {
		r.ExitCode = &exit.Code
	}
	return r
}
