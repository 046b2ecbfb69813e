package main

import "github.com/urfave/cli/v2"

func hooksCommand() *cli.Command {
	return &cli.Command{Name: "hooks", Usage: "install, remove or show the hooks"}
}
func hookCommand() *cli.Command { return &cli.Command{Name: "hook", Hidden: true} }
