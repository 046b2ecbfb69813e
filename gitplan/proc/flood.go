package proc

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// maxOutput is how many bytes a program with its own group may write if Cmd.MaxOutput
// does not say: more than any build or agent writes that somebody reads.
const maxOutput = 1 << 30

var errFlooded = errors.New("it wrote more than the limit")

// flood counts what a program writes, and closes came when that is too much.
type flood struct {
	left atomic.Int64
	most int64 // 0: no limit
	once sync.Once
	came chan struct{}
}

func newFlood(c Cmd) *flood {
	f := &flood{came: make(chan struct{})}
	if f.most = c.MaxOutput; f.most == 0 && c.Group {
		f.most = maxOutput
	}
	f.left.Store(f.most)
	return f
}

// over returns the limit that was exceeded; 0 if none was.
func (f *flood) over() int64 {
	if f.left.Load() < 0 {
		return f.most
	}
	return 0
}

// TooMuch returns what to say of a program that was ended for writing too much.
func (e Exit) TooMuch() string {
	return fmt.Sprintf("wrote more than %d MiB and was ended", e.Flooded>>20)
}

// watch returns a writer that counts what is written to w.
func (f *flood) watch(w io.Writer) io.Writer {
	if f.most == 0 || w == nil {
		return w
	}
	return floodWriter{f, w}
}

// floodWriter passes on what is written within the limit.
type floodWriter struct {
	f *flood
	w io.Writer
}

func (w floodWriter) Write(p []byte) (int, error) {
	if w.f.left.Add(-int64(len(p))) < 0 {
		w.f.once.Do(func() { close(w.f.came) })
		return 0, errFlooded
	}
	return w.w.Write(p)
}
