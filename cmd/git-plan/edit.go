package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func editCommand() *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "change the plan, or one step of it, in your editor", ArgsUsage: "[<step>]",
		Description: "What you typed is kept whatever happens. What changed in the plan meanwhile is merged\n" +
			"with it, step by step. While a session works on the plan, what you typed is stored when\n" +
			"that session is over, and is not approved by that: a session could have typed it too.\n" +
			"A file that you emptied changes nothing.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error { return edit(c, co) })
		},
	}
}

// edit stores what the person typed; it stays approved where what it started
// from was. The plan is locked only while it is stored, not while somebody types.
// Where somebody works on the plan, what was typed is stored between two of its
// sessions.
func edit(c *cli.Context, co *gitplan.Checkout) error {
	text := asItStands(co)
	name, part, whole := "EDIT_PLAN.md", text, func(now []byte) ([]byte, error) { return now, nil }
	if c.NArg() == 1 {
		step, err := stepOf(co, c.Args().First())
		if err != nil {
			return err
		}
		name = "EDIT_STEP_" + step.ID + ".md"
		if part, whole, err = gitplan.Excerpt(text, step.ID); err != nil {
			return err
		}
	}
	was, tip := bytes.Clone(co.Doc.Plan.Source), co.Doc.Tip
	at, busy := journal.Working(co.Repo, co.Doc.ID)
	if busy {
		say(c.App.ErrWriter, "%s works on this plan: what you type is stored when its session is over, and is then to be approved", visible.Line(at.Name()))
	}
	return typed(c.Context, co, co.Repo.PlanDir(co.Doc.ID, name), part, func(now []byte, kept bool) error {
		switch {
		case unchanged(now, nil) && c.NArg() == 1: // an editor emptied to get out of it deletes nothing
			say(c.App.ErrWriter, "nothing was typed, so the plan is as it was; to take the step out of it: git plan edit")
			return nil
		case unchanged(now, part), unchanged(now, nil):
			say(c.App.ErrWriter, "the plan is as it was")
			return nil
		}
		now, err := whole(now)
		if err != nil {
			return err
		}
		at, still := journal.Working(co.Repo, co.Doc.ID)
		if !still {
			return locked(c, co, func(*journal.Lock) error {
				// A session that was at work meanwhile could have typed as well.
				return storeTyped(c, co, was, text, now, kept || busy || co.Doc.Tip != tip)
			})
		}
		release, err := co.HoldText(c.Context, func() {
			say(c.App.ErrWriter, "waiting until the session of %s is over (Ctrl-C keeps what you typed in a file)", visible.Line(at.Name()))
		})
		if err != nil {
			return err
		}
		defer release()
		return storeTyped(c, co, was, text, now, true)
	})
}

// storeTyped stores a typed text that was edited from text, when the plan was was.
// Where it is anybody's, it is not approved by that.
func storeTyped(c *cli.Context, co *gitplan.Checkout, was, text, now []byte, anybodys bool) error {
	before, stood := bytes.Clone(co.Doc.Plan.Source), co.Progress
	approved, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
	if err != nil {
		return err
	}
	if !bytes.Equal(was, before) {
		if now, err = gitplan.MergeTyped(text, now, asItStands(co)); err != nil {
			return err
		}
		say(c.App.ErrWriter, "merged with what changed in the plan meanwhile")
	}
	if err := co.Revise(c.Context, now); err != nil {
		return err
	}
	if bytes.Equal(plan.Meaning(before), plan.Meaning(co.Doc.Plan.Source)) {
		say(c.App.ErrWriter, "changed: boxes and states only, so nothing is to be approved")
		tellSettled(c, co, before, stood)
		return nil
	}
	tellChange(c, before, co.Doc.Plan.Source)
	tellSettled(c, co, before, stood)
	tellNewlyWeak(c, co, before)
	if approved && !anybodys {
		say(c.App.ErrWriter, "approved, since you typed it just now")
		return setup.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source)
	}
	say(c.App.ErrWriter, "it is not approved: git plan approve")
	return nil
}

// tellSettled names the steps that were ticked by hand, the changed ones that are not
// done again, or at all, by that, and those that are gone though a commit did them: a
// step is its id, so that under another id it is another step.
func tellSettled(c *cli.Context, co *gitplan.Checkout, before []byte, stood *progress.Progress) {
	old, err := plan.Parse(before)
	if err != nil {
		return
	}
	for _, was := range old.Steps {
		now, ok := co.Doc.Plan.Step(was.ID)
		gone := !ok || now.ID != was.ID
		if st := stood.Steps[was.ID]; gone && st.State == progress.StateDone && st.Commit != journal.None {
			say(c.App.ErrWriter, "step %s is gone; its commit %s stays, and is of no step until one has the id %s again", was.ID, visible.Short(st.Commit), was.ID)
		}
	}
	for i := range co.Doc.Plan.Steps {
		s := &co.Doc.Plan.Steps[i]
		was, ok := old.Step(s.ID)
		state := co.Progress.Steps[s.ID].State
		switch {
		case !ok && s.Box && state == progress.StateDone && co.Progress.Steps[s.ID].Commit == journal.None:
			say(c.App.ErrWriter, "step %s is new, and done since its box is ticked: nothing was checked", s.ID)
		case s.Box && s.Doubt && state != progress.StateDone && !(ok && was.Box):
			say(c.App.ErrWriter, "step %s is not done by its tick, for beside it stands what may be a task: git plan lint", s.ID)
		case ok && s.Ticked() && !was.Ticked() && state == progress.StateDone:
			say(c.App.ErrWriter, "step %s is done since you ticked it: nothing was checked", s.ID)
		case !ok || strings.TrimSpace(was.Approved()) == strings.TrimSpace(s.Approved()):
		case state == progress.StateDone:
			say(c.App.ErrWriter, "step %s is done and stays so; to have it done again: git plan reopen %s", s.ID, s.ID)
		case state == progress.StateBlocked:
			say(c.App.ErrWriter, "step %s is blocked still; to try it again: git plan reopen %s", s.ID, s.ID)
		}
	}
}

func approveCommand() *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "say that you have read the plan and that it may be executed",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "revoke", Usage: "take that back: nothing of the plan runs then"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withLock(c, func(co *gitplan.Checkout, _ *journal.Lock) error {
				if c.Bool("revoke") {
					say(c.App.ErrWriter, "nothing of this plan runs until it is approved again: git plan approve")
					return setup.Revoke(co.Repo, co.Doc.ID)
				}
				tellWeakBefore(c, co)
				return approve(c, co)
			})
		},
	}
}

// tellWeakBefore says what is weak in a plan that is about to be approved: it may
// come from elsewhere, or was edited since that was told.
func tellWeakBefore(c *cli.Context, co *gitplan.Checkout) {
	if ok, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil {
		return
	}
	if weak, err := gitplan.Lint(c.Context, co, co.Doc.Plan.Source); err == nil && len(weak) > 0 {
		say(c.App.ErrWriter, "what is weak in it:")
		tellWeaknesses(c.App.ErrWriter, weak)
	}
}

// tellNewlyWeak says what is weak in a plan since it was edited. What was weak
// before has been told, and its lines may have moved.
func tellNewlyWeak(c *cli.Context, co *gitplan.Checkout, before []byte) {
	known := map[plan.Weakness]bool{}
	old, err := gitplan.Lint(c.Context, co, before)
	for _, w := range old {
		w.Line = 0
		known[w] = true
	}
	weak, werr := gitplan.Lint(c.Context, co, co.Doc.Plan.Source)
	weak = slices.DeleteFunc(weak, func(w plan.Weakness) bool { w.Line = 0; return known[w] })
	if err == nil && werr == nil && len(weak) > 0 {
		say(c.App.ErrWriter, "what is weak in it now:")
		tellWeaknesses(c.App.ErrWriter, weak)
	}
}

func approve(c *cli.Context, co *gitplan.Checkout) error {
	ok, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
	if err != nil {
		return err
	}
	if ok && len(co.Unwitnessed()) == 0 {
		say(c.App.ErrWriter, "the plan is approved already; next: %s", afterApproval(c, co))
		return nil
	}
	if err := co.Doc.Plan.Approvable(); err != nil {
		return err
	}
	tellApproval(c, co)
	return approveAsTold(c, co)
}

// tellApproval says what an approval would be of: how the plan changed since the
// last one, and what it lets run.
func tellApproval(c *cli.Context, co *gitplan.Checkout) {
	if before, err := setup.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		say(c.App.ErrWriter, "changed since it was approved last:\n%s", terminal.Readable(gitplan.CompareWords(before, plan.Meaning(co.Doc.Plan.Source))))
		tellUnverified(c, before, co.Doc.Plan.Source)
	}
	if text, ok := co.Unseen(); ok {
		say(c.App.ErrWriter, "%s: it stays as it is now", visible.Line(text))
	}
	tellUnwitnessed(c, co)
	tellCommands(c, co.Doc.Plan)
}

// tellUnwitnessed lists the events that approval makes believed.
func tellUnwitnessed(c *cli.Context, co *gitplan.Checkout) {
	const most = 20
	strange := co.Unwitnessed()
	if len(strange) == 0 {
		return
	}
	say(c.App.ErrWriter, "not written or fetched by git plan in this clone, and believed once you approve:")
	for _, e := range strange[max(0, len(strange)-most):] {
		say(c.App.ErrWriter, "    %s  %s", visible.Short(e.Commit), visible.Line(e.Said()))
	}
	if more := len(strange) - most; more > 0 {
		say(c.App.ErrWriter, "    and %d before them: git log %s", more, journal.PlanRef(co.Doc.ID))
	}
}

// approveAsTold approves the plan for a person who was told what that is of.
func approveAsTold(c *cli.Context, co *gitplan.Checkout) error {
	if err := setup.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source); err != nil {
		return err
	}
	if err := co.Witness(); err != nil {
		return err
	}
	err := co.Store.Apply(c.Context, co.Doc, co.Branch, journal.Change{Event: journal.Event{Kind: journal.Approved, By: journal.ByPerson}})
	if err == nil {
		say(c.App.ErrWriter, "approved: %s; next: %s", terminal.Count(len(co.Doc.Plan.Steps), "step"), afterApproval(c, co))
	}
	return err
}

// afterApproval is what comes next, as status says.
func afterApproval(c *cli.Context, co *gitplan.Checkout) string {
	if err := co.Derive(c.Context); err == nil {
		if s, err := standing.Of(c.Context, co); err == nil {
			return s.Next(c.Context, co).String()
		}
	}
	return "git plan status"
}

// tellCommands lists what an approval lets run, and the steps that no command
// will show to be done.
func tellCommands(c *cli.Context, p *plan.Plan) {
	var commands, unchecked []string
	for _, s := range p.Steps {
		if s.Run != "" {
			commands = append(commands, s.Run)
		}
		commands = append(commands, plan.Commands(s.Checks)...)
		if s.Run == "" && len(plan.Commands(s.Checks)) == 0 {
			unchecked = append(unchecked, s.ID)
		}
	}
	for _, more := range [][]plan.Check{p.Prerequisites, p.Checks, p.Verification} {
		commands = append(commands, plan.Commands(more)...)
	}
	if commands = unique(commands); len(commands) > 0 {
		say(c.App.ErrWriter, "these commands of the plan will be run:")
		for _, line := range commands {
			say(c.App.ErrWriter, "    %s", strings.ReplaceAll(terminal.Readable(line), "\n", "\n    "))
		}
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(c.App.ErrWriter, "before the first step, see to it: %s", visible.Blanks(visible.Line(p.Text)))
		}
	}
	if len(unchecked) > 0 {
		say(c.App.ErrWriter, "no command of its own checks %s (a command is a code span by itself: Check: `make test`)", strings.Join(unchecked, ", "))
	}
}
