package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

var (
	ErrTime = errors.New("the session's time is over")
	ErrIdle = errors.New("no sign of life")
)

// Life ends a session that shows no sign of life for its idle time.
type Life struct {
	idle         time.Duration
	clock, limit *proc.Clock // of its idle time, and of all its time
}

// NewLife bounds a session's context by its two limits. stop ends both.
func NewLife(ctx context.Context, s Session) (_ context.Context, l *Life, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l = &Life{s.Idle, proc.NewClock(s.Idle, func() { cancel(ErrIdle) }), proc.NewClock(s.Timeout, func() { cancel(ErrTime) })}
	return ctx, l, func() {
		cancel(nil)
		l.Stop()
		l.limit.Stop()
	}
}

// Beat begins the idle time again.
func (l *Life) Beat() { l.Extend(0) }

// Extend begins the idle time again, after d.
func (l *Life) Extend(d time.Duration) {
	if l.idle > 0 {
		l.clock.Reset(l.idle + d)
	}
}

// Waits makes the session's time longer by what its model is waited for.
func (l *Life) Waits(d time.Duration) { l.limit.Add(d) }

// Stop ends the idle time, until the next Beat or Extend.
func (l *Life) Stop() { l.clock.Stop() }

// Write counts output as a sign of life.
func (l *Life) Write(p []byte) (int, error) {
	l.Beat()
	return len(p), nil
}

// Ended returns the result of a session whose context has ended.
func Ended(ctx context.Context, s Session) Result {
	switch err := context.Cause(ctx); {
	case errors.Is(err, ErrTime):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session took longer than %s", Short(s.Timeout))}
	case errors.Is(err, ErrIdle):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session showed no sign of life for %s", Short(s.Idle))}
	default:
		return Result{Status: Cancelled, Reason: "the session was cancelled"}
	}
}
