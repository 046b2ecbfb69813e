package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/survey"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "look at what is here, and set up what is missing",
		Description: "Nothing needs to be set up before the first plan. This shows which agents and keys, test\n" +
			"commands, hooks and remote there are, says what it would set, and asks before it sets\n" +
			"anything, in this repository's own git configuration. Where no agent is, it asks for a model\n" +
			"server. Without a terminal it only prints.\n" +
			"git plan doctor checks that all of it works.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
		},
	}
}

func initialise(c *cli.Context, co *checkout.Checkout) error {
	here := &survey.Survey{
		Checkout: co,
		Row:      func(about, text string) { say(c.App.Writer, "%-8s %s", about, visible.Line(text)) },
		Choose:   func(found []settings.Candidate) (string, error) { return chooseAgent(c, found) },
		Hooks:    func() error { return changeHooks(c, install.PlanInstall) },
	}
	proposals, err := here.Missing(c.Context)
	if err != nil {
		return err
	}
	if set, err := asksForServer(c, co); err != nil {
		return err
	} else if set { // read what is set up now
		return withCheckout(c.Context, func(co *checkout.Checkout) error { return initialise(c, co) })
	}
	next := `next: git plan "what you want"`
	if _, err := co.Config.Agent(agent.Planner); err != nil {
		next = "next: set up an agent, as above, and see whether it works: git plan doctor; or write the plan yourself: git plan new"
	}
	if len(proposals) == 0 {
		say(c.App.ErrWriter, "nothing is left to set up; %s", next)
		return nil
	}
	for _, p := range proposals {
		terminal.FoldText(c.App.Writer, terminal.Width(os.Stdout), "\n"+p.Why+":\n")
		say(c.App.Writer, "    %s", p.Command)
		if !terminal.Attended() || !answersYes(c, "Do that? [y/N] ") {
			continue
		}
		if err := p.Do(c.Context); err != nil {
			return err
		}
	}
	say(c.App.ErrWriter, "\n%s", next)
	return nil
}
