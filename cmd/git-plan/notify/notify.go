package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Message is what a person reads, and what a web hook is sent as JSON.
type Message struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	State string `json:"state"` // how the run ended: done, blocked, asks, review, failed
}

// timeout bounds each target: the run's exit code waits for it.
const timeout = 15 * time.Second

// Send sends a message to each target at once, and returns a line for each that did not get it.
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
	if err := Check(target); err != nil {
		return err
	}
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

// Check returns why a target is invalid, or nil.
func Check(target string) error {
	if command, ok := strings.CutPrefix(target, "!"); ok {
		if strings.TrimSpace(command) == "" {
			return errors.New("there is no command after the !")
		}
		return nil
	}
	at, err := url.Parse(target)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" {
		return errors.New("must be https://... of a web hook, or ! and a command")
	}
	return nil
}

// post sends a message to a web hook.
func post(ctx context.Context, target string, m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is invalid")
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	switch {
	case ctx.Err() != nil:
		return errors.New("it did not answer in time")
	case err != nil: // it quotes the address
		return errors.New("it cannot be reached")
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("it answered with %d", answer.StatusCode)
	}
	return nil
}

// run runs a command of the person's own configuration, as git runs an alias of that form. The
// message is in its environment, so that no quoting can make a command of it.
func run(ctx context.Context, command string, m Message) error {
	name, args := proc.Shell(command)
	said := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Timeout: timeout, Stdout: said, Stderr: said,
		Env: append(proc.Clean(), "GIT_PLAN_TITLE="+m.Title, "GIT_PLAN_TEXT="+m.Text, "GIT_PLAN_STATE="+m.State),
	})
	switch {
	case err != nil:
		return err
	case exit.TimedOut:
		return errors.New("it did not end in time")
	case !exit.OK():
		return fmt.Errorf("it exited with %d", exit.Code)
	}
	return nil
}
