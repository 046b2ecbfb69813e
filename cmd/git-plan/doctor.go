package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/reviewers"
)

func doctorCommand(c *command) *cli.Command {
	var offline bool
	c.option(&offline, "offline", "do not ask model servers")
	return c.define("doctor", "", "check the setup, and say how to fix what is wrong", c.do(0, func() error {
		found, err := examine(c.Context, offline)
		if err != nil {
			return err
		}
		var end error
		width := terminal.Width(os.Stdout)
		for _, s := range found {
			terminal.Fold(c.Out, width, 7, "%-5s  %s: %s", s.Found, s.About, s.Text)
			for line := range strings.Lines(s.Fix) {
				say(c.Out, "       %s", strings.TrimRight(line, "\n")) // in one line, to be copied
			}
			if s.Found == doctor.Wrong {
				end = &exit.Ended{Code: exit.Error}
			}
		}
		return end
	}))
}

func examine(ctx context.Context, offline bool) (found []doctor.Symptom, err error) {
	co, err := checkout.Open(ctx)
	outside := errors.Is(err, git.ErrNotRepository) || errors.Is(err, git.ErrTooOld)
	none := "none here"
	if errors.Is(err, git.ErrOwner) {
		none = err.Error()
	}
	if outside {
		co, err = checkout.Outside(ctx)
	}
	if err != nil {
		return nil, err
	}
	defer co.Close()
	found = doctor.Examine(ctx, co)
	if !offline {
		found = append(found, doctor.ExamineEndpoints(ctx, co)...)
	}
	if outside {
		for i, s := range found {
			found[i].Fix = strings.ReplaceAll(s.Fix, "git config ", "git config --global ")
		}
		return append(found, doctor.Symptom{About: "repository", Found: doctor.Unused, Text: none}), nil
	}
	found = append(found, examineReviewers(ctx, co), examineHooks(ctx, co))
	more, err := doctor.ExamineClone(ctx, co)
	return append(found, more...), err
}

func examineReviewers(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	s := doctor.Symptom{About: "reviewers", Found: doctor.Fine}
	all, err := reviewers.OfBase(ctx, co, "")
	switch {
	case errors.Is(err, fault.ErrReviewerFile):
		s.Fix = exit.FixReviewer
	case errors.Is(err, fault.ErrAgentSetup):
		s.Fix = exit.SetupHint(err)
	}
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
		return s
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	s.Text = strings.Join(names, ", ")
	return s
}

func examineHooks(ctx context.Context, co *checkout.Checkout) doctor.Symptom {
	s := doctor.Symptom{About: "hooks", Found: doctor.Fine}
	facts, err := install.Look(ctx, co.Repo)
	if err != nil {
		s.Found, s.Text = doctor.Wrong, err.Error()
		return s
	}
	var all bool
	if s.Text, all = installed(facts); !all {
		s.Found = doctor.Unused
		s.Fix = "git plan hooks install adds them: the gate at git push, and a record of rewritten commits, so that their steps stay done"
	}
	if why := ungated(co, facts); why != "" {
		s.Found, s.Text = doctor.Wrong, s.Text+"; "+why
	}
	return s
}
