package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/skill"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func skillCommand() *cli.Command {
	repo := func() []cli.Flag {
		return []cli.Flag{&cli.BoolFlag{Name: "repo", Usage: "in this repository, not in your home folder"}}
	}
	return &cli.Command{
		Name: "skill", Usage: "teach your own agent to work on a plan",
		Description: "A skill is a file that coding agents read when a task calls for it. This one says how\n" +
			"to do a step of a plan by git plan next and git plan done. It is written to .agents/skills\n" +
			"(Codex, Gemini, opencode and others) and .claude/skills (Claude Code), for all your\n" +
			"repositories or for one. Then \"do the next step of the plan\" is enough. A file that you\n" +
			"changed or wrote yourself is left alone. Sessions that git plan starts need no skill, and\n" +
			"cannot use it: next, done and block refuse there.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "show", Usage: "print the skill"}},
		Subcommands: []*cli.Command{
			{Name: "install", Usage: "write it where agents look, or renew it", Flags: repo(), Action: func(c *cli.Context) error {
				return eachPlace(c, "installed", skill.Place.Install)
			}},
			{Name: "remove", Usage: "remove exactly what install wrote", Flags: repo(), Action: func(c *cli.Context) error {
				return eachPlace(c, "removed", skill.Place.Remove)
			}},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 0:
				return misused(c, "skill takes install or remove, or --show")
			case c.Bool("show"):
				fmt.Fprint(c.App.Writer, skill.Text())
				return nil
			}
			var failed error
			for _, p := range skillPlaces(c) {
				state, err := p.State()
				if err != nil {
					failed = cmp.Or(failed, err)
					continue
				}
				say(c.App.Writer, "%s: %s", visible.Line(p.Path()), state.String())
			}
			return failed
		},
	}
}

// eachPlace does something at the places that were asked for. If one fails, the others are still
// done, and the error comes at the end.
func eachPlace(c *cli.Context, done string, do func(skill.Place) (skill.State, error)) error {
	if err := arguments(c, 0); err != nil {
		return err
	}
	if err := notNested(); err != nil {
		return err
	}
	top, err := os.UserHomeDir()
	if c.Bool("repo") {
		err = withCheckout(c.Context, func(co *checkout.Checkout) error {
			if top = co.Repo.Top; top == "" {
				return fault.New(fault.ErrBare, "a bare repository has no work tree")
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	var failed error
	changed := false
	for _, p := range skill.Places(top, !c.Bool("repo")) {
		was, err := do(p)
		text := done
		switch {
		case err != nil:
			failed = cmp.Or(failed, err)
			continue
		case was == skill.Foreign:
			text = was.String()
			failed = cmp.Or(failed, error(&exit.Ended{Code: exit.Error}))
		case was == skill.Missing && done == "removed", was == skill.Current && done == "installed":
			text = was.String()
		default:
			changed = true
		}
		say(c.App.ErrWriter, "%s: %s", visible.Line(p.Path()), text)
	}
	if changed && c.Bool("repo") && done == "installed" {
		say(c.App.ErrWriter, "commit them, and everybody's agent here knows it: git add .agents .claude")
	}
	return failed
}

// skillPlaces returns those of the person, and those of the repository if there is one.
func skillPlaces(c *cli.Context) []skill.Place {
	co, err := checkout.Open(c.Context)
	if err != nil {
		return skill.Everywhere("")
	}
	defer co.Close()
	return skill.Everywhere(co.Repo.Top)
}
