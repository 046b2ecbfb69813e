package main

import (
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/survey"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "check the setup, and say how to fix what is wrong",
		Description: "Checks git, the agent of each role, the keys in the environment (which are never shown),\n" +
			"the sandbox, custom prompts, the reviewers, the hooks, and what crashes and deleted\n" +
			"branches left behind. Asks the model servers of the roles for their models, which uses no\n" +
			"tokens, and has each launcher start a worker, which does nothing. Exits with 1 if something is wrong.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "offline", Usage: "do not ask model servers, and start no launcher"},
			&cli.BoolFlag{Name: "fix", Usage: "remove stale locks, half-made clones, and settings that name plans that are gone; print commands for the rest"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			found, err := examine(c)
			if err != nil {
				return err
			}
			return printSymptoms(c, found)
		},
	}
}

// examine looks at everything that there is here, in a repository or not.
func examine(c *cli.Context) (found []doctor.Symptom, err error) {
	co, err := checkout.Open(c.Context)
	outside := errors.Is(err, git.ErrNotRepository) || errors.Is(err, git.ErrTooOld)
	if outside {
		co, err = checkout.Outside(c.Context)
	}
	if err != nil {
		return nil, err
	}
	defer co.Close()
	found = doctor.Examine(c.Context, co)
	if !c.Bool("offline") {
		found = append(found, doctor.ExamineEndpoints(c.Context, co)...)
		found = append(found, doctor.ExamineLaunchers(c.Context, co)...)
	}
	if outside {
		return append(found, doctor.Symptom{About: "repository", Found: doctor.Unused, Text: "none here"}), nil
	}
	found = append(found, doctor.ExaminePrompts(c.Context, co)...)
	found = append(found, survey.Examine(c.Context, co)...)
	more, err := doctor.ExamineClone(c.Context, co, c.Bool("fix"))
	return append(found, more...), err
}

func printSymptoms(c *cli.Context, found []doctor.Symptom) error {
	var end error
	width := terminal.Width(os.Stdout)
	for _, s := range found {
		terminal.Fold(c.App.Writer, width, 7, "%-5s  %s: %s", s.Found, s.About, visible.Line(s.Text))
		for line := range strings.Lines(s.Fix) {
			terminal.Fold(c.App.Writer, width, 7, "       %s", visible.Line(strings.TrimRight(line, "\n")))
		}
		if s.Found == doctor.Wrong {
			end = &exit.Ended{Code: exit.Error}
		}
	}
	return end
}
