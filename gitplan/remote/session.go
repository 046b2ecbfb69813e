package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// workerSession is a session with one worker.
type workerSession struct {
	a      *Agent
	s      agent.Session
	base   string // the tree that the worker gets
	before Used   // the usage of lost workers

	p       *process
	conn    *Conn
	life    *agent.Life
	used    Used
	spent   error // the error of Session.Spend that stopped the worker
	brought bool  // a tree came back
}

// run starts a worker, and talks to it until the session ends. The error is the fault of a machine.
func (t *workerSession) run(ctx context.Context) (r agent.Result, err error) {
	const moreTime, moreIdle = 30 * time.Second, time.Minute // the worker itself should end at the limits first
	if t.p, err = t.a.Launcher.start(t.a.Dir, t.a.Secrets, t.s.ID); err != nil {
		return r, err
	}
	defer func() {
		t.p.end()
		if err != nil {
			err = fmt.Errorf("launcher %s: %w", t.a.Launcher.Name, t.explain(err))
		}
	}()
	defer context.AfterFunc(ctx, t.p.stop)()
	if err := t.call(); err != nil {
		return t.refused(err)
	}
	g, err := receive[Greeting](t.conn, FrameHello)
	if err != nil {
		return r, err
	}
	worker := "worker of launcher " + t.a.Launcher.Name + ": "
	if g.Problem != "" {
		return agent.Result{Status: agent.Unusable, Reason: agent.OneLine(worker+g.Problem, agent.MaxReason)}, nil
	}
	t.a.Note(agent.OneLine(worker+g.About, agent.MaxEvent))
	if err := t.send(context.WithoutCancel(ctx)); err != nil {
		return r, err
	}
	limits := t.s
	if limits.Timeout > 0 {
		limits.Timeout += moreTime
	}
	if limits.Idle > 0 {
		limits.Idle += moreIdle
	}
	run, life, stop := agent.NewLife(ctx, limits)
	defer stop()
	defer context.AfterFunc(run, t.p.stop)()
	t.life = life
	for {
		r, err := t.next(ctx)
		switch {
		case err == nil && r == nil:
			continue
		case run.Err() != nil:
			return agent.Ended(run, t.s), nil
		case t.spent != nil:
			return agent.Result{Status: agent.Stopped, Reason: t.spent.Error()}, nil
		case err != nil:
			return agent.Result{}, err
		case r.Status == agent.Cancelled: // the worker was stopped there: we did not cancel it
			return agent.Result{}, errors.New("the worker was told to end")
		}
		return *r, nil
	}
}

// call waits until a worker answers.
func (t *workerSession) call() error {
	const queued, startLimit = 2 * time.Second, time.Hour // the queue of a cluster may be long
	answered := make(chan error, 1)
	go func() {
		c, err := Call(t.p.out, t.p.in, rand.Text())
		t.conn = c
		answered <- err
	}()
	soon, late := time.After(queued), time.After(startLimit)
	for {
		select {
		case err := <-answered:
			return err
		case <-soon:
			t.s.Report(agent.Event{Kind: agent.Waiting,
				Text: "queued: no worker of launcher " + t.a.Launcher.Name + " answers yet"}, "")
		case <-late:
			t.p.kill()
			<-answered
			return errLate
		}
	}
}

// refused returns how a session ends that no other machine would run either, or the error.
func (t *workerSession) refused(err error) (agent.Result, error) {
	const notRunnable, notFound = 126, 127
	r := agent.Result{Status: agent.Unusable, Next: fmt.Sprintf("fix the launcher: git config planLauncher.%s.command COMMAND, "+
		"or what it starts (git plan man elsewhere)", t.a.Launcher.Name)}
	switch err {
	case errLate:
		r.Status, r.Next = agent.Lost, ""
	case errSilent:
		t.p.end()
		if c := t.p.exit.Code; c != notRunnable && c != notFound {
			return agent.Result{}, err
		}
		err = t.explain(err)
	}
	r.Reason = agent.OneLine(fmt.Sprintf("launcher %s: %v", t.a.Launcher.Name, err), agent.MaxReason)
	return r, nil
}

// explain adds to an error how the launcher ended, and the end of its output.
func (t *workerSession) explain(err error) error {
	<-t.p.over
	if slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.EPIPE},
		func(end error) bool { return errors.Is(err, end) }) {
		err = errors.New("the worker is gone")
	} else if err != errSilent {
		return err
	}
	text := fmt.Sprintf("its command exited with %d", t.p.exit.Code)
	if t.p.err != nil {
		text = t.p.err.Error()
	}
	if why := visible.Reason(t.p.stderr.String()); why != "" {
		text += ": " + agent.OneLine(agent.Mask(why, ""), 300)
	}
	return fmt.Errorf("%w (%s)", err, text)
}

// send sends the job, and the tree that the session begins with.
func (t *workerSession) send(ctx context.Context) (err error) {
	job := Work{Format: t.a.Files.Format, Agent: t.a.Name(), Session: t.s, Settings: t.a.Settings, Setup: t.a.Setup}
	for _, name := range t.a.Launcher.Pass {
		if v, ok := os.LookupEnv(name); ok {
			job.Env = append(job.Env, name+"="+v)
		}
	}
	if path := t.s.Review.Findings; path != "" {
		if job.Findings, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	if err := t.conn.Send(FrameJob, job); err != nil {
		return err
	}
	return t.conn.SendTree(ctx, t.a.Files, "", t.base)
}

// next takes the next message of a worker at work. A result is the end.
func (t *workerSession) next(ctx context.Context) (*agent.Result, error) {
	f, err := t.conn.Next(FrameEvent, FrameUsage, FrameTurn, FrameBytes, FrameTree, FrameResult)
	if err != nil {
		return nil, err
	}
	t.life.Beat()
	switch f.Kind {
	case FrameEvent:
		e, err := decode[agent.Event](f)
		if e, ok := TidyEvent(e); ok && err == nil {
			if e.Kind == agent.Waiting {
				t.life.Extend(e.Wait)
			}
			t.s.Report(e, "")
		}
		return nil, err
	case FrameUsage: // a worker that may not go on is stopped
		u, err := decode[Used](f)
		if err != nil {
			return nil, err
		}
		t.used = Used{u.Tokens.Believed(), u.Cost.Believed()}
		if all := t.before.Add(t.used); t.s.Spend != nil && t.spent == nil {
			if t.spent = t.s.Spend(all.Tokens, all.Cost); t.spent != nil {
				t.p.stop()
			}
		}
		return nil, nil
	case FrameTurn:
		r, err := decode[agent.Record](f)
		if err == nil {
			(&agent.Transcript{W: t.s.Transcript}).Write(r)
		}
		return nil, err
	case FrameResult:
		r, err := decode[agent.Result](f)
		if r = TidyResult(r); err == nil && r.Status == agent.Done && !t.brought {
			err = errors.New("it sent a result without a tree")
		}
		if err != nil {
			return nil, err
		}
		t.used = Used{Tokens: r.Tokens, Cost: r.Cost}
		return &r, nil
	}
	return nil, t.bring(context.WithoutCancel(ctx), f)
}

// bring writes the tree that arrives now to the files here.
func (t *workerSession) bring(ctx context.Context, first Frame) error {
	q, err := t.conn.Receive(ctx, t.a.Files, t.base, first)
	if err != nil {
		return err
	}
	defer q.Close()
	t.brought = true
	paths, err := t.a.Paths(ctx)
	if err != nil {
		return err
	}
	return worktree.Become(ctx, q.Repo, paths, q.Tree)
}

// Agent is an agent whose sessions run on another machine.
type Agent struct {
	agent.Agent // the agent by the configuration here
	Launcher    Launcher
	Dir         string                                  // the working directory of the launcher
	Files       *git.Repo                               // the local files of the session
	Paths       func(context.Context) ([]string, error) // returns the paths of Files that a commit would have now
	Settings    []string                                // the settings for the worker; see Settings
	Setup       string                                  // the command of plan.worktreeSetup
	Note        func(text string)                       // is called with a description of the worker
	Secrets     []string                                // the names of variables that the launcher must not get
}

// Run implements [agent.Agent]. If the worker is lost, the session is restarted from the files that came back.
func (a *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	const restarts = 3
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
			r = agent.Ended(ctx, s)
		case n == restarts:
			r = agent.Result{Status: agent.Lost,
				Reason: agent.OneLine(fmt.Sprintf("the worker was lost %d times, the last time: %v", n+1, err), agent.MaxReason)}
		default:
			pause := 500 * time.Millisecond << (2 * n)
			s.Report(agent.Event{Kind: agent.Waiting, Wait: pause,
				Text: fmt.Sprintf("%v; it is started again, which counts as no attempt", err)}, "")
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
