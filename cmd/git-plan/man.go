package main

import (
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
)

func manCommand() *cli.Command {
	c := new(command)
	var install string
	return &cli.Command{
		Name: "man", Usage: "show a manual page", ArgsUsage: "[<page>]",
		Description: "Without a page: git-plan(1). With one: that of a command, such as step, or\n" +
			strings.Join(topics(), ", ") + " (git-plan-hooks and git-plan-review are the commands').\n" +
			"On a terminal man shows it, if it is installed; else it is printed as Markdown.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "install", Destination: &install, Usage: "write all pages below `DIR`, in a build with the tag manual, as make install does"}},
		Action: c.do(1, func() error {
			if install != "" {
				return installPages(c.app, install)
			}
			if p, ok := pageOf(c.app, c.arg(0)); ok {
				return p.show(c.Context, c.Out)
			}
			return &exit.Wrong{Text: "there is no page " + c.arg(0), Hint: "see them all: git plan man"}
		}),
	}
}

func topics() (out []string) {
	for _, p := range written() {
		out = append(out, strings.TrimPrefix(p.name, "gitplan-"))
	}
	return out
}

// The Makefile and a release set version and the day of its commit, for a build from a checkout.
var version, day string

func versionCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: c.do(0, func() error {
			say(c.Out, "git-plan version %s", versionText())
			return nil
		}),
	}
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf returns the version of the build, else that of the module, else the commit.
func versionOf(set string, info *debug.BuildInfo) string {
	if set == "" && info != nil && info.Main.Version != "(devel)" {
		set = info.Main.Version
	}
	if set != "" {
		return strings.TrimPrefix(set, "v")
	}
	if commit := buildSetting(info, "vcs.revision"); commit != "" {
		return "devel-" + commit
	}
	return "unknown"
}

func buildSetting(info *debug.BuildInfo, key string) string {
	if info != nil {
		for _, s := range info.Settings {
			if s.Key == key && len(s.Value) >= 10 {
				return s.Value[:10]
			}
		}
	}
	return ""
}
