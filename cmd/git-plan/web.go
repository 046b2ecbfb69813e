package main

import (
	"bytes"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

func webCommand() *cli.Command {
	c := new(command)
	var port int
	var readOnly bool
	var export string
	return &cli.Command{
		Name: "web", Usage: "show the plan as a page for a browser of this machine",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Destination: &port, Usage: "listen on port `N` instead of any that is free"},
			&cli.BoolFlag{Name: "read-only", Destination: &readOnly, Usage: "print only the address for looking"},
			&cli.StringFlag{Name: "export", Destination: &export, Usage: "write the page to `FILE`, which needs neither a server nor a script, and end"},
		},
		Action: c.onPlan(0, func(co *checkout.Checkout) error {
			if port < 0 || port > 65535 {
				return c.misused("--port must be a port, up to 65535")
			}
			if export != "" {
				return exportPage(c, co, export)
			}
			if err := notNested(); err != nil {
				return err
			}
			return serveWeb(c, port, readOnly)
		}),
	}
}

func serveWeb(c *command, port int, readOnly bool) error {
	s := &web.Server{Open: withRepository}
	if !readOnly {
		s.Acts = actsOf(c.Context, c.Err)
	}
	l, look, act, err := s.Listen(strconv.Itoa(port))
	if err != nil {
		return &exit.Wrong{Text: err.Error(), Hint: "git plan web, without --port, takes any port that is free"}
	}
	say(c.Out, "to look:  %s", look)
	if s.Acts != nil {
		say(c.Out, "to act:   %s", act)
	}
	say(c.Err, "open one in a browser on this machine; anyone who knows it can do the same, so keep it to yourself (Ctrl-C ends it)")
	if err := s.Serve(c.Context, l); err != nil {
		return err
	}
	return &exit.Ended{Code: exit.Interrupted}
}

func exportPage(c *command, co *checkout.Checkout, file string) error {
	p, err := web.Of(c.Context, co, true)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := web.WriteFile(&text, p); err != nil {
		return err
	}
	return writeNew(file, text.Bytes())
}
