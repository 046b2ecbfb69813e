package cli

import (
	"os"
	"sync"
)

// outbox is what a program is to read. A program that does not read is not waited for.
type outbox struct {
	lines chan []byte
	read  *os.File
	write *os.File

	mu     sync.Mutex
	closed bool
	over   bool
}

// maxUnread is how many lines a program may leave unread; none but the first is long.
const maxUnread = 1000

func newOutbox() (*outbox, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	o := &outbox{lines: make(chan []byte, maxUnread), read: r, write: w}
	go func() {
		for b := range o.lines {
			if _, err := w.Write(b); err != nil {
				break
			}
		}
		_ = w.Close()
	}()
	return o, r, nil
}

func (o *outbox) send(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.over {
		return
	}
	select {
	case o.lines <- b:
	default:
		o.over = true
	}
}

func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.over
}

// end closes it once all lines are written.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		close(o.lines)
	}
}

// close drops what was not read.
func (o *outbox) close() {
	o.end()
	_ = o.read.Close()
	_ = o.write.Close()
}
