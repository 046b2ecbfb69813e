package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// choosesOnce asks a person at a terminal, before the first session, which of several agents does the
// work of a role, and remembers it in this repository's configuration.
func choosesOnce(c *cli.Context, role agent.Role) error {
	if !terminal.Attended() || c.Bool("yes") {
		return nil
	}
	found := settings.Available()
	if len(found) < 2 {
		return nil
	}
	return withCheckout(c.Context, func(co *checkout.Checkout) error {
		if co.Config.NotChosen(role) == "" {
			return nil
		}
		say(c.App.ErrWriter, "several agents are here, and none is set (plan.agent):")
		name, err := chooseAgent(c, found)
		if err == nil {
			err = co.Repo.SetConfig(c.Context, "plan.agent", name)
		}
		if err == nil {
			say(c.App.ErrWriter, "set in this repository: git config plan.agent %s", name)
		}
		return err
	})
}

// chooseAgent asks once which of several agents is to be used; without a terminal the first.
func chooseAgent(c *cli.Context, found []settings.Candidate) (string, error) {
	if !terminal.Attended() {
		return found[0].Name, nil
	}
	for i, a := range found {
		say(c.App.ErrWriter, "  %d) %s", i+1, a)
	}
	fmt.Fprint(c.App.ErrWriter, "Which agent should do the work? (Enter: 1) ")
	line, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.App.ErrWriter, "")
		return found[0].Name, context.Cause(c.Context)
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(found) {
		return found[n-1].Name, nil
	}
	if i := slices.IndexFunc(found, func(a settings.Candidate) bool { return a.Name == line }); i >= 0 {
		return found[i].Name, nil
	}
	return found[0].Name, nil
}
