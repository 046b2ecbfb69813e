package main

import (
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func webCommand() *cli.Command {
	return &cli.Command{
		Name: "web", Usage: "show the plan as a page for a browser of this machine",
		Description: "Prints addresses that only this machine reaches, and that nobody can guess, and answers\n" +
			"there until Ctrl-C: the steps and what became of them, what is at work, the review beside\n" +
			"the code, time and cost. The page changes as the work goes on. From a phone or another\n" +
			"machine, use a tunnel of your own, such as ssh -L.\n\n" +
			"By the second address a person may also approve, answer, dismiss, stop and go on, as by the\n" +
			"commands of these names. An answer that is given while a session is at work is stored once\n" +
			"that is over; if git plan web has ended by then, the next command stores it, for you to\n" +
			"approve. To go on takes a stop back (git plan stop --undo); if nothing runs, it begins git\n" +
			"plan run in this work tree, with the environment of this terminal, which it outlives.\n" +
			"Nothing begins that nobody asked for there.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "listen on port `N` instead of any that is free"},
			&cli.BoolFlag{Name: "read-only", Usage: "print only the address for looking"},
			&cli.StringFlag{Name: "export", Usage: "write the page to `FILE`, which needs neither a server nor a script, and end"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			if n := c.Int("port"); n < 0 || n > 65535 {
				return misused(c, "--port must be a port, up to 65535")
			}
			if file := c.String("export"); file != "" {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return exportPage(c, co, file) })
			}
			if err := notNested(); err != nil {
				return err
			}
			return withPlan(c.Context, func(*checkout.Checkout) error { return serveWeb(c) })
		},
	}
}

func serveWeb(c *cli.Context) error {
	s := &web.Server{Open: withRepository}
	if !c.Bool("read-only") {
		s.Acts = actsOf(c)
	}
	l, look, act, err := s.Listen(strconv.Itoa(c.Int("port")))
	if err != nil {
		return &wrong{text: err.Error(), hint: "git plan web, without --port, takes any port that is free"}
	}
	say(c.App.Writer, "to look:  %s", look)
	if s.Acts != nil {
		say(c.App.Writer, "to act:   %s", act)
	}
	say(c.App.ErrWriter, "open one in a browser of this machine; whoever knows it may do the same, so keep it to yourself (Ctrl-C ends it)")
	if err := s.Serve(c.Context, l); err != nil {
		return err
	}
	return &ended{code: exitInterrupted}
}

// exportPage writes the page as a file. One that is there is not overwritten.
func exportPage(c *cli.Context, co *checkout.Checkout, file string) error {
	p, err := web.Of(c.Context, co, true)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if os.IsExist(err) {
		return &wrong{text: visible.Line(file) + " exists already", hint: "name another file, or remove it first"}
	}
	if err != nil {
		return err
	}
	if err := web.WriteFile(f, p); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
