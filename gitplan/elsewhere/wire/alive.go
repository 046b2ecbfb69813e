package wire

import (
	"context"
	"errors"
	"time"
)

// Every so often each end says that it is there, and what is heard of neither a ping nor anything
// else for Silence has gone.
const (
	every   = 5 * time.Second
	Silence = time.Minute
)

// ErrSilent is the cause of a connection's end if nothing is heard any more.
var ErrSilent = errors.New("nothing was heard for a minute")

// listen notes that the reader begins to wait for a frame.
func (c *Conn) listen() { c.waiting.Store(time.Since(start).Nanoseconds() + 1) }

var start = time.Now() // so that what is noted goes by the clock that nobody sets

// Keep sends pings until the context ends, and calls lost if nothing is heard although somebody
// waits for it, or if the pings cannot be sent.
func (c *Conn) Keep(ctx context.Context, lost func(error)) { c.keep(ctx, every, Silence, lost) }

func (c *Conn) keep(ctx context.Context, every, silence time.Duration, lost func(error)) {
	go func() {
		for wait(ctx, every) {
			if err := c.write(Ping, nil); err != nil {
				lost(err)
				return
			}
		}
	}()
	go func() { // apart from that: where nothing is heard, writing may wait forever
		for wait(ctx, every) {
			since := c.waiting.Load()
			if since > 0 && time.Since(start)-time.Duration(since) > silence {
				lost(ErrSilent)
				return
			}
		}
	}()
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
