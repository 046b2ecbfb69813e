package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/hooks"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "what is set up, what is wrong and how to mend it",
		Description: "Looks at git, the agent of each role, the keys in the environment (which are never\n" +
			"shown), the sandbox and the hooks. Asks no network. Exits with 1 where something is wrong.",
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *gitplan.Checkout) error {
				var end error
				for _, s := range append(co.Examine(c.Context), examineHooks(c, co)) {
					say(c.App.Writer, "%-5s  %s: %s", s.Found, s.About, clean(s.Text))
					if s.Mend != "" {
						say(c.App.Writer, "       %s", clean(s.Mend))
					}
					if s.Found == gitplan.Wrong {
						end = &ended{exitError}
					}
				}
				return end
			})
		},
	}
}

func examineHooks(c *cli.Context, co *gitplan.Checkout) gitplan.Symptom {
	s := gitplan.Symptom{About: "hooks", Found: gitplan.Fine}
	facts, err := hooks.Look(c.Context, co.Repo)
	if err != nil {
		s.Found, s.Text = gitplan.Wrong, err.Error()
		return s
	}
	installed := 0
	states := hooks.Status(facts)
	for _, st := range states {
		if st.Installed {
			installed++
		}
	}
	s.Text = fmt.Sprintf("%d of %d installed", installed, len(states))
	if installed < len(states) {
		s.Found = gitplan.Unused
		s.Mend = "git plan hooks install puts them in: the gate at git push, and what keeps steps done when history is rewritten"
	}
	return s
}
