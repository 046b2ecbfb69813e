package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/parcel"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// maxSent is what a worker is sent of a tree at most, in bytes.
const maxSent = 64 << 30

// leave is how long a worker goes on once nobody listens to it any more.
const leave = 1500 * time.Millisecond

// errGone is the cause of a session's end if who wanted it is gone, or wants it no more.
var errGone = errors.New("nobody listens any more")

// worker is a job under way.
type worker struct {
	*wire.Conn
	asking  sync.Mutex         // one question at a time
	answers chan wire.Answered // to it
	base    string             // the tree that was sent
}

// Serve does one job for whoever talks to it over in and out. version is that of git plan. It returns
// soon after the other end is gone, whatever is under way.
func Serve(ctx context.Context, version string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn, err := wire.Answer(in, out)
	if err != nil {
		return err
	}
	w := &worker{Conn: conn, answers: make(chan wire.Answered, 1)}
	w.Keep(ctx, func(err error) { cancel(fmt.Errorf("%w: %w", errGone, err)) })
	done := make(chan error, 1)
	go func() { done <- w.serve(ctx, cancel, version) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(leave):
		return context.Cause(ctx)
	}
}

func (w *worker) serve(ctx context.Context, cancel context.CancelCauseFunc, version string) error {
	greeted := make(chan error, 1)
	go func() { greeted <- w.Send(wire.Hello, hello(ctx, version)) }() // while near says what it wants
	first, err := w.Next(wire.Want, wire.Look)
	if err != nil {
		return err
	}
	if first.Kind == wire.Look {
		return errors.Join(<-greeted, w.Send(wire.Seen, look(ctx)))
	}
	cache, err := w.sent(ctx, first, greeted)
	if err != nil {
		return err
	}
	defer cache.close()
	job, err := w.job()
	if err != nil {
		return err
	}
	go w.listen(cancel)
	r, config, err := w.room(ctx, cache, job)
	var no *cannot
	if errors.As(err, &no) {
		return w.Send(wire.Result, agent.Result{Status: agent.Unusable, Reason: "the worker cannot begin: " + err.Error()})
	}
	if err != nil { // a full disk, say: another machine may do better
		return err
	}
	defer r.close()
	if job.Do == wire.Check {
		return w.check(ctx, r, job)
	}
	result := w.session(ctx, r, config, job)
	if job.Do == wire.Session {
		return w.Together(func() error {
			if err := w.sendTree(context.WithoutCancel(ctx), r); err != nil {
				return err
			}
			return w.Send(wire.Result, result)
		})
	}
	if changed := r.spoiled(context.WithoutCancel(ctx), job.Session.Role); changed != "" && result.Status == agent.Done {
		result = agent.Result{Status: agent.Failed, Reason: changed, Tokens: result.Tokens, Cost: result.Cost, Agent: result.Agent}
	}
	return w.Send(wire.Result, result)
}

// hello is what there is here.
func hello(ctx context.Context, version string) wire.Greeting {
	g := wire.Greeting{Version: version, Can: wire.All, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
	repo, config, err := git.Outside(ctx)
	if err != nil {
		g.Problem = "git cannot be run: " + err.Error()
		return g
	}
	defer repo.Close()
	said := make(chan string, 1)
	go func() {
		version, _ := repo.Ask(ctx, "version")
		said <- strings.TrimPrefix(version, "git version ")
	}()
	in, err := sandbox.Choose(ctx, settings.New(config))
	g.Git = <-said
	if g.Sandbox, g.Why = string(in.Kind), in.Reason; err != nil {
		g.Problem = err.Error()
	}
	if git.TooOld(g.Git) {
		g.Problem = git.ErrTooOld.Error()
	}
	return g
}

// sent takes the tree that the session begins with, once near was greeted.
func (w *worker) sent(ctx context.Context, f wire.Frame, greeted <-chan error) (*cached, error) {
	var want wire.Wanted
	if err := f.Into(&want); err != nil {
		return nil, err
	}
	cache, err := open(ctx, want)
	if no := <-greeted; err != nil || no != nil {
		return nil, errors.Join(err, no)
	}
	if err := w.take(ctx, cache); err != nil {
		cache.close()
		return nil, err
	}
	return cache, nil
}

func (w *worker) take(ctx context.Context, cache *cached) error {
	if err := w.Send(wire.Have, wire.Trees{Trees: cache.trees}); err != nil {
		return err
	}
	pack := w.Stream(wire.Tree, maxSent)
	if err := parcel.Take(ctx, cache.repo, pack); err != nil {
		return err
	}
	f, err := pack.Drain()
	if err != nil {
		return err
	}
	var tree wire.Object
	if err := f.Into(&tree); err != nil || !tree.Valid(cache.repo.Format) {
		return errors.Join(errors.New("that is no tree"), err)
	}
	w.base = tree.Name
	return nil
}

// job reads what is to be done.
func (w *worker) job() (job wire.Work, err error) {
	job, err = w.NextJob()
	if err == nil && job.Do != wire.Check && job.Do != wire.Doing(job.Session.Role) {
		err = fmt.Errorf("it is to do %.40q, which it cannot", job.Do)
	}
	return job, err
}

// cannot is why no worker could begin with a job.
type cannot struct{ error }

// room makes the place for the session, in the environment and with the settings of the job.
func (w *worker) room(ctx context.Context, cache *cached, job wire.Work) (*room, *settings.Config, error) {
	if err := adopt(job); err != nil {
		return nil, nil, &cannot{err}
	}
	outside, read, err := git.Outside(ctx)
	if err != nil {
		return nil, nil, err
	}
	outside.Close()
	base, err := parcel.Keep(ctx, cache.repo, w.base, cache.trees)
	if err != nil {
		return nil, nil, err
	}
	config := settings.New(read)
	r, err := enter(ctx, cache, config, job.Session.Branch, base)
	if err != nil {
		return nil, nil, err
	}
	if err := r.prepare(ctx, job.Setup); err != nil {
		r.close()
		return nil, nil, &cannot{err}
	}
	return r, config, nil
}
