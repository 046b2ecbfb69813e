package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/parcel"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// talk is a session with one worker.
type talk struct {
	a      *Agent
	s      agent.Session
	do     string // what the worker is to do
	before Used   // by workers that were lost

	p       *process
	conn    *wire.Conn
	life    *agent.Life
	used    Used
	base    string // the tree that it is sent
	brought bool   // a tree came back
}

// A worker holds its session to its limits. If it does not, it is ended a little later.
const (
	moreTime = 30 * time.Second
	moreIdle = time.Minute
)

// run starts one worker, and has it do what begins once it has answered. The error is the fault of a
// machine.
func (t *talk) run(ctx context.Context, begin func(context.Context) (agent.Result, error)) (r agent.Result, err error) {
	t.p = t.a.Launcher.start(t.a.Dir, environment(t.a.Secrets, t.s.ID))
	defer func() {
		if err != nil {
			patience := time.Duration(0)
			if gone(err) {
				patience = stopping
			}
			t.p.end(patience)
			err = &lost{fmt.Sprintf("launcher %s: %v", t.a.Launcher.Name, t.explain(err))}
		} else {
			t.p.end(ending)
		}
	}()
	defer context.AfterFunc(ctx, t.p.stop)()
	if t.base, err = t.a.Tree.Snapshot(ctx); err != nil { // while the launcher starts
		return r, err
	}
	if err := t.call(ctx); err != nil {
		return t.cannot(err)
	}
	alive, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	silent := make(chan error, 2)
	t.conn.Keep(alive, func(err error) {
		silent <- err
		t.p.kill()
	})
	r, err = begin(ctx)
	if err != nil {
		select {
		case err = <-silent:
		default:
		}
	}
	return r, err
}

// session talks to a worker that has answered, until the session ends.
func (t *talk) session(ctx context.Context) (agent.Result, error) {
	refused, err := t.hello()
	if err != nil || refused != nil {
		return value(refused), err
	}
	if err := t.sendSession(context.WithoutCancel(ctx)); err != nil {
		return agent.Result{}, err
	}
	limits := t.s
	limits.Timeout, limits.Idle = later(t.s.Timeout, moreTime), later(t.s.Idle, moreIdle)
	run, life, stop := agent.NewLife(ctx, limits)
	defer stop()
	defer context.AfterFunc(run, t.p.stop)()
	t.life = life
	for {
		r, err := t.next(run)
		if run.Err() != nil && (err != nil || r != nil) {
			return agent.Ended(run, t.s), nil
		}
		if r != nil && r.Status == agent.Cancelled { // by its engine: we did not
			err = errors.New("the worker was told to end")
		}
		if err != nil || r != nil {
			return value(r), err
		}
	}
}

// later returns a limit, if there is one, with something more.
func later(limit, more time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return limit + more
}

func value(r *agent.Result) agent.Result {
	if r == nil {
		return agent.Result{}
	}
	return *r
}

// hello hears what there is. A result says why no session is started there.
func (t *talk) hello() (*agent.Result, error) {
	if err := t.want(); err != nil {
		return nil, err
	}
	g, err := t.greeting()
	if err != nil {
		return nil, err
	}
	if why := g.Cannot(t.do); why != "" {
		return &agent.Result{Status: agent.Unusable, Reason: agent.OneLine("worker of launcher "+t.a.Launcher.Name+": "+why, agent.MaxReason)}, nil
	}
	t.a.Note(described(t.a.Launcher.Name, g))
	return nil, nil
}

// want says of which repository a tree will come: a worker looks for it while it finds out what else is there.
func (t *talk) want() error {
	r := t.a.Tree.Repo()
	id, err := cloneID(r)
	if err != nil {
		return err
	}
	return t.conn.Send(wire.Want, wire.Wanted{Clone: id, Format: r.Format})
}

// send sends the tree that the job is about, and the job.
func (t *talk) send(ctx context.Context, job wire.Work) error {
	r := t.a.Tree.Repo()
	f, err := t.conn.Next(wire.Have)
	if err != nil {
		return err
	}
	var has wire.Trees
	if err := f.Into(&has); err != nil {
		return err
	}
	known := has.Trees[:min(len(has.Trees), wire.MaxTrees)]
	known = slices.DeleteFunc(known, func(name string) bool { return !(wire.Object{Name: name}).Valid(r.Format) })
	return t.conn.Together(func() error {
		err := t.conn.SendStream(wire.Tree, wire.Object{Name: t.base}, func(w io.Writer) error { return parcel.Send(ctx, r, t.base, known, w) })
		if err != nil {
			return err
		}
		return t.conn.SendJob(job)
	})
}

// sendSession sends what the session begins with, and the job.
func (t *talk) sendSession(ctx context.Context) (err error) {
	job := wire.Work{Do: t.do, Agent: t.a.Name(), Session: t.s, Settings: t.a.Settings, Env: passed(t.a.Launcher.Pass), Setup: t.a.Setup, Asks: t.s.Ask != nil}
	if path := t.s.Review.Findings; path != "" {
		if job.Findings, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	return t.send(ctx, job)
}

// next takes the next message of a worker at work. A result is the end.
func (t *talk) next(ctx context.Context) (*agent.Result, error) {
	f, err := t.conn.Next(t.kinds()...)
	if err != nil {
		return nil, err
	}
	t.life.Beat()
	switch f.Kind {
	case wire.Event:
		return nil, t.event(f)
	case wire.Usage:
		return nil, t.usage(f)
	case wire.Turn:
		return nil, t.turn(f)
	case wire.Offer:
		return nil, t.offer(ctx, f)
	case wire.Ask:
		return nil, t.ask(f)
	case wire.Result:
		return t.result(f)
	}
	return nil, t.bring(context.WithoutCancel(ctx), f)
}

// kinds returns what a worker may say while the session is at work: one that only reads brings no
// tree.
func (t *talk) kinds() []wire.Kind {
	kinds := []wire.Kind{wire.Event, wire.Usage, wire.Turn, wire.Offer, wire.Result}
	if !t.s.Role.Answers() {
		kinds = append(kinds, wire.Bytes, wire.Tree)
	}
	if t.s.Ask != nil {
		kinds = append(kinds, wire.Ask)
	}
	return kinds
}

func (t *talk) event(f wire.Frame) error {
	var e agent.Event
	if err := f.Into(&e); err != nil {
		return err
	}
	if e, ok := wire.TidyEvent(e); ok {
		if e.Kind == agent.Waiting {
			t.life.Extend(e.Wait)
		}
		t.a.tell(t.s, e)
	}
	return nil
}

// usage counts what the session has used, and says whether it may go on.
func (t *talk) usage(f wire.Frame) error {
	var u wire.Used
	if err := f.Into(&u); err != nil {
		return err
	}
	u = u.Tidy()
	t.used = Used{u.Tokens, u.Cost}
	var no error
	if all := t.before.add(t.used); t.s.Spend != nil {
		no = t.s.Spend(all.Tokens, all.Cost)
	}
	return t.conn.Send(wire.Grant, wire.No(no))
}

// turn keeps a line of the transcript.
func (t *talk) turn(f wire.Frame) error {
	var r agent.Record
	if err := f.Into(&r); err != nil {
		return err
	}
	(&agent.Transcript{W: t.s.Transcript}).Write(r)
	return nil
}

// offer has what came back judged while the session is still there.
func (t *talk) offer(ctx context.Context, f wire.Frame) error {
	var r agent.Result
	if err := f.Into(&r); err != nil {
		return err
	}
	if !t.complete() {
		return errors.New("it offers a result without a tree")
	}
	var no error
	if t.s.Accept != nil {
		t.life.Stop()
		no = t.s.Accept(ctx, wire.TidyResult(r))
		t.life.Beat()
	}
	return t.conn.Send(wire.Verdict, wire.No(no))
}

// complete reports whether everything is here of a session that says it is done.
func (t *talk) complete() bool { return t.brought || t.s.Role.Answers() }

// ask puts questions of the session to a person.
func (t *talk) ask(f wire.Frame) error {
	var list []agent.Question
	if err := f.Into(&list); err != nil {
		return err
	}
	t.life.Stop()
	answers, no := t.s.Ask(agent.TidyQuestions(list))
	t.life.Beat()
	return t.conn.Send(wire.Told, wire.Answered{No: wire.No(no).No, Answers: answers})
}

// result is how the session ended, by its word.
func (t *talk) result(f wire.Frame) (*agent.Result, error) {
	var r agent.Result
	if err := f.Into(&r); err != nil {
		return nil, err
	}
	r = wire.TidyResult(r)
	if r.Status == agent.Done && !t.complete() {
		return nil, errors.New("it sent a result without a tree")
	}
	t.used = Used{r.Tokens, r.Cost}
	return &r, nil
}

// bring puts the tree that comes now into the files here.
func (t *talk) bring(ctx context.Context, first wire.Frame) error {
	stream := t.conn.Stream(wire.Tree, parcel.MaxPack, first)
	q, err := parcel.Receive(ctx, t.a.Tree.Repo(), stream)
	if err != nil {
		return err
	}
	defer q.Close()
	end, err := stream.Drain()
	if err != nil {
		return err
	}
	var tree wire.Object
	if err := end.Into(&tree); err != nil {
		return err
	}
	if !tree.Valid(t.a.Tree.Repo().Format) {
		return errors.New("what came back has no name")
	}
	if _, err := q.Changes(ctx, t.base, tree.Name); err != nil {
		return err
	}
	t.brought = true
	return t.a.Tree.Become(ctx, q.Repo, tree.Name)
}
