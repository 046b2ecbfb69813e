package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

// paged shows what a command prints to a terminal in the person's pager.
func paged(c *cli.Context, co *checkout.Checkout, print func(*cli.Context, *checkout.Checkout) error) error {
	configured, set := co.Config.Get("core.pager")
	pager := terminal.Pager(configured, set)
	if pager == "" || !terminal.Is(os.Stdout) || co.Trusted(c.Context) != nil {
		return print(c, co)
	}
	return terminal.Page(c.Context, pager, func(w io.Writer) error {
		c.App.Writer = w
		return print(c, co)
	})
}
