package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// leave is how long a worker continues once the other end is gone.
const leave = 1500 * time.Millisecond

// errGone is the cause of a session's end if the other end is gone or no longer wants it.
var errGone = errors.New("the other end is gone")

// Serve runs one session for the git plan at the other end of in and out. It returns soon after that is gone.
func Serve(ctx context.Context, gitPlan string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn, err := Answer(in, out)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- serve(ctx, cancel, conn, gitPlan) }()
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

func serve(ctx context.Context, cancel context.CancelCauseFunc, conn *Conn, gitPlan string) error {
	if err := conn.Send(FrameHello, hello(ctx, gitPlan)); err != nil {
		return err
	}
	f, err := conn.Next(FrameJob)
	if err != nil {
		return err
	}
	var job Work
	if err := f.Into(&job); err != nil {
		return err
	}
	if err := adopt(job); err != nil {
		return err
	}
	outside, read, err := git.Outside(ctx)
	if err != nil {
		return err
	}
	outside.Close()
	config := settings.New(read)
	space, err := newWorkspace(ctx, config, job.Format)
	if err != nil { // a full disk, for example: another machine may do better
		return err
	}
	defer space.close()
	tree, err := conn.TakeTree(ctx, space.site.Checkout.Repo)
	if err != nil {
		return err
	}
	if err := space.checkOut(ctx, tree, job.Session.Branch); err != nil {
		return fmt.Errorf("the tree cannot be checked out: %w", err)
	}
	go func() {
		_, err := conn.Next()
		cancel(fmt.Errorf("%w: %w", errGone, err))
	}()
	if err := space.prepare(ctx, job.Setup); err != nil {
		return conn.Send(FrameResult, agent.Result{Status: agent.Unusable, Reason: "the worker cannot begin: " + err.Error()})
	}
	result := session(ctx, conn, space, job)
	now := context.WithoutCancel(ctx)
	left, err := space.snapshot(now)
	if err == nil {
		err = conn.SendTree(now, space.files, space.tree, left)
	}
	if err != nil {
		return err
	}
	return conn.Send(FrameResult, result)
}

// hello describes this machine.
func hello(ctx context.Context, gitPlan string) Greeting {
	g := Greeting{Version: gitPlan, OS: runtime.GOOS, Arch: runtime.GOARCH}
	repo, config, err := git.Outside(ctx)
	if err != nil {
		g.Problem = "git cannot be run: " + err.Error()
		return g
	}
	defer repo.Close()
	text, _ := repo.Ask(ctx, "version")
	in, err := sandbox.Choose(ctx, settings.New(config))
	if g.Sandbox, g.Why = string(in.Kind), in.Reason; err != nil {
		g.Problem = err.Error()
	}
	if git.TooOld(strings.TrimPrefix(text, "git version ")) {
		g.Problem = git.ErrTooOld.Error()
	}
	return g
}

// adopt takes over the variables and settings of a job.
func adopt(job Work) error {
	var flat []string
	for _, kv := range job.Settings {
		flat = append(flat, kv[0], kv[1])
	}
	env := job.Env
	for _, kv := range git.WithSettings(os.Environ(), flat...) {
		if strings.HasPrefix(kv, "GIT_CONFIG_") {
			env = append(env, kv)
		}
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("a variable cannot be set: %w", err)
		}
	}
	return nil
}

// session runs the session, and passes on what happens in it.
func session(ctx context.Context, conn *Conn, space *workspace, job Work) agent.Result {
	s, config := job.Session, space.site.Checkout.Config
	a, err := config.NamedAgent(job.Agent, s.Role)
	if err == nil {
		s.Review.Findings, err = space.findings(job.Findings)
	}
	if err == nil {
		s.Dir, s.Env = space.files.Top, append(config.Environment(a), proc.Mark(s.ID))
		s.Confine, err = space.confined(space.site.ConfineSession(ctx, a, s))
	}
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: "on the worker: " + err.Error()}
	}
	s.On = func(e agent.Event) { _ = conn.Send(FrameEvent, e) }
	s.Spend = func(t agent.Tokens, c agent.Cost) error {
		return conn.Send(FrameUsage, Used{Tokens: t, Cost: c})
	}
	s.Transcript = turns{conn}
	return a.Run(ctx, s)
}

// turns passes on the lines of a transcript.
type turns struct{ c *Conn }

func (t turns) Write(line []byte) (int, error) {
	return len(line), t.c.Send(FrameTurn, json.RawMessage(bytes.TrimSpace(line)))
}
