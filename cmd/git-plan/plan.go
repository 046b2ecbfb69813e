package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// stateCommand sets the state of steps.
func stateCommand(name, state, usage string) func(*command) *cli.Command {
	return func(c *command) *cli.Command {
		var message string
		c.option(&message, "m", "why: `REASON`")
		return c.define(name, "<step>...", usage, c.onLocked(anyNumber, func(co *checkout.Checkout, _ *journal.Lock) error {
			if len(c.args) == 0 {
				return c.misused("%s needs a step", name)
			}
			var ids, said []string
			for _, arg := range c.args {
				step, ok := co.Doc.Plan.Step(arg)
				if !ok {
					return co.Doc.Plan.NoStep(arg)
				}
				was := co.Progress.Steps[step.ID]
				_, elsewhere := co.Progress.DoneElsewhere(step.ID)
				untouched := was.State == progress.StateOpen && was.Event == nil && !elsewhere
				switch already := "step " + step.ID + " is " + strings.Replace(state, "reopened", "open", 1) + " already"; {
				case slices.Contains(ids, step.ID):
					continue
				case name == "reopen" && message == "" && (untouched || was.Last().Kind == journal.Reopened),
					name != "reopen" && message == "" && string(was.State) == state: // which keeps its reason
					said = append(said, already)
					continue
				}
				ids, said = append(ids, step.ID), append(said, "step "+step.ID+" is "+state)
				if was.State == progress.StateDone && was.CommitOID() != "" {
					said[len(said)-1] += "; its commit " + visible.Short(was.Commit) + " stays, and the next session works on top of it"
				}
			}
			if len(ids) > 0 {
				if err := co.SetState(c.Context, state, message, ids...); err != nil {
					return err
				}
			}
			for _, line := range said {
				say(c.Err, "%s", line)
			}
			return nil
		}))
	}
}

func attachCommand(c *command) *cli.Command {
	var fork, force bool
	c.option(&fork, "fork", "give this branch its own copy of the plan")
	c.option(&force, "force", "replace the plan this branch has")
	return c.define("attach", "<plan>", "bind a plan to this branch", c.inRepo(1, func(co *checkout.Checkout) error {
		switch {
		case len(c.args) == 0 && !fork:
			return c.misused("attach takes one plan")
		case co.Branch == "":
			return &fault.Fault{Kind: fault.ErrDetached, Text: "HEAD is detached"}
		}
		if err := co.RequireIdle(c.Context); err != nil {
			return err
		}
		id := c.arg(0)
		var doc *journal.Document
		var err error
		if id != "" { // --force would not help: there is no such plan
			if doc, err = co.Store.Load(c.Context, id); err != nil {
				return err
			}
		}
		if own, _ := co.PlanID(c.Context); (id != own || fork) && !force {
			if err := co.RequireNoPlan(c.Context); err != nil {
				return err
			}
		}
		if fork {
			doc, err = co.Fork(c.Context, id)
		} else if err = co.RequireOwnPlan(c.Context, doc); err == nil {
			err = co.Attach(c.Context, doc.ID)
		}
		if err == nil {
			say(c.Err, "plan %s is attached to branch %s", doc.ID, co.Branch)
		}
		return err
	}))
}

func undoCommand(c *command) *cli.Command {
	return c.define("undo", "", "take back the last step that was done", c.do(0, func() error {
		return withSteps(c, func(s *gitplan.Steps) error {
			step, taken, err := s.Undo(c.Context)
			if err != nil {
				return nothingToDo(c, err)
			}
			text := fmt.Sprintf("step %s is undone", step.ID)
			if taken.Reverts > 0 {
				text += ", reverted by " + visible.Count(taken.Reverts, "new commit")
			}
			if taken.Kept != "" {
				text += "; its commit is kept: " + checkout.ShowCommand(s.Checkout, taken.Kept)
			} else {
				text += "; it had no commit, so the branch is unchanged"
			}
			say(c.Err, "%s", text)
			return nil
		})
	}))
}

func dropCommand(c *command) *cli.Command {
	c.yesFlag("remove it without asking")
	return c.define("drop", "[<plan>]", "remove a plan", c.inRepo(1, func(co *checkout.Checkout) error {
		id := c.arg(0)
		if own, ok := co.PlanID(c.Context); id == "" && ok {
			id = own
		}
		if id == "" { // one that was fetched for this branch, or none
			if err := co.Load(c.Context); err != nil {
				return err
			}
			id = co.Doc.ID
		}
		tip, err := co.Repo.Lookup(c.Context, journal.RefPrefix+id)
		switch {
		case err != nil:
			return err
		case c.yes, tip == "": // which Drop says
		case !terminal.Attended():
			say(c.Err, "not removed: there is no terminal to ask on; to remove it: git plan drop %s --yes", id)
			return &exit.Ended{Code: exit.Person}
		case !answersYes(c, "Remove plan "+visible.Line(id)+"? [y/N] "):
			return nil
		}
		if own, _ := co.PlanID(c.Context); own == id && checkout.Unfinished(co.Repo, id).Session != "" {
			err := locked(c, co, func(lock *journal.Lock) error {
				shown, w := newShow(c, co, lock)
				defer shown.end()
				return gitplan.NewSteps(w, nil).KeepUnfinished(c.Context)
			})
			if err != nil {
				return err
			}
		}
		if tip, err = co.Drop(c.Context, id); err != nil {
			return err
		}
		say(c.Err, "plan %s is removed; to bring it back:", id)
		terminal.Println(c.Err, visible.Line("    git update-ref refs/plans/"+id+" "+tip)) // whole, to be copied
		return printLeft(c, co, id)
	}))
}

// printLeft names what a plan that was dropped leaves: work that was not committed, and remotes that have it.
func printLeft(c *command, co *checkout.Checkout, id string) error {
	kept, err := co.Repo.Refs(c.Context, journal.AttemptPrefix+id+"/")
	if err != nil {
		return err
	}
	for _, r := range kept {
		if strings.HasPrefix(r.Name, journal.AttemptPrefix+id+"/"+checkout.StashName+"/") {
			say(c.Err, "kept, and perhaps yours: what --autostash stashed (git stash apply --index %s brings it back)",
				visible.Shell(r.Name+"^2"))
		}
	}
	if len(kept) > 0 {
		say(c.Err, "uncommitted work of its sessions stays (refs: %d) until you remove it:", len(kept))
		terminal.Println(c.Err, visible.Line("    git for-each-ref --format='delete %(refname)' "+journal.AttemptPrefix+id+"/ | git update-ref --stdin"))
	}
	for _, remote := range share.KnowPlan(c.Context, co, id) {
		say(c.Err, "%s still has it, and the next git plan fetch takes it again; to remove it there:", remote)
		terminal.Println(c.Err, visible.Line("    git push "+visible.Shell(remote)+" :refs/plans/"+id))
	}
	return nil
}
