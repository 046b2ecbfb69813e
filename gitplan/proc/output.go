package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// drain is how long an output is read that another process keeps open after the program's end.
const drain = 500 * time.Millisecond

// output copies what a program writes to a writer, through a pipe of our own: os/exec closes its
// pipes by the clock, and loses what is still in them if this process stood still for that long,
// as on a machine that was suspended.
type output struct {
	ours, theirs *os.File
	to           io.Writer
	begin        Head // of what is written: the reason, if the program was never started
	copied       chan error
}

// outputs gives cmd the writers of c, and one pipe for both if they are the same.
func outputs(cmd *exec.Cmd, c Cmd, life *idleTimer, limit *outputLimit) (all []*output, err error) {
	pipe := func(w io.Writer) (io.Writer, error) {
		if _, isFile := w.(*os.File); w == nil || isFile && c.Idle == 0 && c.MaxOutput == 0 {
			return w, nil
		}
		o := &output{to: limit.watch(life.watch(w)), copied: make(chan error, 1)}
		if c.Confine != nil && c.Confine.By == Bwrap {
			o.begin.Max = 4 << 10
			o.to = io.MultiWriter(&o.begin, o.to)
		}
		if o.ours, o.theirs, err = os.Pipe(); err != nil {
			return nil, err
		}
		all = append(all, o)
		return o.theirs, nil
	}
	if cmd.Stdout, err = pipe(c.Stdout); err != nil {
		return all, err
	}
	if c.Stderr != nil && same(c.Stdout, c.Stderr) {
		cmd.Stderr = cmd.Stdout
		return all, nil
	}
	cmd.Stderr, err = pipe(c.Stderr)
	return all, err
}

// same reports whether two writers are the same; writers of a type that cannot be compared
// are not.
func same(a, b io.Writer) (is bool) {
	defer func() { _ = recover() }()
	return a == b
}

// start closes the program's end of the pipe here, and begins to copy.
func (o *output) start() {
	_ = o.theirs.Close()
	go func() {
		_, err := io.Copy(o.to, o.ours)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			_ = o.ours.Close() // the program gets SIGPIPE
		}
		o.copied <- err
	}()
}

// end returns when everything is copied that the program wrote, which has ended. If another
// process keeps the pipe open, it waits for that no longer than until. The error is the writer's.
func (o *output) end(until time.Time) error {
	defer o.ours.Close()
	select {
	case err := <-o.copied:
		return err
	case <-time.After(time.Until(until)):
	}
	if err := o.ours.SetReadDeadline(time.Unix(1, 0)); err != nil {
		return nil // a system without deadlines: the pipe is closed
	}
	err := <-o.copied
	if errors.Is(err, os.ErrDeadlineExceeded) { // what is still in the pipe, if this process stood still meanwhile
		_ = o.ours.SetReadDeadline(time.Now().Add(drain / 10))
		if _, err = io.Copy(o.to, o.ours); errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
	}
	return err
}

// close closes both ends of an output that was not begun.
func (o *output) close() {
	_ = o.ours.Close()
	_ = o.theirs.Close()
}

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

// defaultMaxOutput is how many bytes a program with its own group may write if Cmd.MaxOutput
// does not say: more than any useful build or agent writes.
const defaultMaxOutput = 1 << 30

var errOverLimit = errors.New("it wrote more than the limit")

// outputLimit counts what a program writes, and closes came when that is too much.
type outputLimit struct {
	left atomic.Int64
	most int64 // 0: no limit
	once sync.Once
	came chan struct{}
}

func newOutputLimit(c Cmd) *outputLimit {
	f := &outputLimit{came: make(chan struct{})}
	if f.most = c.MaxOutput; f.most == 0 && c.Group {
		f.most = defaultMaxOutput
	}
	f.left.Store(f.most)
	return f
}

// over returns the limit that was exceeded; 0 if none was.
func (f *outputLimit) over() int64 {
	if f.left.Load() < 0 {
		return f.most
	}
	return 0
}

// TooMuch returns what to say of a program that was ended for writing too much.
func (e Exit) TooMuch() string {
	return fmt.Sprintf("wrote more than %d MiB and was ended", e.OverLimit>>20)
}

// watch returns a writer that counts what is written to w.
func (f *outputLimit) watch(w io.Writer) io.Writer {
	if f.most == 0 || w == nil {
		return w
	}
	return limitWriter{f, w}
}

// limitWriter passes on what is written within the limit.
type limitWriter struct {
	f *outputLimit
	w io.Writer
}

func (w limitWriter) Write(p []byte) (int, error) {
	if w.f.left.Add(-int64(len(p))) < 0 {
		w.f.once.Do(func() { close(w.f.came) })
		return 0, errOverLimit
	}
	return w.w.Write(p)
}
