package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Agent is an agent whose sessions run on another machine.
type Agent struct {
	agent.Agent // as configured here
	Launcher    Launcher
	Dir         string                                  // where its command is run
	Files       *git.Repo                               // those with which a session works, here
	Paths       func(context.Context) ([]string, error) // of Files, those that a commit would take now
	Settings    [][2]string                             // see Settings
	Setup       string                                  // plan.worktreeSetup
	Note        func(text string)                       // hears what a worker is
	Secrets     []string                                // names of variables that the launcher must not get
}

// restarts is how often a session is started again on another machine.
const restarts = 3

// Run implements [agent.Agent]. If the worker is lost, the session is restarted from the files that came back.
func (a *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	var used Used
	for n := 0; ; n++ {
		paths, err := a.Paths(context.WithoutCancel(ctx))
		base := ""
		if err == nil {
			base, err = worktree.Snapshot(context.WithoutCancel(ctx), a.Files, paths)
		}
		if err != nil {
			return agent.Fail("the files for the worker cannot be read: %v", err)
		}
		t := &workerSession{a: a, s: s, base: base, before: used}
		r, err := t.run(ctx)
		used = used.Add(t.used)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			r = agent.Result{Status: agent.Cancelled, Reason: "the session was cancelled"}
		case n == restarts:
			r = agent.Result{Status: agent.Lost, Reason: agent.OneLine(fmt.Sprintf("the worker was lost %d times, the last time: %v", n+1, err), agent.MaxReason)}
		default:
			pause := 500 * time.Millisecond << (2 * n)
			a.tell(s, agent.Event{Kind: agent.Waiting, Wait: pause, Text: agent.OneLine(fmt.Sprintf("%v; it is started again, which counts as no attempt", err), agent.MaxEvent)})
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			continue
		}
		r.Tokens, r.Cost = used.Tokens, used.Cost
		return r
	}
}

func (a *Agent) tell(s agent.Session, e agent.Event) {
	if s.On != nil {
		s.On(e)
	}
}
