package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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

type answerOptions struct {
	*command
	message string
}

func answerCommand() *cli.Command {
	c := &answerOptions{command: new(command)}
	return &cli.Command{
		Name: "answer", Usage: "answer the question of a step, or of a review's fixer", ArgsUsage: "<step>|<finding> [<text>]",
		Description: "The question and your answer become part of the step, which is open again: the next\n" +
			"session reads both. Without <text> you are asked for it. At the end of git plan run, on a\n" +
			"terminal, you are asked for the answer to each open question, too. A step that is blocked\n" +
			"without a question takes an answer as well: say what to do differently.\n\n" +
			"With the beginning of a finding's id, at least four digits, it answers the fixer that asked\n" +
			"what to do about it: the fixer of the next git plan review reads that.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "m", Destination: &c.message, Usage: "the answer is `TEXT`, as when it is given as an argument"}},
		Action: c.do(func() error {
			if len(c.args) > 1 && c.message != "" {
				return c.misused("the answer is given twice, by -m and as an argument: give it once")
			}
			if len(c.args) == 0 {
				return c.misused("answer needs the step whose question you answer")
			}
			if err := c.arguments(2); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				err := co.Load(c.Context)
				if mayBeFinding(co, c.arg(0), err) {
					return reviewLocked(c.command, co, func(*journal.Lock) error { return answerFixer(c, co) })
				}
				if err != nil {
					return err
				}
				return answer(c, co)
			})
		}),
	}
}

// idOfFinding matches what may be the beginning of a finding's id.
var idOfFinding = visible.NewPattern(`^[0-9a-f]{4,12}$`)

// mayBeFinding reports whether a name is a finding's and not a step's; none says why there is no plan.
func mayBeFinding(co *checkout.Checkout, name string, none error) bool {
	if !idOfFinding.MatchString(name) {
		return false
	}
	if none != nil {
		return errors.Is(none, fault.ErrNoPlan)
	}
	_, step := co.Doc.Plan.Step(name)
	return !step
}

// answerFixer records the answer to a fixer that asked what to do about a finding.
func answerFixer(c *answerOptions, co *checkout.Checkout) error {
	id, text := c.arg(0), strings.TrimSpace(cmp.Or(c.message, c.arg(1)))
	if text == "" {
		return &exit.Wrong{Text: "nothing was answered", Hint: `git plan answer ` + id + ` "your answer"`}
	}
	f, err := reviewers.Answer(c.Context, co, id, text)
	if err != nil {
		return err
	}
	say(c.Err, "the next fixer reads your answer about %s: %s", visible.Line(f.Place()), visible.Line(f.Title))
	say(c.Err, "next: git plan review")
	return nil
}

func answer(c *answerOptions, co *checkout.Checkout) error {
	step, err := stepOf(co, c.arg(0))
	if err != nil {
		return err
	}
	if err := co.RequireBlocked(step.ID); err != nil {
		return err
	}
	text := strings.TrimSpace(cmp.Or(c.message, c.arg(1)))
	if text == "" {
		if text, err = askAnswer(c.command, co, step.ID); err != nil {
			return err
		}
	}
	if text == "" {
		return &exit.Wrong{Text: "nothing was answered, so step " + step.ID + " stays blocked", Hint: `git plan answer ` + step.ID + ` "your answer"`}
	}
	// A session could type this command as well: so a person at a terminal confirms that it was
	// them.
	return putAnswer(c.command, co, step.ID, text, func() bool {
		return !terminal.Attended() || !answersYes(c.command, "A session is at work, which could have answered, too. Approve your answer? [y/N] ")
	})
}

// putAnswer stores an answer now, or when the session is over that is at work. anybodys is asked then
// whether somebody else may have given it.
func putAnswer(c *command, co *checkout.Checkout, step, text string, anybodys func() bool) error {
	at, busy := journal.Working(co.Repo, co.Doc.ID)
	if !busy {
		return locked(c, co, func(*journal.Lock) error { return storeAnswer(c, co, step, text, false) })
	}
	others := anybodys()
	release, err := co.LockText(c.Context, func() {
		say(c.Err, "waiting until the session of %s is over", visible.Line(at.Name()))
	})
	if err != nil {
		return err
	}
	defer release()
	return storeAnswer(c, co, step, text, others)
}

// storeAnswer stores what a person answered. The plan stays approved, unless the answer may be
// anybody's: then the person at the terminal is asked.
func storeAnswer(c *command, co *checkout.Checkout, step, text string, anybodys bool) error {
	approved, err := share.StoreAnswer(c.Context, co, step, text, anybodys)
	if err != nil {
		return err
	}
	say(c.Err, "step %s is open again, with your answer", step)
	if !approved {
		say(c.Err, "the answer needs your approval, since a session was at work: git plan approve")
	}
	return nil
}

// askAnswer prints the question of a step and returns what the person at the terminal types;
// "" if nobody is there.
func askAnswer(c *command, co *checkout.Checkout, step string) (string, error) {
	if !terminal.Attended() {
		return "", nil
	}
	fmt.Fprintf(c.Err, "%s asks: %s\nanswer (Enter leaves it blocked): ", step, visible.Line(co.Progress.Steps[step].Reason))
	ctx, end := untilAnswered(c.Context, co, step)
	defer end()
	text, err := terminal.ReadLine(ctx)
	if err != nil {
		say(c.Err, "")
	}
	if c.Context.Err() != nil {
		return "", context.Cause(c.Context)
	}
	return text, nil
}

// untilAnswered returns a context that ends when the question of a step has been answered elsewhere.
func untilAnswered(ctx context.Context, co *checkout.Checkout, step string) (context.Context, func()) {
	asked := progress.LastOf(co.Doc.Events, step).Commit
	ctx, end := context.WithCancel(ctx)
	go journal.Follow(ctx, co.Repo, co.Doc.ID, journal.Following{ // without it, Enter shows the answer
		Began: func(journal.Holder) {}, Notice: func(journal.Notice) {}, Ended: func(bool) {},
		Changed: func(bool) error {
			doc, err := co.Store.Load(ctx, co.Doc.ID)
			if err != nil || progress.LastOf(doc.Events, step).Commit == asked {
				return nil
			}
			for busy := true; busy && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) { // it may yet approve the answer, or run
				_, busy = journal.Working(co.Repo, co.Doc.ID)
			}
			end()
			return nil
		},
	})
	return ctx, end
}

// mayAsk reports whether work ended in a way in which a step may have asked something: another one
// may have failed as well.
func mayAsk(err error) bool {
	for _, kind := range []error{fault.ErrQuestion, fault.ErrStepBlocked, fault.ErrStepFailed, fault.ErrAllWait} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// answered puts to the person at the terminal each question that blocks a step. It reports
// whether one was answered, here or elsewhere, so that the work goes on; err says what then went
// wrong. While it waits nobody has the plan's lock, so that the plan can be edited, and the question
// answered, anywhere; and no session can type at this terminal.
func answered(c *command, err *error) (any bool) {
	if c.events || !terminal.Attended() {
		return false
	}
	failed := withPlan(c.Context, func(co *checkout.Checkout) error {
		for _, step := range questions(co) {
			asked := co.Progress.Steps[step].Last().Commit
			text, err := askAnswer(c, co, step)
			if err != nil {
				return err
			}
			if err := co.Reload(c.Context); err != nil {
				return err
			}
			switch {
			case co.RequireBlocked(step) != nil || co.Progress.Steps[step].Last().Commit != asked:
				say(c.Err, "step %s has been answered or reopened elsewhere", step)
				any = true
				continue
			case text == "":
				return nil
			}
			if err := putAnswer(c, co, step, text, func() bool { return false }); err != nil {
				return err
			}
			any = true
		}
		return nil
	})
	if failed != nil {
		*err = failed
		return false
	}
	return any
}

// questions returns the ids of the steps that are blocked by a question.
func questions(co *checkout.Checkout) (out []string) {
	for _, s := range co.Doc.Plan.Steps {
		if co.RequireBlocked(s.ID) == nil && co.Progress.Steps[s.ID].Last().Question {
			out = append(out, s.ID)
		}
	}
	return out
}
