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
	agent   *Agent
	session agent.Session
	base    string // the tree that the worker gets
	before  Used   // the usage of lost workers

	process *process
	conn    *Conn
	life    *agent.Life
	used    Used
	spent   error // the error of Session.Spend that stopped the worker
	brought bool  // a tree came back
}

// run starts a worker, and talks to it until the session ends. The error is the fault of a machine.
func (w *workerSession) run(ctx context.Context) (r agent.Result, err error) {
	const moreTime, moreIdle = 30 * time.Second, time.Minute // the worker itself should end at the limits first
	if w.process, err = w.agent.Launcher.start(w.agent.Dir, w.agent.Secrets, w.session.ID); err != nil {
		return r, err
	}
	defer func() {
		w.process.end()
		if err != nil {
			err = fmt.Errorf("launcher %s: %w", w.agent.Launcher.Name, w.explain(err))
		}
	}()
	defer context.AfterFunc(ctx, w.process.stop)()
	if err := w.call(); err != nil {
		return w.refused(err)
	}
	g, err := receive[Greeting](w.conn, FrameHello)
	if err != nil {
		return r, err
	}
	worker := "worker of launcher " + w.agent.Launcher.Name + ": "
	if g.Problem != "" {
		return agent.Result{Status: agent.Unusable, Reason: agent.OneLine(worker+g.Problem, agent.MaxReason)}, nil
	}
	w.agent.Note(agent.OneLine(worker+g.About, agent.MaxEvent))
	if err := w.send(context.WithoutCancel(ctx)); err != nil {
		return r, err
	}
	limits := w.session
	if limits.Timeout > 0 {
		limits.Timeout += moreTime
	}
	if limits.Idle > 0 {
		limits.Idle += moreIdle
	}
	run, life, stop := agent.NewLife(ctx, limits)
	defer stop()
	defer context.AfterFunc(run, w.process.stop)()
	w.life = life
	for {
		r, err := w.next(ctx)
		switch {
		case err == nil && r == nil:
			continue
		case run.Err() != nil:
			return agent.Ended(run, w.session), nil
		case w.spent != nil:
			return agent.Result{Status: agent.Stopped, Reason: w.spent.Error()}, nil
		case err != nil:
			return agent.Result{}, err
		case r.Status == agent.Cancelled: // the worker was stopped there: we did not cancel it
			return agent.Result{}, errors.New("the worker was told to end")
		}
		return *r, nil
	}
}

// call waits until a worker answers.
func (w *workerSession) call() error {
	const queued, startLimit = 2 * time.Second, time.Hour // the queue of a cluster may be long
	answered := make(chan error, 1)
	go func() {
		c, err := Call(w.process.out, w.process.in, rand.Text())
		w.conn = c
		answered <- err
	}()
	soon, late := time.After(queued), time.After(startLimit)
	for {
		select {
		case err := <-answered:
			return err
		case <-soon:
			w.session.Report(agent.Event{Kind: agent.Waiting,
				Text: "queued: no worker of launcher " + w.agent.Launcher.Name + " answers yet"}, "")
		case <-late:
			w.process.kill()
			<-answered
			return errLate
		}
	}
}

// refused returns how a session ends that no other machine would run either, or the error.
func (w *workerSession) refused(err error) (agent.Result, error) {
	const notRunnable, notFound = 126, 127
	r := agent.Result{Status: agent.Unusable, Next: fmt.Sprintf("fix the launcher: git config planLauncher.%s.command COMMAND, "+
		"or what it starts (git plan man elsewhere)", w.agent.Launcher.Name)}
	switch err {
	case errLate:
		r.Status, r.Next = agent.Lost, ""
	case errSilent:
		w.process.end()
		if c := w.process.exit.Code; c != notRunnable && c != notFound {
			return agent.Result{}, err
		}
		err = w.explain(err)
	}
	r.Reason = agent.OneLine(fmt.Sprintf("launcher %s: %v", w.agent.Launcher.Name, err), agent.MaxReason)
	return r, nil
}

// explain adds to an error how the launcher ended, and the end of its output.
func (w *workerSession) explain(err error) error {
	<-w.process.over
	if slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.EPIPE},
		func(end error) bool { return errors.Is(err, end) }) {
		err = errors.New("the worker is gone")
	} else if err != errSilent {
		return err
	}
	text := fmt.Sprintf("its command exited with %d", w.process.exit.Code)
	if w.process.err != nil {
		text = w.process.err.Error()
	}
	if why := visible.Reason(w.process.stderr.String()); why != "" {
		text += ": " + agent.OneLine(agent.Mask(why, ""), 300)
	}
	return fmt.Errorf("%w (%s)", err, text)
}

// send sends the job, and the tree that the session begins with.
func (w *workerSession) send(ctx context.Context) (err error) {
	job := Work{Format: w.agent.Files.Format, Agent: w.agent.Name(), Session: w.session, Settings: w.agent.Settings,
		Setup: w.agent.Setup}
	for _, name := range w.agent.Launcher.Pass {
		if v, ok := os.LookupEnv(name); ok {
			job.Env = append(job.Env, name+"="+v)
		}
	}
	if path := w.session.Review.Findings; path != "" {
		if job.Findings, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	if err := w.conn.Send(FrameJob, job); err != nil {
		return err
	}
	return w.conn.SendTree(ctx, w.agent.Files, "", w.base)
}

// next takes the next message of a worker at work. A result is the end.
func (w *workerSession) next(ctx context.Context) (*agent.Result, error) {
	f, err := w.conn.Next(FrameEvent, FrameUsage, FrameTurn, FrameBytes, FrameTree, FrameResult)
	if err != nil {
		return nil, err
	}
	w.life.Beat()
	switch f.Kind {
	case FrameEvent:
		e, err := decode[agent.Event](f)
		if e, ok := TidyEvent(e); ok && err == nil {
			if e.Kind == agent.Waiting {
				w.life.Extend(e.Wait)
			}
			w.session.Report(e, "")
		}
		return nil, err
	case FrameUsage: // a worker that may not go on is stopped
		u, err := decode[Used](f)
		if err != nil {
			return nil, err
		}
		w.used = Used{u.Tokens.Believed(), u.Cost.Believed()}
		if all := w.before.Add(w.used); w.session.Spend != nil && w.spent == nil {
			if w.spent = w.session.Spend(all.Tokens, all.Cost); w.spent != nil {
				w.process.stop()
			}
		}
		return nil, nil
	case FrameTurn:
		r, err := decode[agent.Record](f)
		if err == nil {
			(&agent.Transcript{W: w.session.Transcript}).Write(r)
		}
		return nil, err
	case FrameResult:
		r, err := decode[agent.Result](f)
		if r = TidyResult(r); err == nil && r.Status == agent.Done && !w.brought {
			err = errors.New("it sent a result without a tree")
		}
		if err != nil {
			return nil, err
		}
		w.used = Used{Tokens: r.Tokens, Cost: r.Cost}
		return &r, nil
	}
	return nil, w.bring(context.WithoutCancel(ctx), f)
}

// bring writes the tree that arrives now to the files here.
func (w *workerSession) bring(ctx context.Context, first Frame) error {
	q, err := w.conn.Receive(ctx, w.agent.Files, w.base, first)
	if err != nil {
		return err
	}
	defer q.Close()
	w.brought = true
	paths, err := w.agent.Paths(ctx)
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
		t := &workerSession{agent: a, session: s, base: base, before: used}
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
