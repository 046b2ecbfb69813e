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

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "where the plan of this branch stands",
		Description: "The box of a step says: [ ] open, [x] done, [>] running, [!] blocked, [-] skipped,\n" +
			"[<] reopened, by git plan reopen or since its commit left the branch or was taken back:\n" +
			"by a revert, of any one of them where the step has several, or by a merge that dropped\n" +
			"what they changed, as git merge -s ours does.",
		Flags: []cli.Flag{
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
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				if err := co.Load(c.Context); err != nil {
					if c.Bool("porcelain") && errors.Is(err, fault.ErrNoPlan) {
						return nil
					}
					return err
				}
				s, err := standing(c, co)
				if err != nil {
					return err
				}
				switch {
				case c.Bool("porcelain"):
					s.porcelain(c.App.Writer)
				case c.Bool("json"):
					return writeJSON(c.App.Writer, s)
				default:
					s.people(c.Context, c.App.Writer, co)
				}
				return nil
			})
		},
	}
}

// overview is `git plan`: the status, or how to start.
func overview(c *cli.Context) error {
	return withCheckout(c.Context, func(co *gitplan.Checkout) error {
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
		s, err := standing(c, co)
		if err == nil {
			s.people(c.Context, c.App.Writer, co)
		}
		return err
	})
}

// elsewhere names the plans of other branches.
func elsewhere(c *cli.Context, co *gitplan.Checkout) error {
	plans, err := gitplan.ListPlans(c.Context, co.Store)
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

// planStatus is where a plan stands, as status --json prints it.
type planStatus struct {
	Schema   int          `json:"schema"`
	Plan     string       `json:"plan"`
	Branch   string       `json:"branch"`
	Base     string       `json:"base"`
	Title    string       `json:"title"`
	State    string       `json:"state"`
	Progress progressJSON `json:"progress"`
	Steps    []stepStatus `json:"steps"`
	Review   reviewStatus `json:"review"`
}

type progressJSON struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

type stepStatus struct {
	N      int    `json:"n"`
	ID     string `json:"id"`
	Title  string `json:"title"`
	State  string `json:"state"`
	Commit string `json:"commit"` // empty where the step has none
	Reason string `json:"reason,omitempty"`
}

func standing(c *cli.Context, co *gitplan.Checkout) (*planStatus, error) {
	p := co.Doc.Plan
	s := &planStatus{
		Schema: 1, Plan: co.Doc.ID, Branch: co.Branch, Base: p.Base, Title: p.Title,
		Progress: progressJSON{co.Progress.Done, co.Progress.Total},
	}
	unended, why := gitplan.Unended(co, co.Doc.ID, co.Doc.Events)
	for _, step := range p.Steps {
		st := co.Progress.Steps[step.ID]
		row := stepStatus{N: step.N, ID: step.ID, Title: step.Title, State: string(st.State)}
		if st.Commit != journal.None {
			row.Commit = st.Commit
		}
		if st.State != progress.StateDone {
			row.Reason = st.Reason
		}
		if st.State == progress.StateOpen && step.ID == unended {
			row.Reason = why // as the next command will note it
		}
		s.Steps = append(s.Steps, row)
	}
	approved, err := setup.IsApproved(co.Repo, co.Doc.ID, p)
	if err != nil {
		return nil, err
	}
	s.Review, err = reviewState(c, co)
	if _, ok := p.Step(unended); unended != "" && !ok { // but a fixer
		s.Review.goesOn = true
	}
	s.State = planState(co, approved && len(co.Unwitnessed()) == 0 || s.settled(co))
	return s, err
}

func planState(co *gitplan.Checkout, approved bool) string {
	holder, working := journal.Working(co.Repo, co.Doc.ID)
	working = working && holder.PID != os.Getpid() // we know what we do
	_, open := co.OpenByNext()
	_, next := co.Progress.Next(co.Doc.Plan)
	switch {
	case working || open:
		return "running"
	case !approved:
		return "unapproved"
	case co.Progress.Complete():
		return "done"
	case !next:
		return "blocked"
	}
	return "open"
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

func (s *planStatus) porcelain(w io.Writer) {
	row := func(cells ...string) { say(w, "%s", strings.Join(cells, "\t")) }
	row("plan", s.Plan, field(s.Branch), field(s.Base))
	row("goal", field(s.Title))
	row("state", s.State)
	row("progress", fmt.Sprint(s.Progress.Done), fmt.Sprint(s.Progress.Total))
	for _, st := range s.Steps {
		row("step", fmt.Sprint(st.N), st.ID, st.State, field(st.Commit), field(st.Title))
	}
	if s.Review.Told {
		row("review", s.Review.End, s.Review.Head, "told")
	} else {
		row("review", s.Review.End, s.Review.Head)
	}
}

var marks = map[string]string{"done": "x", "open": " ", "blocked": "!", "skipped": "-", "running": ">", "reopened": "<"}

func (s *planStatus) people(ctx context.Context, w io.Writer, co *gitplan.Checkout) {
	width := terminal.Width(os.Stdout)
	terminal.Fold(w, width, 0, "%s", visible.Line(s.Title))
	terminal.Fold(w, width, 0, "plan %s on %s, %d of %d done, %s", s.Plan, visible.Line(s.Branch), s.Progress.Done, s.Progress.Total, s.State)
	say(w, "")
	for _, st := range s.Steps {
		line := fmt.Sprintf("%3d [%s] %s (%s)", st.N, marks[st.State], visible.Line(st.Title), st.ID)
		switch st.State {
		case "done":
			if st.Commit != "" {
				line += "  " + terminal.Short(st.Commit)
			}
		case "blocked", "skipped":
			line += strings.TrimSuffix("  "+st.State+": "+visible.Line(st.Reason), ": ")
		case "running":
			line += "  running"
		case "reopened":
			if co.Progress.Steps[st.ID].Pull != "" {
				line += "  " + terminal.Short(st.Commit) + " did it and " + visible.Line(st.Reason)
			} else {
				line += strings.TrimSuffix("  reopened: "+strings.TrimSpace(terminal.Short(st.Commit)+" "+visible.Line(st.Reason)), ": ")
			}
		case "open":
			if st.Reason != "" {
				line += "  last attempt: " + visible.Line(st.Reason)
			}
			if commit, ok := co.Progress.FromElsewhere(st.ID); ok {
				line += "  " + terminal.Short(commit) + " names it, but the plan here does not know that it is done"
			}
		}
		terminal.Fold(w, width, 8, "%s", line)
	}
	say(w, "")
	if line := s.Review.line(); line != "" {
		terminal.Fold(w, width, 0, "%s", line)
	}
	step := ""
	if next, ok := co.Progress.Next(co.Doc.Plan); ok {
		step = next.ID
	}
	if err := gitplan.SpentOn(co, step); errors.Is(err, fault.ErrBudget) {
		terminal.Fold(w, width, 0, "budget: %s", visible.Line(err.Error()))
	}
	if entry, back := gitplan.SetAside(ctx, co); entry != "" && s.State != "running" {
		terminal.Fold(w, width, 0, "autostash: your changes are %s of git's stash; %s", entry, back)
	}
	tellGate(w, co)
	next := s.nextCommand(ctx, co)
	if files := co.Unmerged(ctx); files != "" && s.State != "running" {
		next = "git status (not merged: " + visible.Line(files) + "; resolve that first)"
	}
	say(w, "next: %s", next) // not folded, so that it can be copied
}
