package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// stateCommand sets the state of steps.
func stateCommand(name, state, usage string) func(*command) *cli.Command {
	return func(c *command) *cli.Command {
		var message string
		c.option(&message, "m", "why: `REASON`")
		return c.define(name, "<step>...", usage, c.onLocked(anyNumber, func(co *checkout.Checkout, _ *journal.Lock) error {
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
	return c.define("attach", "[<plan>]", "bind a plan to this branch", c.inRepo(1, func(co *checkout.Checkout) error {
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
	return c.define("undo", "", "take back the last step that was done", c.do(1, func() error {
		if step := visible.Shell(c.arg(0)); c.arg(0) != "" {
			return c.misused("undo takes back the last step that was done: git plan undo; to have %s done again: git plan reopen %s", step, step)
		}
		return withSteps(c, func(s *gitplan.Steps) error {
			step, taken, err := s.Undo(c.Context)
			if err != nil {
				return nothingToDo(c, err)
			}
			text := fmt.Sprintf("step %s is undone", step.ID)
			if taken.Reverts > 0 {
				text += ", reverted by " + visible.Count(taken.Reverts, "new commit")
			}
			kept := "its commit is kept: " + s.Checkout.Attempts().ShowCommand(taken.Kept)
			if taken.Kept == "" {
				kept = "it had no commit, so the branch is unchanged"
			}
			say(c.Err, "%s; %s", text, kept)
			return nil
		})
	}))
}

func dropCommand(c *command) *cli.Command {
	c.option(&c.yes, "yes", "remove it without asking")
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
				o := newOperation(c, co, lock)
				defer o.end()
				return o.steps.KeepUnfinished(c.Context)
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

func attemptsCommand(c *command) *cli.Command {
	older := "30d"
	c.option(&older, "older", "remove attempts older than `DAYS`, such as 30d")
	show := c.onPlan(1, func(co *checkout.Checkout) error {
		k, err := co.Attempts().Find(c.Context, c.arg(0))
		if err != nil {
			return err
		}
		return co.Repo.Run(c.Context, git.Command{
			Args: []string{"show", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", k.Commit}, Stdout: c.Out,
			Stderr: c.Err, Localised: true,
		})
	})
	list := c.inPager(1, func(co *checkout.Checkout) error { return listAttempts(c, co) })
	prune := c.onLocked(0, func(co *checkout.Checkout, _ *journal.Lock) error {
		days, err := strconv.Atoi(strings.TrimSuffix(older, "d"))
		if err != nil || days < 0 || days > 36500 { // more would overflow a time.Duration
			return c.misused("--older takes a number of days, such as 30d, not %q", older)
		}
		gone, err := co.Attempts().Prune(c.Context, time.Duration(days)*24*time.Hour)
		for _, k := range gone {
			say(c.Err, "removed %s (its commit was %s)", k.Name, visible.Short(k.Commit))
		}
		return err
	})
	return &cli.Command{
		Name: "attempts", Usage: "list, show, restore or prune work that was not committed", ArgsUsage: "[<step>]",
		Action: list,
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list them, and why each failed; the default", ArgsUsage: "[<step>]", Action: list},
			{Name: "show", Usage: "show what an attempt changed, the last one of a step", ArgsUsage: "<step>[/<n>]", Action: show},
			{Name: "restore", Usage: "put what an attempt changed into the work tree", ArgsUsage: "<step>[/<n>] [<file>...]",
				Action: c.onLocked(anyNumber, func(co *checkout.Checkout, _ *journal.Lock) error { return restoreAttempt(c, co) })},
			c.define("prune", "", "remove attempts that are older than --older", prune),
		},
	}
}

const wantsClean = "a session needs a clean tree: commit it first, or set it aside (git stash -u)"

func restoreAttempt(c *command, co *checkout.Checkout) error {
	k, err := co.Attempts().Find(c.Context, c.arg(0))
	if err != nil {
		return err
	}
	of, files := "", c.args[1:]
	if err := workspace.RestoreAttempt(c.Context, &runner.Runner{Checkout: co}, k, files...); err != nil {
		return err
	}
	if len(files) > 0 {
		of = " of " + visible.Few(files)
	}
	say(c.Err, "the changes of attempt %s%s are in the work tree, not committed", k.Name, of)
	say(c.Err, "it was not committed: %s", visible.Joined(k.Ending.Reason, 2000)) // such as that it has a secret
	if _, open := co.OpenByNext(); !open && of == "" {
		say(c.Err, "%s", wantsClean)
		step, _, _ := strings.Cut(k.Name, "/")
		say(c.Err, "to finish step %s with it yourself: git stash -u; git plan next %s; git stash pop; then work, git plan done", step, step)
	}
	return nil
}

func listAttempts(c *command, co *checkout.Checkout) error {
	if err := co.Load(c.Context); err != nil {
		return err
	}
	step := ""
	if len(c.args) == 1 {
		s, err := stepOf(co, c.arg(0))
		if err != nil {
			return err
		}
		step = s.ID
	}
	all, err := co.Attempts().List(c.Context, step)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		say(c.Err, "no attempt is kept")
	}
	var rows [][]string
	for _, k := range all {
		rows = append(rows, []string{k.Name, visible.Short(k.Commit), k.Time.Local().Format("2006-01-02 15:04:05"),
			visible.OneLine(visible.FirstLine(k.Ending.Reason), 100)})
	}
	return terminal.Table(c.Out, terminal.Width(os.Stdout), rows)
}
