package elsewhere

import (
	"context"
	"errors"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/fault"
)

// Next returns how the next of the commands ended.
type Next func(ctx context.Context) (wire.Ended, error)

// Check has commands run on the tree by a worker that is given no key and no variable, and calls judge
// with what says how they end; judge returns whether it heard that all of them pass, or what is wrong,
// as its own error. If a worker is lost, judge is called again, with what another one says. That they
// pass is nothing but what a worker says in the end: no exit code of its launcher, and no silence.
func (a *Agent) Check(ctx context.Context, s agent.Session, commands []string, timeout time.Duration, judge func(Next) (passed bool, err error)) error {
	for n := 0; ; n++ {
		c := &checking{talk: talk{a: a, s: s, do: wire.Check}}
		r, lost := c.run(ctx, func(ctx context.Context) (agent.Result, error) {
			return c.check(ctx, commands, timeout, judge)
		})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.judged != nil:
			return c.judged
		case lost == nil && r.Status == agent.Done:
			return nil
		case lost == nil && r.Status == agent.Lost:
			return fault.New(fault.ErrLost, "%s", r.Reason)
		case lost == nil:
			return &fault.Fault{Kind: fault.ErrAgentSetup, Text: r.Reason, Next: r.Next, Setting: "plan.checkLauncher"}
		}
		if over := a.again(ctx, s, n, lost); over != "" {
			return fault.New(fault.ErrLost, "%s", over)
		}
	}
}

// checking is a job of kind check with one worker.
type checking struct {
	talk
	heard  int   // how many commands have ended
	judged error // what is wrong with the tree
}

func (c *checking) check(ctx context.Context, commands []string, timeout time.Duration, judge func(Next) (bool, error)) (agent.Result, error) {
	refused, err := c.hello()
	if err != nil || refused != nil {
		return value(refused), err
	}
	if err := c.send(ctx, wire.Work{Do: wire.Check, Session: agent.Session{ID: c.s.ID, Branch: c.s.Branch}, Setup: c.a.Setup, Checks: commands, Timeout: timeout}); err != nil {
		return agent.Result{}, err
	}
	var broken error // of the connection, or of what the worker says
	var ended *agent.Result
	passed, err := judge(func(ctx context.Context) (e wire.Ended, err error) {
		e, ended, err = c.ended(ctx, timeout)
		broken = err
		return e, err
	})
	switch {
	case ended != nil: // before all of them were run
		if ended.Status == agent.Done {
			return agent.Result{}, errors.New("the worker says that it is done, and is not")
		}
		return *ended, nil
	case broken != nil:
		return agent.Result{}, broken
	case err != nil || !passed || c.heard != len(commands):
		c.judged = err
		return agent.Result{Status: agent.Failed}, nil
	}
	f, err := c.conn.Next(wire.Result)
	if err != nil {
		return agent.Result{}, err
	}
	r, err := c.end(f)
	if err == nil && r.Status != agent.Done {
		err = errors.New("the worker takes back that they pass")
	}
	return r, err
}

var errEnded = errors.New("the worker has run no more commands")

// ended hears how the next command ended, or that the worker does not go on.
func (c *checking) ended(ctx context.Context, timeout time.Duration) (e wire.Ended, end *agent.Result, err error) {
	run, late := context.WithTimeout(ctx, later(timeout, moreTime)+c.a.Launcher.Start)
	defer late()
	defer context.AfterFunc(run, c.p.stop)()
	f, err := c.conn.Next(wire.Checked, wire.Result)
	if err != nil {
		return e, nil, err
	}
	if f.Kind == wire.Result {
		r, err := c.end(f)
		return e, &r, errors.Join(errEnded, err)
	}
	if err := f.Into(&e); err != nil {
		return e, nil, err
	}
	if e.N != c.heard {
		return e, nil, errors.New("the worker speaks of another command than the next")
	}
	c.heard++
	return e.Tidy(), nil, nil
}

func (c *checking) end(f wire.Frame) (r agent.Result, err error) {
	err = f.Into(&r)
	return wire.TidyResult(r), err
}
