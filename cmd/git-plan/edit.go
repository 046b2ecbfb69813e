package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/share"
)

func editCommand(c *command) *cli.Command {
	return c.define("edit", "[<step>]", "change the plan, or one step of it, in your editor",
		c.onOwn(1, func(co *checkout.Checkout) error {
			if err := co.Load(c.Context); err != nil {
				return err
			}
			return edit(c, co, c.arg(0))
		}))
}

// edit stores what the person typed, of a step or of the whole plan, which stays approved if it was. The plan
// is locked only while the text is stored; a session at work ends first.
func edit(c *command, co *checkout.Checkout, only string) error {
	text := share.AsItStands(co)
	name, part, whole := "EDIT_PLAN.md", text, func(now []byte) ([]byte, error) { return now, nil }
	if only != "" {
		step, err := stepOf(co, only)
		if err != nil {
			return err
		}
		name = "EDIT_STEP_" + step.ID + ".md"
		if part, whole, err = share.Excerpt(text, step.ID); err != nil {
			return err
		}
	}
	was, tip := bytes.Clone(co.Doc.Plan.Source), co.Doc.Tip
	at, busy := journal.Working(co.Repo, co.Doc.ID)
	if busy {
		say(c.Err, "%s works on this plan: what you type is stored when its session ends", at.Name())
	}
	return typed(c.Context, co, co.Repo.PlanDir(co.Doc.ID, name), part, func(now []byte, kept bool) error {
		if unchanged(now, part) || unchanged(now, nil) { // emptying the editor to leave it deletes nothing
			say(c.Err, "the plan is as it was")
			return nil
		}
		now, err := whole(now)
		if err != nil {
			return err
		}
		_, still := journal.Working(co.Repo, co.Doc.ID)
		if kept { // who wrote that is not known
			if err := integrity.Brought(co.Repo, co.Doc.ID); err != nil {
				return err
			}
		}
		// A session that was at work meanwhile could have typed it.
		t := share.Edit{Text: now, From: text, Was: was, Untrusted: kept || busy || still}
		if t.Untrusted {
			t.Agreed = agreed(c, co, now)
		}
		return betweenSessions(c, co, " (Ctrl-C keeps what you typed in a file)", func() error {
			t.Untrusted = t.Untrusted || co.Doc.Tip != tip
			return storeTyped(c, co, t)
		})
	})
}

func storeTyped(c *command, co *checkout.Checkout, t share.Edit) error {
	r, err := share.StoreEdit(c.Context, co, t)
	if r.Merged {
		say(c.Err, "merged with the other changes of the plan")
	}
	if err != nil {
		return err
	}
	if !r.Meaning {
		say(c.Err, "changed: only boxes and states, so no approval is needed")
		views.Settled(c.Err, r.Effects)
		return nil
	}
	if t.Agreed == nil || !r.Approved { // else it was already shown
		printChange(c, co, r.Before, co.Doc.Plan.Source)
		printNewlyWeak(c, co, r.Before, co.Doc.Plan.Source)
	}
	views.Settled(c.Err, r.Effects)
	waits, err := integrity.Waits(co.Repo, co.Doc.ID, co.Doc.Plan)
	open := slices.DeleteFunc(slices.Clone(waits.Steps),
		func(id string) bool { return co.Progress.Steps[id].State == progress.StateDone })
	switch {
	case err != nil:
		return err
	case t.Agreed != nil && r.Approved:
		say(c.Err, "approved")
	case r.Approved:
		say(c.Err, "approved: it is your own edit")
	case waits.None():
		say(c.Err, "no command, file or instruction changed, so nothing needs approval")
	case waits.Whole == "" && len(open) > 0:
		say(c.Err, "it is not approved, so these steps wait: %s: git plan approve", strings.Join(open, ", "))
	default:
		say(c.Err, "it is not approved: git plan approve")
	}
	return nil
}

// printNewlyWeak prints the weaknesses that an edit brought into a plan.
func printNewlyWeak(c *command, co *checkout.Checkout, before, after []byte) {
	old, _ := lint.Plan(c.Context, co, before)
	now, _ := lint.Plan(c.Context, co, after)
	known := func(w plan.Weakness) bool {
		return slices.ContainsFunc(old, func(o plan.Weakness) bool { return o.Rule == w.Rule && o.Step == w.Step && o.Text == w.Text })
	}
	printWeaknesses(c, "weaknesses that this change brings", slices.DeleteFunc(now, known))
}

// agreed shows what a typed text changes in the approved plan, and returns the text if the person approves that.
func agreed(c *command, co *checkout.Checkout, typed []byte) []byte {
	before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID)
	now, unfit := plan.Parse(typed)
	if err != nil || before == nil || unfit != nil || now.Approvable() != nil || !terminal.Attended() {
		return nil // its errors are reported when it is stored
	}
	old, err := plan.Parse(before)
	if err != nil {
		return nil
	}
	now.Base = cmp.Or(now.Base, old.Base) // as stored
	if plan.NotApproved(now, old).None() {
		return nil
	}
	printChange(c, co, before, typed)
	printNewlyWeak(c, co, before, typed)
	if !answersYes(c, "Approve this change? [y/N] ") {
		return nil
	}
	return typed
}

// typed has the person edit a text, and gives it to accept. A text that accept refuses is kept in the file, and
// the next edit begins with it; such a text (kept) is untrusted, since a session could have written it.
func typed(ctx context.Context, co *checkout.Checkout, path string, text []byte,
	accept func(text []byte, kept bool) error) error {
	editor, _ := co.Repo.Output(ctx, "var", "GIT_EDITOR") // it fails without an editor
	if editor == "" || !terminal.Is(os.Stdin) && os.Getenv("GIT_EDITOR") == "" {
		return &exit.Wrong{Text: "there is no editor: git var GIT_EDITOR names none, or it needs a terminal",
			Hint: `a new plan: git plan new "what you want", or git plan new -F FILE; changed by a program: GIT_EDITOR='cp FILE' git plan edit`}
	}
	path, release, err := checkout.TakeFile(path, true)
	if err != nil {
		return err
	}
	defer release()
	old, err := os.ReadFile(path)
	kept := err == nil
	if kept {
		fmt.Fprintf(os.Stderr, "continuing with the text that you typed before: %s%s\n", path, orAnew)
		text = old
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	now, err := terminal.Edit(ctx, editor, path)
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		return cmp.Or(err, terminal.ErrUnchanged)
	}
	if err != nil && !kept && unchanged(now, text) {
		return errors.Join(err, os.Remove(path))
	}
	if err == nil {
		err = accept(now, kept)
	}
	if err == nil || errors.Is(err, terminal.ErrUnchanged) {
		return errors.Join(err, os.Remove(path))
	}
	return fmt.Errorf("%w\nyour text is kept in %s; to continue with it: %s%s", err, path, exit.Typed, orAnew)
}

// orAnew is how a text is discarded that every later edit would begin with.
const orAnew = " (remove this file to start over)"

func unchanged(a, b []byte) bool { return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) }

// keepText keeps what a planner wrote for the editor if it could not become the plan.
func keepText(co *checkout.Checkout, text []byte, err error) error {
	if len(text) == 0 {
		return err
	}
	path, release, werr := checkout.TakeFile(co.Repo.PlanDir("NEW_PLAN.md"), false)
	if werr == nil {
		defer release()
		werr = os.WriteFile(path, text, 0o600)
	}
	if werr != nil {
		return errors.Join(err, werr)
	}
	return fmt.Errorf("%w\nits text is kept in %s; to continue with it: git plan new%s", err, path, orAnew)
}

func printChange(c *command, co *checkout.Checkout, before, after []byte) {
	change := share.CompareWords(plan.Meaning(before), plan.Meaning(after))
	if change == "" {
		say(c.Err, "the planner changed nothing that needs approval")
		return
	}
	c.change = change
	fmt.Fprintf(c.Err, "changed:\n%s\n", strings.TrimRight(views.Colors(co, os.Stderr).Words(terminal.Readable(change)), "\n"))
	printUnverified(c, before, after)
}

// printUnverified warns if steps lost checks, or the plan its Verification: among many changes that is overlooked.
func printUnverified(c *command, before, after []byte) {
	old, wrong := plan.Parse(before)
	now, err := plan.Parse(after)
	if err != nil || wrong != nil {
		return
	}
	for _, was := range old.Steps {
		s, ok := now.Step(was.ID)
		for _, check := range plan.Commands(was.Checks) {
			if ok && s.ID == was.ID && !slices.Contains(plan.Commands(s.Checks, now.Checks), check) {
				say(c.Err, "step %s loses its check: %s", s.ID, check)
			}
		}
	}
	if lost := plan.Commands(old.Verification); len(lost) > 0 && len(plan.Commands(now.Verification)) == 0 {
		say(c.Err, "nothing verifies the whole any more: Verification ran %s; to put it back: git plan edit",
			strings.Join(lost, ", "))
	}
}

func replanCommand(c *command) *cli.Command {
	var feedback string
	var ask bool
	c.prompts = true
	c.option(&feedback, "m", "`FEEDBACK` for the planner: what should be different")
	c.option(&ask, "ask", "let the planner ask you questions first")
	c.option(&c.yes, "yes", "approve the new plan at once")
	c.eventsFlag()
	return c.define("replan", "", "have a planner rewrite the steps that are open",
		c.onLocked(0, func(co *checkout.Checkout, lock *journal.Lock) error {
			if ask && !terminal.Attended() {
				return c.misused(askNeeds)
			}
			if err := replan(c, co, lock, feedback, ask); err != nil {
				return nothingToDo(c, err)
			}
			approved, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
			if err != nil {
				return err
			}
			lock.Release() // a person may take long to think, and change the plan
			return settleApproval(c, co, approved || c.yes)
		}))
}

// replan has a planner rewrite the open steps as a person wants, and prints what that changed, and what a critic finds.
func replan(c *command, co *checkout.Checkout, lock *journal.Lock, feedback string, ask bool) error {
	o := newOperation(c, co, lock)
	defer o.end()
	p := prompt.Planning{Wanted: feedback}
	if ask {
		p.Ask = o.ask
	}
	was := co.Progress
	o.worker.Start(agent.Planner, c.name)
	before, err := planner.Replan(c.Context, o.worker,
		journal.Event{Kind: journal.Replanned, By: journal.ByPerson, Reason: feedback}, p)
	o.reportEnd(err)
	if err == nil {
		err = criticised(c, o.worker)
	}
	if o.end(); err != nil {
		return err
	}
	printChange(c, co, before, co.Doc.Plan.Source)
	for _, step := range co.Doc.Plan.Steps {
		if was.Steps[step.ID].State == progress.StateBlocked && co.Progress.Steps[step.ID].State == progress.StateOpen {
			say(c.Err, "step %s was blocked, and is open again", step.ID)
		}
	}
	return nil
}

// planAgain has a plan with Bounds planned again, and prints what that changed.
func planAgain(c *command, s *gitplan.Steps, why, findings string, measured []journal.Measured) error {
	before, err := gitplan.PlanAgain(c.Context, s, why, findings, measured)
	if now := s.Checkout.Doc.Plan.Source; before != nil && !bytes.Equal(before, now) {
		printChange(c, s.Checkout, before, now)
	}
	if err == nil {
		err = criticised(c, s.Worker)
		views.Weaknesses(c.Err, planner.Criticised(s.Checkout), false) // which the next planning reads
	}
	return err
}
