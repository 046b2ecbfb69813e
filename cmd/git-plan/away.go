package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/notify"
	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// notifyAway reports how a run or a review ended to the targets of plan.notify, if sessions ran:
// whoever just typed something wrong, or pressed Ctrl-C, is not away. It returns the error of the
// work as it is.
func notifyAway(c *cli.Context, co *checkout.Checkout, sessions int, end error) error {
	targets := co.Config.All("plan.notify")
	if name := c.Command.Name; len(targets) == 0 || sessions == 0 || c.Context.Err() != nil || name != "run" && name != "review" {
		return end
	}
	for _, why := range notify.Send(c.Context, targets, awayMessage(c, co, end)) {
		say(c.App.ErrWriter, "warning: not notified: %s", visible.Line(why))
	}
	return end
}

// awayMessage returns a short message without any code: it goes to other people's servers.
func awayMessage(c *cli.Context, co *checkout.Checkout, end error) notify.Message {
	m := notify.Message{State: exit.Word(exitCode(c.Context, end))}
	m.Title = fmt.Sprintf("git plan: %s: %s", visible.OneLine(co.Branch, 80), m.State)
	var lines []string
	if co.Doc != nil {
		lines = append(lines, visible.OneLine(co.Doc.Plan.Title, 100), fmt.Sprintf("%d of %s done", co.Progress.Done-co.Progress.Skipped(), terminal.Count(co.Progress.Total, "step")))
	}
	if reason := reasonOf(end); reason != "" {
		lines = append(lines, reason)
	}
	if co.Doc != nil {
		if s, err := standing.Of(c.Context, co); err == nil {
			lines = append(lines, "next: "+visible.OneLine(s.Next(c.Context, co).String(), 200))
		}
	}
	m.Text = strings.ReplaceAll(secret.Mask(strings.Join(lines, "\n")), "@", "@ ") // which calls nobody in a chat
	return m
}

// reasonOf returns what a person must know of an end: a question, or which budget is spent. Other
// reasons quote what commands printed.
func reasonOf(end error) string {
	if !errors.Is(end, fault.ErrQuestion) && !errors.Is(end, fault.ErrBudget) {
		return ""
	}
	return visible.OneLine(end.Error(), 300)
}
