package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/fault"
)

func main() { os.Exit(run(os.Args)) }

// run runs one command and returns its exit code.
func run(args []string) int {
	if glance := fastCommands[strings.Join(args[1:min(len(args), 2)], "")]; glance != nil {
		app := newApp(glance())
		return exit.Report(os.Stderr, app.Run(arrange(app, args)))
	}
	ctx := interruptible()
	app := newApp(commands()...)
	err := app.RunContext(ctx, arrange(app, args))
	exit.Report(os.Stderr, err)
	return exitCode(ctx, err)
}

// sameSignal is how long after the first a signal counts as the same one: if git started us, it
// passes on what the terminal has already sent us.
const sameSignal = 400 * time.Millisecond

// interruptible returns a context that ends at the first signal, so that sessions are stopped and
// what they did is kept. A second signal ends the program at once. Signals are caught until the
// process ends: to stop catching them takes a millisecond.
func interruptible() context.Context {
	var last lastWords
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), lastWordsKey{}, &last))
	signals := make(chan os.Signal, 2)
	go func() { // in parallel with the rest of the start: it takes half a millisecond, and nothing is under way yet
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		var began time.Time
		for s := range signals {
			n, _ := s.(syscall.Signal)
			if !last.first.CompareAndSwap(0, int32(n)) {
				if time.Since(began) < sameSignal {
					continue
				}
				last.say()
				os.Exit(128 + int(n))
			}
			began = time.Now()
			cancel(fault.ErrInterrupted)
		}
	}()
	return ctx
}

// lastWords is what is done before a second signal ends the program at once.
type lastWords struct {
	first atomic.Int32 // the signal that came first
	mu    sync.Mutex
	do    func()
}

type lastWordsKey struct{}

// beforeExit has something done before a second signal ends the program. The function that it
// returns cancels that.
func beforeExit(ctx context.Context, do func()) (undo func()) {
	last, _ := ctx.Value(lastWordsKey{}).(*lastWords)
	if last == nil {
		return func() {}
	}
	set := func(do func()) {
		last.mu.Lock()
		defer last.mu.Unlock()
		last.do = do
	}
	set(do)
	return func() { set(nil) }
}

// say runs it, and waits no longer than a person would: a terminal that is stopped takes no
// output.
func (l *lastWords) say() {
	l.mu.Lock()
	do := l.do
	l.mu.Unlock()
	if do == nil {
		return
	}
	done := make(chan struct{})
	go func() { do(); close(done) }()
	select {
	case <-done:
	case <-time.After(300 * time.Millisecond):
	}
}

// exitCode returns the code with which an error ends the program.
func exitCode(ctx context.Context, err error) int {
	code := exit.Report(io.Discard, err)
	words, ok := ctx.Value(lastWordsKey{}).(*lastWords)
	if !ok || code != exit.Interrupted {
		return code
	}
	switch first := syscall.Signal(words.first.Load()); first {
	case syscall.SIGTERM, syscall.SIGQUIT:
		return 128 + int(first)
	}
	return code
}
