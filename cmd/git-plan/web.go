package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func webCommand() *cli.Command {
	return &cli.Command{
		Name: "web", Usage: "show the plan as a page for a browser of this machine",
		Description: "Prints addresses that only this machine reaches, and that nobody can guess, and answers\n" +
			"there until Ctrl-C: the steps and what became of them, what is at work, the review beside\n" +
			"the code, time and cost. The page changes as the work goes on. By the second address a\n" +
			"person may also approve, answer, dismiss and stop, as by the commands of these names. The\n" +
			"page runs nothing by itself. From a phone or another machine, use a tunnel of your own,\n" +
			"such as ssh -L.",
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

// actsOf returns what a person may do from the page. Each is the function of the command of that name.
func actsOf(c *cli.Context) *web.Acts {
	as := func(ctx context.Context) *cli.Context { // the command, for one request
		sub := cli.NewContext(c.App, nil, c)
		sub.Context, sub.Command = ctx, c.Command
		return sub
	}
	return &web.Acts{
		Approval: func(ctx context.Context) (a web.Approval, err error) {
			err = withPlan(ctx, func(co *checkout.Checkout) error {
				a = approvalOf(ctx, co)
				return co.Doc.Plan.Approvable()
			})
			return a, err
		},
		Approve: func(ctx context.Context, digest string) error {
			return withLock(as(ctx), func(co *checkout.Checkout, _ *journal.Lock) error {
				if digest != digestOf(co) {
					return &wrong{text: "the plan has changed since you read it", hint: "read it again, then approve it"}
				}
				if err := co.Doc.Plan.Approvable(); err != nil {
					return err
				}
				return approveAsShown(as(ctx), co, "")
			})
		},
		Answer: func(ctx context.Context, step, text string) error {
			return withPlan(ctx, func(co *checkout.Checkout) error {
				s, err := stepOf(co, step)
				if err != nil {
					return err
				}
				if err := co.Answerable(s.ID); err != nil {
					return err
				}
				if text == "" {
					return &wrong{text: "nothing was answered, so step " + s.ID + " stays blocked"}
				}
				return putAnswer(as(ctx), co, s.ID, text, func() bool { return false }) // no session knows the address
			})
		},
		Dismiss: func(ctx context.Context, id, why string) error {
			if why == "" {
				return &wrong{text: "say why it is dismissed, for those who read the review"}
			}
			return withCheckout(ctx, func(co *checkout.Checkout) error {
				return reviewLocked(as(ctx), co, func(*journal.Lock) error { return dismiss(as(ctx), co, id, why) })
			})
		},
		Stop: func(ctx context.Context, now bool) error {
			return withPlan(ctx, func(co *checkout.Checkout) error {
				who, working := journal.Working(co.Repo, co.Doc.ID)
				if !working {
					return &wrong{text: "nothing runs"}
				}
				return stop(as(ctx), co, co.Doc.ID, who, now)
			})
		},
	}
}

// approvalOf returns what a person reads before they approve, as git plan approve prints it.
func approvalOf(ctx context.Context, co *checkout.Checkout) web.Approval {
	a := web.Approval{Text: visible.Text(string(co.Doc.Plan.Source)), Digest: digestOf(co)}
	var outlook strings.Builder
	printUnwitnessed(&outlook, co)
	views.Outlook(ctx, &outlook, co, true)
	a.Outlook = visible.Text(outlook.String())
	if before, err := setup.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		a.Changed = visible.Text(share.CompareWords(before, plan.Meaning(co.Doc.Plan.Source)))
	}
	return a
}

// digestOf names what an approval covers: the plan's text, and the history that is believed with it.
func digestOf(co *checkout.Checkout) string {
	h := sha256.New()
	h.Write(co.Doc.Plan.Source)
	for _, e := range co.Unwitnessed() {
		h.Write([]byte("\x00" + e.Commit))
	}
	return hex.EncodeToString(h.Sum(nil))
}
