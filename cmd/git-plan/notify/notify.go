package notify

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Message is what a person reads.
type Message struct {
	Title string
	Text  string
	State string // how the run ended: done, blocked, asks, review, failed; for commands
}

// timeout is how long a target may take: whoever waits for the run's exit code waits for it.
const timeout = 15 * time.Second

// Send sends a message to each target at once, and returns what went wrong, one line for each
// that did not get it.
func Send(ctx context.Context, targets []string, m Message) []string {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	failed := make([]string, len(targets))
	var all sync.WaitGroup
	for i, target := range targets {
		all.Go(func() {
			if err := send(ctx, target, m); err != nil {
				failed[i] = fmt.Sprintf("%s: %v", Name(target), err)
			}
		})
	}
	all.Wait()
	var out []string
	for _, text := range failed {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

func send(ctx context.Context, target string, m Message) error {
	if command, ok := strings.CutPrefix(target, "!"); ok {
		return run(ctx, command, m)
	}
	return post(ctx, target, m)
}

// Name returns what may be said of a target: its scheme, or that it is a command.
func Name(target string) string {
	if strings.HasPrefix(target, "!") {
		return "command"
	}
	scheme, _, ok := strings.Cut(target, ":")
	if !ok {
		return "plan.notify"
	}
	return scheme
}
