package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/git-plan/git-plan/gitplan"
)

func main() { os.Exit(run(os.Args)) }

// run does one command and returns its exit code.
func run(args []string) int {
	ctx, stopped, done := interruptible()
	defer done()
	app := newApp()
	err := app.RunContext(ctx, arrange(app, args))
	code := report(os.Stderr, err)
	if err != nil && stopped.Load() == int32(syscall.SIGTERM) && code == exitInterrupted {
		return exitTerminated
	}
	return code
}

// interruptible is a context that ends at the first signal, so that sessions
// are stopped and what they did is kept. A second signal ends at once.
func interruptible() (context.Context, *atomic.Int32, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	var first atomic.Int32
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			n, _ := s.(syscall.Signal)
			if !first.CompareAndSwap(0, int32(n)) {
				os.Exit(128 + int(n))
			}
			cancel(gitplan.ErrInterrupted)
		}
	}()
	return ctx, &first, func() { signal.Stop(signals) }
}
