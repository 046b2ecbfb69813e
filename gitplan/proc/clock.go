package proc

import (
	"sync"
	"time"
)

// Clock calls a function after a time that counts only while this process runs. While it is stopped, as by Ctrl-Z,
// what others write waits to be read: a timer would fire before that.
type Clock struct {
	fire  func()
	tick  time.Duration
	timer *time.Timer

	mu   sync.Mutex
	left time.Duration // 0 if it is stopped
	due  time.Time     // of the next tick
}

// stopped is how late a tick is, at least, before which this process did not run.
const stopped = time.Second

// NewClock returns a clock that has begun; it never ends if d is 0.
func NewClock(d time.Duration, fire func()) *Clock {
	c := &Clock{fire: fire}
	c.timer = time.AfterFunc(time.Hour, c.count)
	c.Reset(d)
	return c
}

// Reset begins the time again.
func (c *Clock) Reset(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick = min(max(d/20, time.Millisecond), time.Second)
	c.set(d)
}

// Add makes the time longer, unless it has ended.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left > 0 {
		c.left += d
	}
}

// Stop ends the time until the next Reset.
func (c *Clock) Stop() { c.Reset(0) }

func (c *Clock) set(left time.Duration) {
	c.timer.Stop()
	if c.left = left; left > 0 {
		c.due = time.Now().Add(c.tick)
		c.timer.Reset(c.tick)
	}
}

func (c *Clock) count() {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.left
	if left <= 0 {
		return
	}
	if time.Since(c.due) < stopped {
		left -= c.tick
	}
	if c.set(left); left <= 0 {
		go c.fire()
	}
}
