package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func replanCommand() *cli.Command {
	return &cli.Command{
		Name: "replan", Usage: "let a planner write anew what is still open",
		Description: "The planner is told what was done, where the work got stuck and what you say. Steps\n" +
			"that are done stay word for word, and those that are blocked are open again. The change\n" +
			"is shown and asks for your approval.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "m", Usage: "what should be different: `FEEDBACK`"},
			&cli.BoolFlag{Name: "ask", Usage: "the planner may put questions to you first (built-in agent only)"},
			&cli.BoolFlag{Name: "yes", Usage: "approve the new plan at once"},
			&cli.BoolFlag{Name: "json-events", Usage: "one JSON object a line for programs"},
			plainFlag(),
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withLock(c, func(co *gitplan.Checkout, lock *journal.Lock) error {
				shown := newShow(c)
				defer shown.end()
				w := shown.worker(co, lock)
				questions, err := asker(c, co)
				if err != nil {
					return err
				}
				was := co.Progress
				before, err := gitplan.Replan(c.Context, w, journal.ByPerson, c.String("m"), shown.Asking(questions))
				shown.end()
				if err != nil {
					return nothingToDo(c, err)
				}
				tellChange(c, before, co.Doc.Plan.Source)
				tellFreed(c, co, was)
				approved, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
				if err != nil {
					return err
				}
				return settleApproval(c, co, approved || c.Bool("yes"))
			})
		},
	}
}

// tellChange shows how the plan's meaning changed, word by word.
func tellChange(c *cli.Context, before, after []byte) {
	change := gitplan.CompareWords(plan.Meaning(before), plan.Meaning(after))
	if change == "" {
		say(c.App.ErrWriter, "the planner changed nothing in what the plan says")
		return
	}
	say(c.App.ErrWriter, "changed:\n%s", strings.TrimRight(terminal.Readable(change), "\n"))
	tellUnverified(c, before, after)
}

// tellFreed names the steps that were blocked, and begin anew with the new plan.
func tellFreed(c *cli.Context, co *gitplan.Checkout, was *progress.Progress) {
	for i := range co.Doc.Plan.Steps {
		id := co.Doc.Plan.Steps[i].ID
		if was.Steps[id].State == progress.StateBlocked && co.Progress.Steps[id].State == progress.StateOpen {
			say(c.App.ErrWriter, "step %s was blocked, and is open again", id)
		}
	}
}

// tellUnverified says so where a plan lost the commands that verify it as a whole:
// among many changed lines that is easily overlooked.
func tellUnverified(c *cli.Context, before, after []byte) {
	old, err := plan.Parse(before)
	if err != nil {
		return
	}
	now, err := plan.Parse(after)
	if err != nil || len(plan.Commands(now.Verification)) > 0 {
		return
	}
	if lost := plan.Commands(old.Verification); len(lost) > 0 {
		say(c.App.ErrWriter, "nothing verifies the whole any more: Verification ran %s; to put it back: git plan edit", visible.Line(strings.Join(lost, ", ")))
	}
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "how the plan changed, word by word", ArgsUsage: "[<version> [<version>]]",
		Description: "Without a version: since it was approved last, else since it was made. A version is a\n" +
			"commit of the plan as git plan log names it, or ~N for N changes ago; an approval and\n" +
			"a tick are changes, too.",
		Action: func(c *cli.Context) error {
			if c.NArg() > 2 {
				return misused(c, "diff takes at most two versions")
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return paged(c, co, printDiff) })
		},
	}
}

func printDiff(c *cli.Context, co *gitplan.Checkout) error {
	before, after, err := versions(c, co)
	if err != nil {
		return err
	}
	change := gitplan.CompareWords(before, after)
	if change == "" && c.NArg() < 2 {
		return tellUnchanged(c, co)
	}
	_, err = c.App.Writer.Write([]byte(terminal.OnScreen(change)))
	return err
}

// versions are the two texts to compare.
func versions(c *cli.Context, co *gitplan.Checkout) (before, after []byte, err error) {
	after = co.Doc.Plan.Source
	if c.NArg() == 0 {
		before, err = setup.ApprovedMeaning(co.Repo, co.Doc.ID)
		if err != nil || before != nil {
			return before, plan.Meaning(after), err
		}
		before, err = co.Version(c.Context, co.Doc.Events[0].Commit)
		return before, after, err
	}
	if before, err = co.Version(c.Context, c.Args().First()); err == nil && c.NArg() == 2 {
		after, err = co.Version(c.Context, c.Args().Get(1))
	}
	return before, after, err
}

// tellUnchanged says that nothing differs, and how to see what a person or a planner
// changed last: most edits are approved as they are typed.
func tellUnchanged(c *cli.Context, co *gitplan.Checkout) error {
	events := co.Doc.Events
	last := len(events) - 1
	edit := last
	for edit > 0 && events[edit].Kind != journal.Edited && events[edit].Kind != journal.Replanned {
		edit--
	}
	text, err := co.Version(c.Context, events[edit].Commit)
	if err != nil {
		return err
	}
	what, since, see := "nothing", "the plan was made", ""
	if approved, _ := setup.ApprovedMeaning(co.Repo, co.Doc.ID); c.NArg() == 0 && approved != nil {
		since = "it was approved"
		if !bytes.Equal(text, co.Doc.Plan.Source) { // which an approval does not ask about
			what, see = "nothing but boxes and states", fmt.Sprintf("; these: git plan diff ~%d", last-edit)
		}
	}
	if c.NArg() > 0 { // an approval or a tick is a version, too
		since = visible.Line(c.Args().First())
	}
	if edit > 0 {
		versions := fmt.Sprintf("~%d", last-edit+1)
		if edit < last {
			versions += fmt.Sprintf(" ~%d", last-edit)
		}
		see += "; what the last edit did: git plan diff " + versions
	}
	say(c.App.ErrWriter, "%s changed since %s%s", what, since, see)
	return nil
}

// replanned lets a planner write the plan anew where a step is stuck and
// plan.autoReplan says so, once for each step in a run. Whoever sets that lets
// the work go on as long as the new plan stays within what was approved: a planner
// must not let a step pass by asking less of it. Else a person must look.
func replanned(c *cli.Context, s *gitplan.Steps, step *plan.Step) (bool, error) {
	again, err := s.MayReplan(step.ID)
	if !again || err != nil {
		return false, err
	}
	was := s.Progress
	before, err := gitplan.Replan(c.Context, s.Worker, journal.ByAgent, "", nil)
	var unfit *markdown.ParseError
	if errors.Is(err, fault.ErrPlanner) || errors.As(err, &unfit) { // the step stays blocked, the others go on
		s.Tell(journal.Notice{Event: journal.StepNote, Step: step.ID, Text: "the plan is as it was: " + strings.ReplaceAll(err.Error(), "\n", "; ")})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	tellChange(c, before, s.Doc.Plan.Source)
	tellFreed(c, s.Checkout, was)
	if bytes.Equal(plan.Meaning(before), plan.Meaning(s.Doc.Plan.Source)) {
		return false, nil
	}
	old, err := plan.Parse(before)
	if err != nil {
		return false, err
	}
	if what := gitplan.Beyond(s.Doc.Plan, old); what != "" {
		return false, &fault.Fault{Kind: fault.ErrUnapproved, Text: "the plan was written anew after step " + step.ID + " and " + visible.Line(what)}
	}
	return true, setup.Approve(s.Repo, s.Doc.ID, s.Doc.Plan.Source)
}
