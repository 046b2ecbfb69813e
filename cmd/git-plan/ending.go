package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/notify"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// notifyAway reports how a run or a review ended to the targets of plan.notify, if sessions ran:
// whoever just typed something wrong, or pressed Ctrl-C, is not away. It returns the error of the
// work as it is.
func notifyAway(c *command, co *checkout.Checkout, sessions int, end error) error {
	targets := co.Config.All("plan.notify")
	if len(targets) == 0 || sessions == 0 || c.Context.Err() != nil || !c.notifies {
		return end
	}
	for _, why := range notify.Send(c.Context, targets, awayMessage(c, co, end)) {
		say(c.Err, "warning: not notified: %s", visible.Line(why))
	}
	return end
}

// awayMessage returns a short message without any code: it goes to other people's servers.
func awayMessage(c *command, co *checkout.Checkout, end error) notify.Message {
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
		if s, err := status.Of(c.Context, co); err == nil {
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

// confirmByHand records that a person checked what no command can check.
func confirmByHand(c *doneOptions) error {
	if len(c.args) > 0 {
		return c.misused("--manual is about the whole plan, not about step %s", visible.Line(c.arg(0)))
	}
	return withLock(c.command, func(co *checkout.Checkout, _ *journal.Lock) error {
		list := progress.Manuals(co.Doc.Plan, co.Doc.Events)
		var chosen []progress.Manual
		for _, name := range c.manual.Value() {
			i := slices.IndexFunc(list, func(m progress.Manual) bool { return m.ID == name || fmt.Sprint(m.N) == name })
			if i < 0 {
				return &exit.Wrong{Text: "the plan has no criterion " + visible.Line(name) + " for a person to check", Hint: "see them: git plan status"}
			}
			chosen = append(chosen, list[i])
		}
		for _, m := range chosen {
			if err := confirm(c.command, co, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func confirm(c *command, co *checkout.Checkout, m progress.Manual) error {
	head, err := co.Repo.Resolve(c.Context, "HEAD^{commit}")
	if err != nil {
		return err
	}
	err = co.Store.Apply(c.Context, co.Doc, co.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Confirmed, Check: journal.NameOfCheck(m.Text), Head: head, By: journal.ByPerson,
	}})
	if err == nil {
		say(c.Err, "checked by hand at %s: %s", visible.Short(head), visible.Line(m.Text))
	}
	return err
}

// askManual asks the person at the terminal about what is still to be checked; without a terminal
// it lists that.
func askManual(c *command, co *checkout.Checkout) {
	open := slices.DeleteFunc(progress.Manuals(co.Doc.Plan, co.Doc.Events), func(m progress.Manual) bool { return m.Commit != "" })
	if len(open) == 0 {
		return
	}
	w := c.Err
	if !terminal.Attended() {
		say(w, "to be checked by a person:")
		for _, m := range open {
			say(w, "    %d. %s (git plan done --manual %d)", m.N, visible.Line(m.Text), m.N)
		}
		return
	}
	say(w, "no command checks this; answer n to check it later (git plan done --manual N):")
	for _, m := range open {
		fmt.Fprintf(w, "%d. %s: did you check it, and does it hold? [y/N] ", m.N, visible.Line(m.Text))
		answer, err := terminal.ReadLine(c.Context)
		if err != nil {
			say(w, "")
			return
		}
		if !strings.HasPrefix(strings.ToLower(answer), "y") {
			continue
		}
		if err := confirm(c, co, m); err != nil {
			say(w, "warning: %s", visible.Line(err.Error()))
		}
	}
}
