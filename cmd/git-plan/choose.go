package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
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

// asksForServer asks a person at a terminal, where no agent is, for a model server of theirs, and sets it
// in this repository's configuration.
func asksForServer(c *cli.Context, co *checkout.Checkout) (set bool, err error) {
	if chosen, _ := co.Config.Get("plan.agent"); !terminal.Attended() || chosen != "" || len(settings.Available()) > 0 || len(co.Config.Speaking()) > 0 {
		return false, nil
	}
	fmt.Fprint(c.App.ErrWriter, "\nA model server of yours, as URL and MODEL? (Enter: none) ")
	line, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.App.ErrWriter, "")
		return false, context.Cause(c.Context)
	}
	words := strings.Fields(line)
	if len(words) != 2 {
		if len(words) > 0 {
			say(c.App.ErrWriter, "not set: that is not a URL and a model with a blank between them")
		}
		return false, nil
	}
	for _, s := range [][2]string{{"planAgent.local.baseURL", words[0]}, {"planAgent.local.model", words[1]}, {"plan.agent", "local"}} {
		if err := co.Repo.SetConfig(c.Context, s[0], s[1]); err != nil {
			return false, err
		}
		say(c.App.ErrWriter, "set in this repository: git config %s %s", s[0], visible.Shell(s[1]))
	}
	say(c.App.ErrWriter, "")
	return true, nil
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
