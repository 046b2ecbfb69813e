package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/parcel"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// session runs the session.
func (w *worker) session(ctx context.Context, r *room, config *settings.Config, job wire.Work) agent.Result {
	s := job.Session
	a, err := config.NamedAgent(job.Agent, s.Role)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()}
	}
	if s.Review.Findings, err = r.findings(job.Findings); err != nil {
		return agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()}
	}
	s.Dir, s.Env = r.files.Top, append(config.Environment(a), proc.Mark(s.ID))
	if s.Confine, err = r.ConfineSession(ctx, a, s); err != nil {
		return agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()}
	}
	s.On = func(e agent.Event) { _ = w.Send(wire.Event, e) }
	s.Spend = func(t agent.Tokens, c agent.Cost) error {
		_, err := w.ask(ctx, func() error { return w.Send(wire.Usage, wire.Used{Tokens: t, Cost: c}) })
		return err
	}
	s.Accept = func(ctx context.Context, result agent.Result) error {
		_, err := w.ask(ctx, func() error {
			return w.Together(func() error {
				if job.Do == wire.Session {
					if err := w.sendTree(ctx, r); err != nil {
						return err
					}
				}
				return w.Send(wire.Offer, result)
			})
		})
		return err
	}
	if job.Asks {
		s.Ask = func(list []agent.Question) ([]string, error) {
			answers, err := w.ask(ctx, func() error { return w.Send(wire.Ask, list) })
			if err == nil && len(answers) != len(list) {
				err = fmt.Errorf("%d answers to %d questions", len(answers), len(list))
			}
			return answers, err
		}
	}
	s.Transcript = turns{w.Conn}
	return a.Run(ctx, s)
}

// ask puts a question to the other end, and returns its answer.
func (w *worker) ask(ctx context.Context, question func() error) ([]string, error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	if err := question(); err != nil {
		return nil, err
	}
	select {
	case a := <-w.answers:
		return a.Answers, a.Err()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// listen passes answers on, until the other end is gone: that ends the session.
func (w *worker) listen(cancel context.CancelCauseFunc) {
	for {
		f, err := w.Next(wire.Grant, wire.Verdict, wire.Told)
		if err != nil {
			cancel(fmt.Errorf("%w: %w", errGone, err))
			return
		}
		var a wire.Answered
		if err := f.Into(&a); err != nil {
			cancel(err)
			return
		}
		select {
		case w.answers <- a:
		default: // nobody asked
		}
	}
}

// sendTree sends the files as they are now.
func (w *worker) sendTree(ctx context.Context, r *room) error {
	tree, err := r.tree(ctx)
	if err != nil {
		return err
	}
	return w.SendStream(wire.Tree, wire.Object{Name: tree}, func(out io.Writer) error {
		return parcel.Return(ctx, r.files, w.base, tree, out)
	})
}

// turns passes on the lines of a transcript.
type turns struct{ c *wire.Conn }

func (t turns) Write(line []byte) (int, error) {
	text := json.RawMessage(bytes.TrimSpace(line))
	if err := t.c.Send(wire.Turn, text); err != nil { // it is too large
		return len(line), t.c.Send(wire.Turn, agent.Record{Cut: fmt.Sprintf("%d bytes are left out", len(line))})
	}
	return len(line), nil
}
