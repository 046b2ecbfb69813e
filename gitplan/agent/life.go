package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errSessionTime = errors.New("the session's time is over")
	errSessionIdle = errors.New("no sign of life")
)

// life ends a session that shows no sign of life for its idle time. Waiting
// for a provider's limit, and checks on its result, are no silence.
type life struct {
	idle time.Duration

	mu    sync.Mutex
	timer *time.Timer // nil without a limit
}

// begin bounds a session's context by its two limits. stop ends both.
func begin(ctx context.Context, s Session) (_ context.Context, l *life, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l = &life{idle: s.Idle}
	if s.Idle > 0 {
		l.timer = time.AfterFunc(s.Idle, func() { cancel(errSessionIdle) })
	}
	var limit *time.Timer
	if s.Timeout > 0 {
		limit = time.AfterFunc(s.Timeout, func() { cancel(errSessionTime) })
	}
	return ctx, l, func() {
		cancel(nil)
		l.stop()
		if limit != nil {
			limit.Stop()
		}
	}
}

func (l *life) beat() { l.hold(0) }

// hold begins the idle time anew, after d.
func (l *life) hold(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Reset(l.idle + d)
	}
}

func (l *life) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// Write counts what is written as a sign of life.
func (l *life) Write(p []byte) (int, error) {
	l.beat()
	return len(p), nil
}

// ended is the result of a session whose context has ended.
func ended(ctx context.Context, s Session) Result {
	switch err := context.Cause(ctx); {
	case errors.Is(err, errSessionTime):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session took longer than %s", short(s.Timeout))}
	case errors.Is(err, errSessionIdle):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session showed no sign of life for %s", short(s.Idle))}
	default:
		return Result{Status: Cancelled, Reason: "the session was cancelled"}
	}
}
