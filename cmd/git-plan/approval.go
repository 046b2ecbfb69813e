package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func approveCommand(c *command) *cli.Command {
	var revoke bool
	c.option(&c.yes, "yes", "approve it without asking")
	c.option(&revoke, "revoke", "take the approval back, so that nothing of the plan runs")
	return c.define("approve", "", "allow the plan and its commands to run",
		c.onLocked(0, func(co *checkout.Checkout, lock *journal.Lock) error {
			if revoke {
				say(c.Err, "nothing of this plan runs until it is approved again: git plan approve")
				if err := integrity.Revoke(co.Repo, co.Doc.ID); err != nil {
					return err
				}
				return co.Store.Apply(c.Context, co.Doc, co.Branch,
					journal.Change{Event: journal.Event{Kind: journal.Revoked, By: journal.ByPerson}})
			}
			lock.Release() // a person may take long to think
			if c.yes || !terminal.Attended() {
				printWeak(c, co)
			}
			if done, err := decide(c, co, c.yes); done || err != nil {
				return err
			}
			if terminal.Attended() {
				say(c.Err, "not approved, so nothing of it runs: git plan approve")
			} else {
				printApproval(c, co, false)
				say(c.Err, "not approved: there is no terminal to ask on; to approve it: git plan approve --yes")
			}
			return &exit.Ended{Code: exit.Person}
		}))
}

// settleApproval approves a plan that was just read or typed, or asks on a terminal, or prints the next command.
func settleApproval(c *command, co *checkout.Checkout, approved bool) error {
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	if err != nil {
		return err
	}
	return settle(c, co, "the plan", append(found, planner.Criticised(co)...), approved)
}

func settle(c *command, co *checkout.Checkout, what string, weak []plan.Weakness, approved bool) error {
	swallows := slices.ContainsFunc(weak, plan.Weakness.Swallows)
	if c.yes && swallows { // other weaknesses were accepted beforehand
		approved = false
	}
	if c.yes || !approved && !terminal.Attended() { // otherwise it is shown together with what is approved
		printWeaknesses(c, "weaknesses of "+what, weak)
	}
	if done, err := decide(c, co, approved); done || err != nil {
		return err
	}
	if c.yes && swallows {
		say(c.Err, "--yes does not approve a plan in which a task is swallowed")
	}
	say(c.Err, "read it: git plan show; then: git plan approve")
	if c.Context.Err() != nil {
		return &exit.Ended{Code: exit.Interrupted}
	}
	return nil
}

// decide approves the plan, or asks on a terminal; done reports whether it is approved, perhaps already.
func decide(c *command, co *checkout.Checkout, approved bool) (done bool, err error) {
	ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
	switch {
	case err != nil:
		return false, err
	case ok && len(co.Store.Unverified(co.Doc)) == 0:
		say(c.Err, "the plan is approved already; next: %s", nextOf(c, co))
		return true, nil
	}
	if err := co.Doc.Plan.Approvable(); err != nil {
		return false, err
	}
	switch {
	case approved:
		printApproval(c, co, false)
		unread := ""
		if c.yes {
			unread = "--yes: without asking"
		}
		return true, approveHere(c, co, unread)
	case terminal.Attended():
		return askApproval(c, co)
	}
	return false, nil
}

// approveAsShown approves the plan for a person who was shown what the approval covers.
func approveAsShown(ctx context.Context, co *checkout.Checkout, unread string) error {
	if err := integrity.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source); err != nil {
		return err
	}
	if err := journal.TrustTip(co.Repo, co.Doc.ID, "", co.Doc.Tip); err != nil {
		return err
	}
	return co.Store.Apply(ctx, co.Doc, co.Branch,
		journal.Change{Event: journal.Event{Kind: journal.Approved, By: journal.ByPerson, Reason: unread}})
}

func printWeak(c *command, co *checkout.Checkout) {
	if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil {
		return
	}
	printWeaknesses(c, "weaknesses of the plan", views.WeakOpen(c.Context, co))
}

func printWeaknesses(c *command, what string, found []plan.Weakness) {
	if len(found) > 0 {
		say(c.Err, "%s:", what)
		views.Weaknesses(c.Err, found, false)
	}
}

// printApproval prints what an approval covers; above reports that the whole plan stands above that.
func printApproval(c *command, co *checkout.Checkout, above bool) {
	if before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		if change := share.CompareWords(before, plan.Meaning(co.Doc.Plan.Source)); change != c.change {
			fmt.Fprintf(c.Err, "changed since the last approval:\n%s\n", views.Colors(co, os.Stderr).Words(terminal.Readable(change)))
			printUnverified(c, before, co.Doc.Plan.Source)
		}
	}
	if text, ok := co.SetupChange(); ok {
		say(c.Err, "%s: it stays as it is now", text)
	}
	printUnverifiedEvents(c.Err, co)
	views.Outlook(c.Context, c.Err, co, terminal.Width(os.Stderr), above, terminal.Attended())
}

// printUnverifiedEvents lists the events that count once the plan is approved.
func printUnverifiedEvents(w io.Writer, co *checkout.Checkout) {
	for i, e := range co.Store.Unverified(co.Doc) {
		if i == 0 {
			say(w, "not written or fetched by git plan in this clone, and trusted once you approve:")
		}
		say(w, "    %s  %s", visible.Short(e.Commit), e.Describe())
	}
}

// askApproval shows the plan and asks whether to approve it, again after each change of it.
func askApproval(c *command, co *checkout.Checkout) (done bool, err error) {
	typed, shown := exit.Typed, ""
	defer func() { exit.Typed = typed }()
	for {
		if err == nil || co.Doc.Tip != shown { // else the plan is as it was shown, and the error stands above the question
			shown = co.Doc.Tip
			before, unread := integrity.ApprovedMeaning(co.Repo, co.Doc.ID)
			whole := before == nil || unread != nil // else the change is shown
			if whole {
				fmt.Fprintf(c.Err, "\n%s\n", terminal.Readable(string(co.Doc.Plan.Source)))
			}
			printWeak(c, co)
			printApproval(c, co, whole)
		}
		err = nil
		switch answer, words := askVerdict(c); answer {
		case "yes":
			return true, approveHere(c, co, "")
		case "no":
			return false, nil
		case "edit":
			exit.Typed = "answer e"
			if err = co.Load(c.Context); err == nil { // a new plan has no progress yet
				err = edit(c, co, "")
			}
		case "revise": // by the planner
			exit.Typed = "answer r"
			err = locked(c, co, func(lock *journal.Lock) error { return nothingToDo(c, replan(c, co, lock, words, false)) })
		}
		exit.Report(c.Err, err) // the plan is as it was, and the person is asked again
		if c.Context.Err() != nil {
			return false, nil
		}
		if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil { // by typing it
			return ok, err
		}
		if err := co.Doc.Plan.Approvable(); err != nil {
			return false, err
		}
	}
}

// askVerdict asks until a person has answered; words say what the planner is to change. Enter and the end of input are a no.
func askVerdict(c *command) (answer, words string) {
	answer, answers := "no", []string{"no", "yes", "edit", "revise"}
	ask(c, "Approve this plan? [y]es [e]dit [r]evise [n]o: ", "answer y, e, n, or r and what should be different",
		func(line string) bool {
			first, rest, _ := strings.Cut(line, " ")
			i := slices.IndexFunc(answers, func(a string) bool { return strings.HasPrefix(a, strings.ToLower(first)) })
			if i >= 0 {
				answer, words = answers[i], rest
			}
			return i >= 0
		})
	if answer == "revise" && words == "" && !ask(c, "What should be different? ", "type what the planner is to change, or Ctrl-D",
		func(line string) bool { words = line; return line != "" }) {
		answer = "no"
	}
	return answer, words
}

// answersYes asks until it is answered, and reports a yes. Enter is the large letter of [Y/n]; the end of input is a no.
func answersYes(c *command, question string) (yes bool) {
	return ask(c, question, "answer y or n", func(line string) bool {
		word := strings.ToLower(line)
		yes = word == "" && strings.Contains(question, "[Y/n]") || word != "" && strings.HasPrefix("yes", word)
		return yes || strings.HasPrefix("no", word)
	}) && yes
}

// ask asks until take has an answer from a line, with a hint after each other one; at the end of input it returns false.
func ask(c *command, question, hint string, take func(line string) bool) bool {
	for {
		fmt.Fprint(c.Err, question)
		line, err := terminal.ReadLine(c.Context)
		if err != nil {
			say(c.Err, "")
			return false
		}
		if take(line) {
			return true
		}
		say(c.Err, "%s", hint)
	}
}

// approveHere is approveAsShown that prints the next command, or asks whether to run the plan once this command has ended.
func approveHere(c *command, co *checkout.Checkout, unread string) error {
	if err := approveAsShown(c.Context, co, unread); err != nil {
		return err
	}
	done, next := "approved: "+visible.Count(len(co.Doc.Plan.Steps), "step"), nextOf(c, co)
	if co.Progress != nil && co.Progress.Done > 0 {
		done += "; " + co.Progress.Summary()
	}
	if next.Command != "git plan step" || !terminal.Attended() || c.yes {
		say(c.Err, "%s", done)
		say(c.Err, "next: %s", next)
		return nil
	}
	if where, err := co.Config.Isolation(); err == nil && where == "tree" {
		say(c.Err, "sessions work in this tree, so leave it alone until the run ends; to have them work in clones: git config plan.isolation clone")
	}
	say(c.Err, "%s", done)
	if c.runNow = answersYes(c, "Run it now? [Y/n] "); !c.runNow {
		say(c.Err, "next: git plan run")
	}
	return nil
}

func nextOf(c *command, co *checkout.Checkout) status.Advice {
	if err := co.Derive(c.Context); err == nil {
		if s, err := status.Of(c.Context, co); err == nil {
			return s.Next(c.Context, co)
		}
	}
	return status.Advice{Command: "git plan status"}
}
