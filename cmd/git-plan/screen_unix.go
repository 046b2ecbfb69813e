//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// obeySignals draws anew when the terminal is resized, and steps aside when the
// person suspends the program with Ctrl-Z.
func (s *screen) obeySignals(quit <-chan struct{}) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGTSTP)
	defer signal.Stop(signals)
	for {
		select {
		case <-quit:
			return
		case sig := <-signals:
			if sig == syscall.SIGTSTP {
				s.suspend(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }) // goes on here after fg
			}
			s.poke()
		}
	}
}
