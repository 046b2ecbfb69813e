package elsewhere

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// queued is after how long a worker that does not answer yet is shown as queued.
const queued = 2 * time.Second

// call waits until a worker answers.
func (t *talk) call(ctx context.Context) (err error) {
	nonce := make([]byte, 8)
	_, _ = rand.Read(nonce)
	answered := make(chan error, 1)
	go func() {
		c, err := wire.Call(t.p.out, t.p.in, hex.EncodeToString(nonce))
		t.conn = c
		answered <- err
	}()
	limit, soon := time.NewTimer(t.a.Launcher.Start), time.NewTimer(queued)
	defer limit.Stop()
	defer soon.Stop()
	for {
		select {
		case err := <-answered:
			return err
		case <-soon.C:
			t.a.tell(t.s, agent.Event{Kind: agent.Waiting, Text: "queued: no worker of launcher " + t.a.Launcher.Name + " answers yet"})
		case <-limit.C:
			t.p.kill()
			<-answered
			return &unusable{fmt.Sprintf("no worker answered within planLauncher.%s.start, %s", t.a.Launcher.Name, agent.Short(t.a.Launcher.Start)), agent.Lost}
		}
	}
}

// unusable is what no other machine would do better.
type unusable struct {
	text   string
	status agent.Status
}

func (u *unusable) Error() string { return u.text }

// cannot sorts out what is wrong with the launcher, and with no machine.
func (t *talk) cannot(err error) (agent.Result, error) {
	var no *wire.NoWorker
	var un *unusable
	defer t.p.end(0)
	const notRunnable, notFound = 126, 127
	switch {
	case errors.As(err, &un):
	case errors.As(err, &no) && no.Why != "":
		un = &unusable{no.Why, agent.Unusable}
	case errors.As(err, &no):
		t.p.end(stopping)
		if c := t.p.exit.Code; c != notRunnable && c != notFound {
			return agent.Result{}, err
		}
		un = &unusable{t.explain(err).Error(), agent.Unusable}
	default:
		return agent.Result{}, err
	}
	next := ""
	if un.status == agent.Unusable {
		next = fmt.Sprintf("fix the launcher: git config planLauncher.%s.command COMMAND, or what it starts (git plan man elsewhere)", t.a.Launcher.Name)
	}
	return agent.Result{Status: un.status, Next: next, Reason: agent.OneLine("launcher "+t.a.Launcher.Name+": "+un.text, agent.MaxReason)}, nil
}

// gone reports an error of talking to somebody who has gone, and may have said why.
func gone(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// explain adds to an error what the launcher itself said.
func (t *talk) explain(err error) error {
	<-t.p.over
	var no *wire.NoWorker
	switch {
	case errors.As(err, &no) && visible.Reason(no.Said) != "":
		return fmt.Errorf("no worker answers, but: %s (%s)", agent.OneLine(agent.Mask(visible.Reason(no.Said), ""), 300), t.p.why())
	case errors.As(err, &no):
		return fmt.Errorf("no worker answers (%s)", t.p.why())
	case gone(err):
		return fmt.Errorf("the worker is gone (%s)", t.p.why())
	}
	return err
}

// greeting hears what a worker that has answered says of itself.
func (t *talk) greeting() (g wire.Greeting, err error) {
	f, err := t.conn.Next(wire.Hello)
	if err == nil {
		err = f.Into(&g)
	}
	return g.Tidy(), err
}
