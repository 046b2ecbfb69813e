package main

import (
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/doctor"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "list the settings that are set, and where they come from", ArgsUsage: "[<key>]",
		Description: "Set a key with git config, at any of git's levels. Of keys with <role> or <name>, those\n" +
			"that are set are listed. A key that git plan does not know has no effect, and is marked.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "list the others, too, with their defaults"},
			&cli.BoolFlag{Name: "json", Usage: "one JSON object with all settings, for programs"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 { // that many arguments would set a key, as git config does: report that
				if err := arguments(c, 1); err != nil {
					return err
				}
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return paged(c, co, listSettings) })
		},
	}
}

func listSettings(c *cli.Context, co *checkout.Checkout) error {
	if err := proposals(c, co, co.PlanBase(c.Context)); err != nil {
		return err
	}
	set := co.Config.Settings()
	if key := c.Args().First(); key != "" {
		set = co.Config.Matching(key)
		if near := settings.NearestKey(key); len(set) == 0 && near != "" {
			return misused(c, "there is no key %s; did you mean %s?", key, near)
		}
		if len(set) == 0 {
			return &exit.Wrong{Text: "there is no key " + key, Hint: "see them all: git plan config --all"}
		}
		if c.NArg() == 2 {
			return &exit.Wrong{Text: "git plan config shows keys, and sets none", Hint: "git config " + key + " VALUE"}
		}
	}
	if c.NArg() == 0 && !c.Bool("all") && !c.Bool("json") {
		set = slices.DeleteFunc(set, func(s settings.Setting) bool { return s.Scope == "default" })
		if len(set) == 0 {
			say(c.App.ErrWriter, "no setting is set; see them all: git plan config --all")
		}
	}
	for _, s := range set {
		if err := doctor.WrongSettings(co, s); err != nil {
			say(c.App.ErrWriter, "warning: %s", visible.Line(err.Error()))
		}
	}
	if c.Bool("json") {
		return views.JSON(c.App.Writer, map[string]any{"schema": 1, "settings": set})
	}
	width := terminal.Width(os.Stdout)
	if width != terminal.Endless {
		printSettings(c.App.Writer, set, width)
		return nil
	}
	var rows [][]string
	for _, s := range set {
		value, from, doc := settingText(s)
		rows = append(rows, []string{visible.Line(s.Key), value, from, doc})
	}
	return terminal.Table(c.App.Writer, width, nil, rows)
}

// printSettings prints settings for a terminal, on which a table would not fit: what a key is for
// is on the line below.
func printSettings(w io.Writer, set []settings.Setting, width int) {
	const indent = 4
	for _, s := range set {
		value, from, doc := settingText(s)
		terminal.Fold(w, width, indent, "%s  %s  (%s)", visible.Line(s.Key), value, from)
		terminal.Fold(w, width, indent, "%*s%s", indent, "", doc)
	}
}

// settingText returns what is printed of a setting after its key.
func settingText(s settings.Setting) (value, from, doc string) {
	value, from, doc = s.Value, s.Scope, s.Doc
	if value == "" {
		value = "-"
	}
	switch s.Scope {
	case "default":
	case "unknown":
		from, doc = s.Origin, "no such key: it has no effect"
	default:
		from += " " + s.Origin
	}
	return visible.Line(value), visible.Line(from), doc
}
