package main

import (
	"cmp"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/settings"
)

type configOptions struct {
	*command
	all, json bool
}

func configCommand() *cli.Command {
	c := &configOptions{command: new(command)}
	return &cli.Command{
		Name: "config", Usage: "list the settings that are set, and where they come from", ArgsUsage: "[<key>]",
		Description: "Set a key with git config, at any of git's levels. Keys with <role> or <name> are\n" +
			"listed once they are set. A key that git plan does not know has no effect, and is marked.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Destination: &c.all, Usage: "list the others, too, with their defaults"},
			&cli.BoolFlag{Name: "json", Destination: &c.json, Usage: "one JSON object with all settings, for programs"},
		},
		Action: c.inRepo(1, func(co *checkout.Checkout) error {
			return paged(c.command, co, func() error { return listSettings(c, co) })
		}),
	}
}

func listSettings(c *configOptions, co *checkout.Checkout) error {
	if err := proposals(c.command, co, co.PlanBase(c.Context)); err != nil {
		return err
	}
	set := co.Config.Settings()
	if key := c.arg(0); key != "" {
		set = co.Config.Matching(key)
		if len(set) == 0 {
			return &exit.Wrong{Text: "there is no key " + key, Hint: "see them all: git plan config --all"}
		}
	}
	if len(c.args) == 0 && !c.all && !c.json {
		set = slices.DeleteFunc(set, func(s settings.Setting) bool { return s.Scope == "default" })
		if len(set) == 0 {
			say(c.Err, "no setting is set; see them all: git plan config --all")
		}
	}
	views.Invalid(c.Err, co, set)
	if c.json {
		return views.JSON(c.Out, map[string]any{"schema": 1, "settings": set})
	}
	var rows [][]string
	for _, s := range set {
		value, from, doc := settingText(s)
		rows = append(rows, []string{s.Key, value, from, doc})
	}
	return terminal.Table(c.Out, terminal.Width(os.Stdout), nil, rows)
}

func settingText(s settings.Setting) (value, from, doc string) {
	value, from, doc = s.Value, s.Scope, s.Doc
	value = cmp.Or(value, "-")
	switch s.Scope {
	case "default":
	case "unknown":
		from, doc = s.Origin, "no such key: it has no effect"
	default:
		from += " " + s.Origin
	}
	return value, from, doc
}
