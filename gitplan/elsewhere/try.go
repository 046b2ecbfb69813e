package elsewhere

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// Tried is what a worker says of itself and of its machine.
type Tried struct {
	wire.Greeting
	Machine wire.Machine
	Looked  bool          // Machine is known: it is not of a worker that is older
	Start   time.Duration // until it answered
	Apart   time.Duration // how far its clock is ahead of ours; within a second or two this may be the way
}

// Try starts a worker that is given nothing to do, in a folder, and returns what it says. Secrets are
// names of variables that the launcher must not be given.
func (l Launcher) Try(ctx context.Context, dir string, secrets []string) (Tried, error) {
	began := time.Now()
	t := &talk{a: &Agent{Launcher: l}}
	t.p = l.start(dir, environment(secrets, "doctor"))
	defer t.p.end(0)
	defer context.AfterFunc(ctx, t.p.stop)()
	failed := func(err error) (Tried, error) {
		r, lost := t.cannot(err)
		if lost == nil {
			lost = fmt.Errorf("%s", r.Reason)
		} else {
			lost = t.explain(err)
		}
		return Tried{}, lost
	}
	if err := t.call(ctx); err != nil {
		return failed(err)
	}
	g, err := t.greeting()
	if err != nil {
		return failed(err)
	}
	out := Tried{Greeting: g, Start: time.Since(began)}
	if !slices.Contains(g.Can, wire.Looking) {
		return out, nil
	}
	defer time.AfterFunc(looking, t.p.kill).Stop()
	if err := t.conn.Send(wire.Look, nil); err != nil {
		return failed(err)
	}
	f, err := t.conn.Next(wire.Seen)
	if err == nil {
		err = f.Into(&out.Machine)
	}
	if err != nil {
		return failed(err)
	}
	out.Machine, out.Looked = out.Machine.Tidy(), true
	out.Apart = time.Until(out.Machine.Time)
	return out, nil
}

// looking is how long a worker may look at its machine.
const looking = 10 * time.Second

// described says what a worker is.
func described(name string, g wire.Greeting) string {
	sandbox := g.Sandbox
	if g.Why != "" {
		sandbox += " (" + g.Why + ")"
	}
	return agent.OneLine(fmt.Sprintf("worker of launcher %s: git plan %s on %s/%s, sandbox %s", name, g.Version, g.OS, g.Arch, sandbox), agent.MaxEvent)
}
