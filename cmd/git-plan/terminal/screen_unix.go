//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// obeySignals draws again when the terminal is resized, and steps aside when the
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
				s.suspend(stopHere)
			}
			s.poke()
		}
	}
}

// stopHere stops the program, which goes on here after fg.
func stopHere() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	<-continued // the signal may take another thread first, while this one runs on
}
