package main

import (
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version and the day of its commit are set by the Makefile for a build from a
// checkout.
var version, day string

func versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: func(c *cli.Context) error {
			say(c.App.Writer, "git-plan version %s", versionText())
			return nil
		},
	}
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
