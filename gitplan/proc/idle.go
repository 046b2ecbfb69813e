package proc

import (
	"io"
	"sync"
	"time"
)

// idleTimer closes c when nothing was written to the writers it watches for a while.
type idleTimer struct {
	limit time.Duration
	timer *time.Timer
	once  sync.Once
	c     chan struct{}
}

func newIdleTimer(limit time.Duration) *idleTimer {
	t := &idleTimer{limit: limit, c: make(chan struct{})}
	if limit > 0 {
		t.timer = time.AfterFunc(limit, func() { t.once.Do(func() { close(t.c) }) })
	}
	return t
}

func (t *idleTimer) fired() <-chan struct{} { return t.c }

func (t *idleTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// watch returns a writer that restarts the timer with everything that is written to w.
func (t *idleTimer) watch(w io.Writer) io.Writer {
	if t.timer == nil || w == nil {
		return w
	}
	return idleWriter{t, w}
}

type idleWriter struct {
	t *idleTimer
	w io.Writer
}

func (i idleWriter) Write(p []byte) (int, error) {
	i.t.timer.Reset(i.t.limit)
	return i.w.Write(p)
}
