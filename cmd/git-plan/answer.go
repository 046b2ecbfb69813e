package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

func answerCommand(c *command) *cli.Command {
	return c.define("answer", "<step>|<finding> [<text>]", "answer the question of a step, or of a review's fixer",
		c.onOwn(2, func(co *checkout.Checkout) error {
			text := strings.TrimSpace(c.arg(1))
			err := co.Load(c.Context)
			if mayBeFinding(co, c.arg(0), err) {
				return answerFixer(c, co, c.arg(0), text)
			}
			if err != nil {
				return err
			}
			step, err := stepOf(co, c.arg(0))
			if err != nil {
				return err
			}
			if err := co.RequireBlocked(step.ID); err != nil {
				return err
			}
			if text == "" {
				if text, err = askAnswer(c, co, step.ID); err != nil {
					return err
				}
			}
			if text == "" {
				return &exit.Wrong{Text: "nothing was answered, so step " + step.ID + " stays blocked",
					Hint: `git plan answer ` + step.ID + ` "your answer"`}
			}
			// A session could type this command as well: so a person at a terminal confirms that it was them.
			_, busy := journal.Working(co.Repo, co.Doc.ID)
			untrusted := busy && (!terminal.Attended() ||
				!answersYes(c, "A session is running and could have typed this, too. Approve your answer? [y/N] "))
			return betweenSessions(c, co, "", func() error { return storeAnswer(c, co, step.ID, text, untrusted) })
		}))
}

var idOfFinding = visible.NewPattern(`^[0-9a-f]{4,12}$`)

// mayBeFinding reports whether a name looks like a finding's rather than a step's; none says why there is no plan.
func mayBeFinding(co *checkout.Checkout, name string, none error) bool {
	if !idOfFinding().MatchString(name) {
		return false
	}
	if none != nil {
		return errors.Is(none, fault.ErrNoPlan)
	}
	_, step := co.Doc.Plan.Step(name)
	return !step
}

func answerFixer(c *command, co *checkout.Checkout, id, text string) error {
	if text == "" {
		return &exit.Wrong{Text: "nothing was answered", Hint: `git plan answer ` + id + ` "your answer"`}
	}
	lock, err := lockPlan(c, co, true)
	if err != nil {
		return err
	}
	defer lock.Release()
	f, err := reviewers.Answer(c.Context, co, id, text)
	if err != nil {
		return err
	}
	say(c.Err, "the next fixer reads your answer about %s: %s", f.Place(), f.Title)
	say(c.Err, "next: git plan review")
	return nil
}

// storeAnswer stores an answer. The plan stays approved, unless the answer is untrusted.
func storeAnswer(c *command, co *checkout.Checkout, step, text string, untrusted bool) error {
	approved, err := share.StoreAnswer(c.Context, co, step, text, untrusted)
	if err != nil {
		return err
	}
	say(c.Err, "step %s is open again, with your answer", step)
	if !approved {
		say(c.Err, "the answer needs your approval, since a session was at work: git plan approve")
	}
	return nil
}

// askAnswer prints the question of a step and returns what the person at the terminal types; "" without one.
func askAnswer(c *command, co *checkout.Checkout, step string) (string, error) {
	if !terminal.Attended() {
		return "", nil
	}
	fmt.Fprintf(c.Err, "%s asks: %s\nanswer (Enter leaves it blocked): ", step, visible.Line(co.Progress.Steps[step].Reason))
	text, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.Err, "")
	}
	return text, context.Cause(c.Context)
}

// answered asks each question that blocks a step, without the lock, and reports whether one was answered.
func answered(c *command) (any bool, err error) {
	if c.events || !terminal.Attended() {
		return false, nil
	}
	err = withPlan(c.Context, func(co *checkout.Checkout) error {
		for _, s := range co.Doc.Plan.Steps {
			step, asked := s.ID, co.Progress.Steps[s.ID].Last().Commit
			if co.RequireBlocked(step) != nil || !co.Progress.Steps[step].Last().Question {
				continue
			}
			text, err := askAnswer(c, co, step)
			if err == nil {
				err = co.Reload(c.Context)
			}
			if err != nil {
				return err
			}
			if co.RequireBlocked(step) != nil || co.Progress.Steps[step].Last().Commit != asked {
				say(c.Err, "step %s has been answered or reopened elsewhere", step)
				any = true
				continue
			}
			if text == "" {
				return nil
			}
			if err := betweenSessions(c, co, "", func() error { return storeAnswer(c, co, step, text, false) }); err != nil {
				return err
			}
			any = true
		}
		return nil
	})
	return any && err == nil, err
}

func confirmByHand(c *command, names []string) error {
	if len(c.args) > 0 {
		return c.misused("--manual is about the whole plan, not about step %s", visible.Line(c.arg(0)))
	}
	return withLock(c, func(co *checkout.Checkout, _ *journal.Lock) error {
		list := progress.Manuals(co.Doc.Plan, co.Doc.Events)
		var chosen []progress.Manual
		for _, name := range names {
			i := slices.IndexFunc(list, func(m progress.Manual) bool { return m.ID == name || fmt.Sprint(m.N) == name })
			if i < 0 {
				return &exit.Wrong{Text: "the plan has no criterion " + visible.Line(name) + " for a person to check",
					Hint: "see them: git plan status"}
			}
			chosen = append(chosen, list[i])
		}
		head, err := co.Repo.Resolve(c.Context, "HEAD^{commit}")
		for _, m := range chosen {
			if err == nil {
				err = co.Store.Apply(c.Context, co.Doc, co.Branch, journal.Change{Event: journal.Event{
					Kind: journal.Confirmed, Check: journal.NameOfCheck(m.Text), Head: head, By: journal.ByPerson,
				}})
			}
			if err == nil {
				say(c.Err, "checked by hand at %s: %s", visible.Short(head), m.Text)
			}
		}
		return err
	})
}
