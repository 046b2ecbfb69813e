package main

import (
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
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
		Description: "Prints addresses that only this machine reaches, and that nobody can guess, and answers\n" +
			"there until Ctrl-C: the steps and what became of them, what is at work, the review beside\n" +
			"the code, time and cost. The page changes as the work goes on. From a phone or another\n" +
			"machine, use a tunnel of your own, such as ssh -L.\n\n" +
			"By the second address a person may also approve, answer, dismiss, stop and go on, as by the\n" +
			"commands of these names. An answer that is given while a session is at work is stored once\n" +
			"that is over; if git plan web has ended by then, the next command stores it, for you to\n" +
			"approve. To go on takes a stop back (git plan stop --undo); if nothing runs, it begins git\n" +
			"plan run in this work tree, with the environment of this terminal, which it outlives.\n" +
			"Nothing begins that nobody asked for there.\n\n" +
			"The other plans of the repository are listed; each has its page by git plan web in the work\n" +
			"tree of its branch.\n\n" +
			"Each attempt opens to what the check printed that failed it, and to what its session did, as\n" +
			"git plan log --session prints it. Both are cut where they are long. Of the sessions at work\n" +
			"the last 100 calls are shown.\n\n" +
			"Anyone who knows an address can use it, so it is in no page, no file and no log. Host, Origin\n" +
			"and Sec-Fetch-Site of each request are checked, so that no other site reaches it. A page loads\n" +
			"nothing from elsewhere, and runs no script but its own. The file of --export has no script and\n" +
			"no form. It has the last lines of each check that failed, but no transcripts. It is at most\n" +
			"2 MB, and names what it leaves out for that.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Destination: &c.port, Usage: "listen on port `N` instead of any that is free"},
			&cli.BoolFlag{Name: "read-only", Destination: &c.readOnly, Usage: "print only the address for looking"},
			&cli.StringFlag{Name: "export", Destination: &c.export, Usage: "write the page to `FILE`, which needs neither a server nor a script, and end"},
		},
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			if n := c.port; n < 0 || n > 65535 {
				return c.misused("--port must be a port, up to 65535")
			}
			if file := c.export; file != "" {
				return withPlan(c.Context, func(co *checkout.Checkout) error { return exportPage(c.command, co, file) })
			}
			if err := notNested(); err != nil {
				return err
			}
			return withPlan(c.Context, func(co *checkout.Checkout) error { return serveWeb(c, co) })
		}),
	}
}

func serveWeb(c *webOptions, co *checkout.Checkout) error {
	s := &web.Server{Open: withRepository}
	s.Knows(co)
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

// exportPage writes the page as a file. One that is there is not overwritten.
func exportPage(c *command, co *checkout.Checkout, file string) error {
	p, err := web.Of(c.Context, co, true)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if os.IsExist(err) {
		return &exit.Wrong{Text: visible.Line(file) + " exists already", Hint: "name another file, or remove it first"}
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
