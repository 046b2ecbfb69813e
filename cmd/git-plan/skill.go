package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/survey"
)

func skillCommand() *cli.Command {
	return &cli.Command{
		Name: "skill", Usage: "print what teaches your own agent to work on a plan",
		Description: "A skill is a file that coding agents read when a task calls for it. This one says how to\n" +
			"do a step by git plan next and git plan done. git plan init offers to write it to\n" +
			"~/.claude/skills (Claude Code) or ~/.agents/skills (Codex, Gemini, opencode); then \"do the\n" +
			"next step of the plan\" is enough. Sessions that git plan starts cannot use it.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			_, err := io.WriteString(c.App.Writer, survey.Skill)
			return err
		},
	}
}
