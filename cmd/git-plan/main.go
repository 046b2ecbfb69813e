package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
)

func main() { os.Exit(run(os.Args)) }

func run(args []string) int {
	if fast := fastCommands[strings.Join(args[1:min(len(args), 2)], "")]; fast != nil {
		app := newApp(fast())
		return exit.Report(os.Stderr, terminal.Written(app.Run(arrange(app, args))))
	}
	ctx := interruptible()
	app := newApp(commands()...)
	err := terminal.Written(app.RunContext(ctx, arrange(app, args)))
	exit.Report(os.Stderr, err)
	return exitCode(err)
}

// sameSignal is how long a second signal counts as the first: a git that started us passes on the terminal's.
const sameSignal = 400 * time.Millisecond

var (
	firstSignal atomic.Int32           // the signal that came first; 0 without one
	beforeExit  atomic.Pointer[func()] // called before a second signal ends the program at once
)

// interruptible returns a context that ends at the first signal, or with a git plan that runs this one; a second
// signal ends the program at once.
func interruptible() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, parent := make(chan os.Signal, 2), proc.HasParent()
	go func() { // in parallel with the rest of the start: it takes half a millisecond, and nothing is under way yet
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		if parent {
			go func() { _, _ = io.Copy(io.Discard, os.Stdin); signals <- os.Interrupt }()
		}
		var began time.Time
		for s := range signals {
			n, _ := s.(syscall.Signal)
			if firstSignal.CompareAndSwap(0, int32(n)) {
				began = time.Now()
				cancel(fault.ErrInterrupted)
			} else if time.Since(began) >= sameSignal {
				code := 128 + int(n)
				if do := beforeExit.Load(); do != nil { // a stopped terminal takes no output
					time.AfterFunc(300*time.Millisecond, func() { os.Exit(code) })
					(*do)()
				}
				os.Exit(code)
			}
		}
	}()
	return ctx
}

func exitCode(err error) int {
	code := exit.Report(io.Discard, err)
	first := syscall.Signal(firstSignal.Load())
	if code == exit.Interrupted && (first == syscall.SIGTERM || first == syscall.SIGQUIT) {
		return 128 + int(first)
	}
	return code
}
