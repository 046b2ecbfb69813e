package main

import (
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/pages"
)

func manCommand() *cli.Command {
	c := new(command)
	var install string
	return &cli.Command{
		Name: "man", Usage: "show a manual page", ArgsUsage: "[<page>]",
		Description: "Without a page: git-plan(1). With one: that of a command, such as step, or\n" +
			strings.Join(pages.Topics(), ", ") + " (git-plan-hooks and git-plan-review are the commands').\n" +
			"On a terminal man shows it, if it is installed; else it is printed as Markdown.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "install", Destination: &install, Usage: "write all pages below `DIR`, in a build with the tag manual, as make install does"}},
		Action: c.do(func() error {
			if err := c.arguments(1); err != nil {
				return err
			}
			m := manual(c.app)
			if install != "" {
				return m.Install(install)
			}
			if p, ok := m.Page(c.arg(0)); ok {
				return p.Show(c.Context, c.Out)
			}
			return &exit.Wrong{Text: "there is no page " + c.arg(0), Hint: "see them all: git plan man"}
		}),
	}
}

// manual returns what the pages are made of.
func manual(app *cli.App) pages.Manual {
	return pages.Manual{App: app, Groups: groups(), Exits: exit.Codes, Version: versionText(), Day: builtOn()}
}

// The Makefile and a release set version and the day of its commit, for a build from a checkout.
var version, day string

func versionCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: c.do(func() error {
			say(c.Out, "git-plan version %s", versionText())
			return nil
		}),
	}
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf returns a version without the v of its tag: the one that the build set; else that of
// the module, which go install knows, and which a build in a checkout makes from its tags; else
// the commit.
func versionOf(set string, info *debug.BuildInfo) string {
	if set == "" && info != nil && info.Main.Version != "(devel)" {
		set = info.Main.Version
	}
	if set != "" {
		return strings.TrimPrefix(set, "v")
	}
	if info != nil {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 10 {
				return "devel-" + s.Value[:10]
			}
		}
	}
	return "unknown"
}

// builtOn returns the day of the commit that the program was built from; "" if that is not known.
func builtOn() string {
	if day != "" {
		return day
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" && len(s.Value) >= 10 {
				return s.Value[:10]
			}
		}
	}
	return ""
}
