package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/standing"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

func statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show where the plan is and what comes next",
		Description: "Boxes: [ ] open, [x] done, [>] running, [!] blocked, [-] skipped, [<] reopened, by git\n" +
			"plan reopen or because its commit left the branch or was taken back: by a revert (of any\n" +
			"one of them if the step has several), or by a merge that dropped what they changed, as\n" +
			"git merge -s ours does.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "a row for every step, even if they do not fit the terminal"},
			&cli.BoolFlag{Name: "porcelain", Usage: "stable lines for programs"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object for programs"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if c.Bool("porcelain") && c.Bool("json") {
				return misused(c, "--porcelain and --json exclude each other")
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				if err := co.Load(c.Context); err != nil {
					if c.Bool("porcelain") && errors.Is(err, fault.ErrNoPlan) {
						return nil
					}
					return err
				}
				s, err := standing.Of(c.Context, co)
				if err != nil {
					return err
				}
				switch {
				case c.Bool("porcelain"):
					porcelain(c.App.Writer, s)
				case c.Bool("json"):
					s.LookForStale(c.Context, co)
					return writeJSON(c.App.Writer, s)
				default:
					tellStanding(c.Context, c.App.Writer, co, s, c.Bool("all"))
				}
				return nil
			})
		},
	}
}

// overview is `git plan`: the status, or how to start.
func overview(c *cli.Context) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		err := co.Load(c.Context)
		if errors.Is(err, fault.ErrNoPlan) {
			say(c.App.Writer, "%s", err)
			say(c.App.Writer, "")
			say(c.App.Writer, "  git plan \"what you want\"   lets a model read the repository and write one")
			say(c.App.Writer, "  git plan new -F FILE       takes one from a file")
			say(c.App.Writer, "  git plan new               opens your editor on a template")
			if errors.Is(err, fault.ErrPlanPushed) {
				say(c.App.Writer, "  git plan fetch             gets the one that somebody pushed for this branch")
			}
			say(c.App.Writer, "  git plan demo              shows the whole way in a throwaway repository")
			return elsewhere(c, co)
		}
		if err != nil {
			return err
		}
		s, err := standing.Of(c.Context, co)
		if err == nil {
			tellStanding(c.Context, c.App.Writer, co, s, false)
		}
		return err
	})
}

// elsewhere names the plans of other branches.
func elsewhere(c *cli.Context, co *checkout.Checkout) error {
	plans, err := checkout.ListPlans(c.Context, co.Store)
	if err != nil || len(plans) == 0 {
		return err
	}
	say(c.App.Writer, "")
	say(c.App.Writer, "Other branches have plans:")
	for _, p := range plans {
		say(c.App.Writer, "  %s", visible.Line(p.Subject))
	}
	return nil
}

// field makes a text fit for a column of --porcelain: what is hidden becomes a
// blank, since a program may print the line. All other bytes stay as they are; a
// branch's name need not be UTF-8.
func field(s string) string {
	if s == "" {
		return "-"
	}
	s = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(s)
	var b strings.Builder
	at := 0
	for i, r := range visible.Hidden(s) {
		b.WriteString(s[at:i] + " ")
		at = i + utf8.RuneLen(r)
	}
	return b.String() + s[at:]
}

// porcelain prints where a plan stands for programs: lines whose words and columns stay.
func porcelain(w io.Writer, s *standing.Plan) {
	row := func(cells ...string) { say(w, "%s", strings.Join(cells, "\t")) }
	row("plan", s.Plan, field(s.Branch), field(s.Base))
	row("goal", field(s.Title))
	row("state", string(s.State))
	row("progress", fmt.Sprint(s.Progress.Done), fmt.Sprint(s.Progress.Total))
	for _, st := range s.Steps {
		row("step", fmt.Sprint(st.N), st.ID, string(st.State), field(st.Commit), field(st.Title))
	}
	if s.Review.Told {
		row("review", string(s.Review.End), s.Review.Head, "told")
	} else {
		row("review", string(s.Review.End), s.Review.Head)
	}
}

var marks = map[progress.State]string{
	progress.StateDone: "x", progress.StateOpen: " ", progress.StateBlocked: "!",
	progress.StateSkipped: "-", progress.StateRunning: ">", progress.StateReopened: "<",
}

// tellStanding prints where a plan stands for people, and what comes next.
func tellStanding(ctx context.Context, w io.Writer, co *checkout.Checkout, s *standing.Plan, all bool) {
	width := terminal.Width(os.Stdout)
	s.LookForStale(ctx, co)
	terminal.Fold(w, width, 0, "%s", colors(co).Bold(visible.Line(s.Title)))
	terminal.Fold(w, width, 0, "plan %s on %s, %d of %d done, %s", s.Plan, visible.Line(s.Branch), s.Progress.Done, s.Progress.Total, s.State)
	say(w, "")
	tellSteps(w, co, s.Steps, all)
	if s.Requirements != nil {
		say(w, "")
		tellRequirements(w, width, s.Requirements)
	}
	say(w, "")
	for _, p := range s.Proposals {
		terminal.Fold(w, width, 4, "proposed by the session of step %s: %s (git plan replan)", p.Step, visible.OneLine(p.Text, 400))
	}
	listManual(w, width, s.Manual)
	if line := s.Review.String(); line != "" {
		terminal.Fold(w, width, 0, "%s", line)
	}
	step := ""
	if next, ok := co.Progress.Next(co.Doc.Plan); ok {
		step = next.ID
	}
	if err := work.SpentOn(co, step); errors.Is(err, fault.ErrBudget) {
		terminal.Fold(w, width, 0, "budget: %s", visible.Line(err.Error()))
	}
	if entry, back := gitplan.SetAside(ctx, co); entry != "" && s.State != standing.Running {
		terminal.Fold(w, width, 0, "autostash: your changes are %s of git's stash; %s", entry, back)
	}
	tellGate(w, co)
	next := s.Next(ctx, co)
	if files := co.Unmerged(ctx); files != "" && s.State != standing.Running {
		next = standing.Resolve(visible.Line(files))
	}
	say(w, "next: %s", next) // not folded, so that it can be copied
}

// tellGate warns if plan.prePush is no word that the gate knows: whoever meant block
// has no gate that does.
func tellGate(w io.Writer, co *checkout.Checkout) {
	if mode, err := co.Config.Word("plan.prePush"); err != nil {
		say(w, "warning: %s, so %s is taken", visible.Line(err.Error()), mode)
	}
}
