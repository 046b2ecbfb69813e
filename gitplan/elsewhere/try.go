package elsewhere

import (
	"context"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// Try starts a worker that is given nothing to do, in a folder, and returns what it says of itself and
// how long that took. Secrets are names of variables that the launcher must not be given.
func (l Launcher) Try(ctx context.Context, dir string, secrets []string) (wire.Greeting, time.Duration, error) {
	began := time.Now()
	t := &talk{a: &Agent{Launcher: l}}
	t.p = l.start(dir, environment(secrets, "doctor"))
	defer t.p.end(0)
	defer context.AfterFunc(ctx, t.p.stop)()
	failed := func(err error) (wire.Greeting, time.Duration, error) {
		r, lost := t.cannot(err)
		if lost == nil {
			lost = fmt.Errorf("%s", r.Reason)
		} else {
			lost = t.explain(err)
		}
		return wire.Greeting{}, time.Since(began), lost
	}
	if err := t.call(ctx); err != nil {
		return failed(err)
	}
	g, err := t.greeting()
	if err != nil {
		return failed(err)
	}
	return g, time.Since(began), nil
}

// described says what a worker is.
func described(name string, g wire.Greeting) string {
	sandbox := g.Sandbox
	if g.Why != "" {
		sandbox += " (" + g.Why + ")"
	}
	return agent.OneLine(fmt.Sprintf("worker of launcher %s: git plan %s on %s/%s, sandbox %s", name, g.Version, g.OS, g.Arch, sandbox), agent.MaxEvent)
}
