package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Command is a command of the person, run by sh -c in the tree, with the prompt on standard input (gitplan-agents(7)). It
// gets all of Session.Env, even keys.
type Command struct {
	AgentName string
	Line      string
	Price     agent.Price // the price of the tokens that it reports

	Model, Effort string // the defaults for sessions that name none; "" leaves the choice to the command
}

func (c *Command) Name() string                      { return c.AgentName }
func (c *Command) FullPrompt(s agent.Session) string { return s.Prompt.Text() + howCommandEnds(s) }
func (c *Command) MayWrite() bool                    { return true }

// Run implements [agent.Agent]. Session.Accept is not asked.
func (c *Command) Run(ctx context.Context, s agent.Session) agent.Result {
	r := c.run(ctx, s)
	r.Agent, r.Cost = c.AgentName, c.Price.Of(r.Tokens)
	return (&agent.Transcript{W: s.Transcript}).Finish(r)
}

func (c *Command) run(ctx context.Context, s agent.Session) agent.Result {
	if err := s.Spent(agent.Tokens{}, agent.Cost{}); err != nil {
		return agent.Result{Status: agent.Stopped, Reason: err.Error()}
	}
	dir, remove, err := disk.TempFolder("session")
	if err != nil {
		return agent.Fail("cannot make a folder for its result: %v", err)
	}
	defer remove()
	file := filepath.Join(dir, "result.json")

	log := agent.Transcript{W: s.Transcript}
	log.Write(agent.Record{Session: s.ID, Role: s.Role, Agent: c.AgentName, Command: c.Line,
		System: s.Prompt.System, User: s.Prompt.User})
	ctx, life, stop := agent.NewLife(ctx, s)
	defer stop()
	var tail proc.Tail
	answer := proc.Head{Max: maxAnswer + 1}
	said := io.MultiWriter(&tail, life)
	name, args := proc.Shell(c.Line)
	env := s.Environ([2]string{"GIT_PLAN_RESULT", file},
		[2]string{"GIT_PLAN_MODEL", cmp.Or(s.Model, c.Model)}, [2]string{"GIT_PLAN_EFFORT", cmp.Or(s.Effort, c.Effort)})
	cmd := proc.Cmd{Name: name, Args: args, Dir: s.Dir, Env: env, Stdin: strings.NewReader(c.FullPrompt(s)),
		Stdout: said, Stderr: said, Group: true}
	if s.Role.Answers() {
		cmd.Stdout, cmd.MaxOutput = io.MultiWriter(&answer, life), 64<<20 // the limit includes standard error
	}
	exit, err := proc.Run(ctx, cmd)
	log.Write(agent.Record{Exit: &exit.Code, Output: tail.String(), Text: string(answer.Text)})
	outcome, unread := readOutcome(file)
	r, last := c.ended(ctx, s, exit, err), agent.LastLine(tail.String())
	switch {
	case r.Status != "":
		r.Reason += last // perhaps a question
	case unread != nil:
		r = agent.Fail("its result in GIT_PLAN_RESULT cannot be used: %v", unread)
		r.Unsaid = true
	default:
		if r = outcome.Result(); r.Status == agent.Done && s.Role.Answers() {
			a := answered(string(answer.Text))
			if strings.TrimSpace(a.Answer) == "" && a.Status == agent.Done {
				a = agent.Fail("%sits standard output is empty%s", agent.Silent, last)
			}
			r.Status, r.Reason, r.Answer = a.Status, a.Reason, a.Answer
		}
	}
	r.Tokens = cmp.Or(outcome.Tokens, agent.Tokens{Unreported: 1}).Believed()
	if err == nil && r.Status != agent.Cancelled && r.Status != agent.TimedOut {
		r.ExitCode = &exit.Code
	}
	return r
}

// ended decides how the session ended by the exit code; no status if it may be done. The file can only add to that.
func (c *Command) ended(ctx context.Context, s agent.Session, exit proc.Exit, err error) agent.Result {
	const (
		tryLater  = 75  // a limit was met (EX_TEMPFAIL)
		cannotRun = 126 // sh's, for a file that is not a program
		notFound  = 127 // or does not exist
	)
	switch {
	case ctx.Err() != nil:
		return agent.Ended(ctx, s)
	case err != nil:
		return agent.Fail("%v", err)
	case exit.Code == tryLater:
		return agent.Result{Status: agent.Limited, Reason: "the command asks to retry later (exit code 75)"}
	case exit.Code == cannotRun || exit.Code == notFound:
		return agent.Result{Status: agent.Unusable,
			Reason: fmt.Sprintf("planAgent.%s.command cannot be run (exit code %d)", c.AgentName, exit.Code)}
	case exit.Code != 0:
		return agent.Fail("exit code %d", exit.Code)
	}
	return agent.Result{}
}
