package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// notifyAway reports the end of work with sessions to plan.notify, and returns the error of the work.
func notifyAway(c *command, co *checkout.Checkout, sessions int, end error) error {
	targets := co.Config.All("plan.notify")
	if len(targets) == 0 || sessions == 0 || c.Context.Err() != nil || !c.notifies {
		return end
	}
	for _, why := range sendAll(c.Context, targets, awayMessage(c, co, end)) {
		say(c.Err, "warning: not notified: %s", why)
	}
	return end
}

// awayMessage returns a short message without any code: it goes to other people's servers.
func awayMessage(c *command, co *checkout.Checkout, end error) message {
	m := message{State: exit.Word(exitCode(end))}
	m.Title = fmt.Sprintf("git plan: %s: %s", visible.OneLine(co.Branch, 80), m.State)
	var lines []string
	if co.Doc != nil {
		lines = append(lines, visible.OneLine(co.Doc.Plan.Title, 100), fmt.Sprintf("%d of %s done", co.Progress.Done-co.Progress.Skipped(), terminal.Count(co.Progress.Total, "step")))
	}
	if errors.Is(end, fault.ErrQuestion) || errors.Is(end, fault.ErrBudget) { // other reasons quote what commands printed
		lines = append(lines, visible.OneLine(end.Error(), 300))
	}
	if co.Doc != nil {
		if s, err := status.Of(c.Context, co); err == nil {
			lines = append(lines, "next: "+visible.OneLine(s.Next(c.Context, co).String(), 200))
		}
	}
	m.Text = strings.ReplaceAll(secret.Mask(strings.Join(lines, "\n")), "@", "@ ") // no mention of a person in a chat
	return m
}

// message is what a person reads, and what a web hook is sent as JSON. It has no output and no code.
type message struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	State string `json:"state"` // how the run ended, see exit.Word
}

// notifyTimeout bounds each target: the run's exit code waits for it.
const notifyTimeout = 15 * time.Second

// sendAll sends a message to all targets and returns the failures; addresses hold tokens, so only schemes are named.
func sendAll(ctx context.Context, targets []string, m message) (failed []string) {
	for _, target := range targets {
		err := checkTarget(target)
		if command, ok := strings.CutPrefix(target, "!"); err == nil && ok {
			err = sendByCommand(ctx, command, m)
		} else if err == nil {
			err = post(ctx, target, m)
		}
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", targetName(target), err))
		}
	}
	return failed
}

// targetName returns what may be printed of a target: its scheme, or that it is a command.
func targetName(target string) string {
	if strings.HasPrefix(target, "!") {
		return "command"
	}
	scheme, _, ok := strings.Cut(target, ":")
	if !ok {
		return "plan.notify"
	}
	return scheme
}

// checkTarget returns why a target is invalid, or nil.
func checkTarget(target string) error {
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
func post(ctx context.Context, target string, m message) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
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
	if err != nil { // it quotes the address
		return errors.New("it cannot be reached")
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return fmt.Errorf("it answered with %d", answer.StatusCode)
	}
	return nil
}

// sendByCommand runs a command of the person's configuration, with the message in its environment.
func sendByCommand(ctx context.Context, command string, m message) error {
	name, args := proc.Shell(command)
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Timeout: notifyTimeout, Stdout: io.Discard, Stderr: io.Discard,
		Env: append(proc.CleanEnv(), "PATH="+proc.PathOutside(), "GIT_PLAN_TITLE="+m.Title, "GIT_PLAN_TEXT="+m.Text, "GIT_PLAN_STATE="+m.State),
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
