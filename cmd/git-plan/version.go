package main

import (
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// The Makefile and a release set version and the day of its commit, for a build from a checkout.
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

// builtOn returns the day of the commit that the program was built from, or else the day of the
// build: a manual page without a day is not valid.
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
	if own, err := os.Executable(); err == nil {
		if file, err := os.Stat(own); err == nil {
			return file.ModTime().UTC().Format(time.DateOnly)
		}
	}
	return ""
}
