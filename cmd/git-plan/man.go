package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/markdown"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "show a manual page", ArgsUsage: "[<page>]",
		Description: "Without a page: git-plan(1). With one: that of a command, such as step, or\n" +
			strings.Join(pages.Topics(), ", ") + " (git-plan-hooks and git-plan-review are the commands').\n" +
			"On a terminal man shows it; elsewhere it is plain text. --install writes what man reads.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "install", Usage: "write all pages below `DIR`, such as /usr/local/share/man"}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1); err != nil {
				return err
			}
			m := manual(c.App)
			if c.IsSet("install") {
				return m.Install(c.String("install"))
			}
			if p, ok := m.Page(c.Args().First()); ok {
				return p.Show(c.Context, c.App.Writer)
			}
			return noPage(c, m, c.Args().First())
		},
	}
}

// noPage is the error for a page that does not exist; it names the one that may be meant.
func noPage(c *cli.Context, m pages.Manual, asked string) error {
	var names []string
	for _, p := range m.Pages() {
		names = append(names, p.Name, strings.TrimPrefix(p.Name, "git-plan-"), strings.TrimPrefix(p.Name, "gitplan-"))
	}
	near := markdown.Nearest(asked, names)
	if near == "" {
		return misused(c, "there is no page %s", asked)
	}
	return &exit.Wrong{Text: "there is no page " + asked + "; did you mean " + near + "?", Hint: "git plan man " + near}
}

// manual returns what the pages are made of.
func manual(app *cli.App) pages.Manual {
	return pages.Manual{App: app, Groups: groups(), Exits: exit.Codes, Version: versionText(), Day: builtOn()}
}
