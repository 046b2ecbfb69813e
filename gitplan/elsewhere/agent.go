package elsewhere

import (
	"context"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Tree is the files with which a session works, here.
type Tree interface {
	// Repo has the objects.
	Repo() *git.Repo
	// Snapshot returns the files as they are now.
	Snapshot(ctx context.Context) (tree string, err error)
	// Become makes the files those of a tree, which from can read. It is never called for a session
	// that only reads.
	Become(ctx context.Context, from *git.Repo, tree string) error
}

// Agent is an agent whose sessions run elsewhere.
type Agent struct {
	agent.Agent // as it is configured here
	Launcher    Launcher
	Dir         string // in which its command is run
	Tree        Tree
	Settings    [][2]string       // see Settings
	Setup       string            // plan.worktreeSetup
	Note        func(text string) // hears what a worker is
	Secrets     []string          // names of variables that the launcher must not be given
}

// restarts is how often a session is started again on another machine.
const restarts = 3

// lost is the fault of a machine, not of a session: another one may do better.
type lost struct{ text string }

func (l *lost) Error() string { return l.text }

// Run implements [agent.Agent]. A worker that is lost is no end of the session: it begins again, with
// what came back.
func (a *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	var before Used
	for n := 0; ; n++ {
		t := &talk{a: a, s: s, do: wire.Doing(s.Role), before: before}
		r, err := t.run(ctx, t.session)
		before = before.add(t.used)
		if err == nil {
			r.Tokens, r.Cost = before.Tokens, before.Cost
			return r
		}
		if ctx.Err() != nil {
			return agent.Result{Status: agent.Cancelled, Reason: "the session was cancelled", Tokens: before.Tokens, Cost: before.Cost}
		}
		if over := a.again(ctx, s, n, err); over != "" {
			return agent.Result{Status: agent.Lost, Tokens: before.Tokens, Cost: before.Cost, Reason: over}
		}
	}
}

// again waits until another worker is to be started after the nth was lost, or says that none is.
func (a *Agent) again(ctx context.Context, s agent.Session, n int, err error) (over string) {
	if n == restarts {
		return agent.OneLine(fmt.Sprintf("the worker was lost %d times, the last time: %v", n+1, err), agent.MaxReason)
	}
	pause := 500 * time.Millisecond << (2 * n)
	a.tell(s, agent.Event{Kind: agent.Waiting, Wait: pause, Text: agent.OneLine(fmt.Sprintf("%v; it is started again, which counts as no attempt", err), agent.MaxEvent)})
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
	return ""
}

func (a *Agent) tell(s agent.Session, e agent.Event) {
	if s.On != nil {
		s.On(e)
	}
}

// environment returns what the launcher is given: no keys, and nothing else that is a secret.
func environment(secrets []string, session string) []string {
	return append(proc.Launcher(secrets), proc.Mark(session))
}

// Used is what sessions have used.
type Used struct {
	Tokens agent.Tokens
	Cost   agent.Cost
}

func (u Used) add(o Used) Used { return Used{u.Tokens.Add(o.Tokens), u.Cost.Add(o.Cost)} }
