package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// notifyAway reports the end of work with sessions to plan.notify, and returns the error of the work.
func notifyAway(c *command, co *checkout.Checkout, sessions int, end error) error {
	targets := co.Config.Git.All("plan.notify")
	if len(targets) == 0 || sessions == 0 || c.Context.Err() != nil || !c.notifies {
		return end
	}
	m := awayMessage(c, co, end)
	for _, target := range targets {
		if err := send(c.Context, target, m); err != nil {
			say(c.Err, "warning: not notified: plan.notify: %s", err)
		}
	}
	return end
}

// awayMessage returns a short message without any code: it goes to other people's servers.
func awayMessage(c *command, co *checkout.Checkout, end error) message {
	m := message{State: exit.Word(exitCode(end))}
	m.Title = fmt.Sprintf("git plan: %s: %s", visible.OneLine(co.Branch, 80), m.State)
	var lines []string
	if co.Doc != nil {
		lines = append(lines, visible.OneLine(co.Doc.Plan.Title, 100),
			fmt.Sprintf("%d of %s done", co.Progress.Done-co.Progress.Skipped(), visible.Count(co.Progress.Total, "step")))
		if goal := progress.Standing(progress.Courses(co.Doc.Events)); goal != "" {
			lines = append(lines, goal)
		}
	}
	if errors.Is(end, fault.ErrQuestion) || errors.Is(end, fault.ErrBudget) { // other reasons quote what commands printed
		lines = append(lines, visible.OneLine(end.Error(), 300))
	}
	if co.Doc != nil {
		lines = append(lines, "next: "+visible.OneLine(nextOf(c, co).String(), 200))
	}
	m.Text = strings.ReplaceAll(secret.Mask(strings.Join(lines, "\n")), "@", "@ ") // no mention of a person in a chat
	return m
}

// message is what a person reads. It has no output and no code.
type message struct{ Title, Text, State string } // State says how the run ended, see exit.Word

// notifyTimeout bounds each command: the run's exit code waits for it.
const notifyTimeout = 15 * time.Second

// send runs a command of the person's configuration, with the message in its environment. The command may hold a token, so
// its error has none of it.
func send(ctx context.Context, target string, m message) error {
	command, ok := strings.CutPrefix(target, "!")
	if !ok || strings.TrimSpace(command) == "" {
		return errors.New("must be ! and a command, such as '!curl -d \"$GIT_PLAN_TEXT\" ADDRESS'")
	}
	name, args := proc.Shell(command)
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: name, Args: args, Outside: true, Group: true, Timeout: notifyTimeout, Stdout: io.Discard, Stderr: io.Discard,
		Env: append(proc.CleanEnv(), "PATH="+proc.PathOutside(), "GIT_PLAN_TITLE="+m.Title, "GIT_PLAN_TEXT="+m.Text,
			"GIT_PLAN_STATE="+m.State),
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
