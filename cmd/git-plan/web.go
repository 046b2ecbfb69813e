package main

import (
	"bytes"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan/checkout"
)

type webOptions struct {
	*command
	port     int
	readOnly bool
	export   string
}

func webCommand() *cli.Command {
	c := &webOptions{command: new(command)}
	return &cli.Command{
		Name: "web", Usage: "show the plan as a page for a browser of this machine",
		Description: "Prints addresses that only this machine reaches, and that cannot be guessed, and answers\n" +
			"there until Ctrl-C: the steps and their attempts, what is at work, the review beside the code,\n" +
			"time and cost. The page changes as the work goes on. From another machine, use a tunnel of\n" +
			"your own, such as ssh -L.\n\n" +
			"By the second address a person may also approve, answer, dismiss, stop and go on, as by the\n" +
			"commands of these names. An answer that is given while a session is at work is stored after\n" +
			"it. To go on takes a stop back, or begins git plan run in this work tree, with the environment\n" +
			"of this terminal, which it outlives.\n\n" +
			"Anyone who knows an address can use it, so it is in no page, file or log. Host, Origin and\n" +
			"Sec-Fetch-Site of each request are checked, so that no other site reaches it. A page loads\n" +
			"nothing from elsewhere, and runs only its own script. The file of --export has no script, no\n" +
			"form and no transcripts. It is at most 2 MB, and names what it leaves out for that.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Destination: &c.port, Usage: "listen on port `N` instead of any that is free"},
			&cli.BoolFlag{Name: "read-only", Destination: &c.readOnly, Usage: "print only the address for looking"},
			&cli.StringFlag{Name: "export", Destination: &c.export, Usage: "write the page to `FILE`, which needs neither a server nor a script, and end"},
		},
		Action: c.onPlan(0, func(co *checkout.Checkout) error {
			if c.port < 0 || c.port > 65535 {
				return c.misused("--port must be a port, up to 65535")
			}
			if c.export != "" {
				return exportPage(c.command, co, c.export)
			}
			if err := notNested(); err != nil {
				return err
			}
			return serveWeb(c)
		}),
	}
}

func serveWeb(c *webOptions) error {
	s := &web.Server{Open: withRepository}
	if !c.readOnly {
		s.Acts = actsOf(c.Context, c.Err)
	}
	l, look, act, err := s.Listen(strconv.Itoa(c.port))
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
