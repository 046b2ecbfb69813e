package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func webCommand(c *command) *cli.Command {
	var port int
	var readOnly bool
	var export string
	c.option(&port, "port", "listen on port `N` instead of any that is free")
	c.option(&readOnly, "read-only", "print only the address at which nothing can be changed")
	c.option(&export, "export", "only write the page to `FILE`, which needs neither server nor script")
	return c.define("web", "", "show the plan in a browser on this machine",
		c.onPlan(0, func(co *checkout.Checkout) error {
			if export != "" {
				return exportPage(c, co, export)
			}
			if err := notNested(); err != nil {
				return err
			}
			s := &web.Server{Open: withRepository}
			if !readOnly {
				s.Acts = actsOf(c.Context, c.Err)
			}
			l, look, act, err := s.Listen(strconv.Itoa(port))
			if err != nil {
				return &exit.Wrong{Text: err.Error(), Hint: "git plan web, without --port, takes any port that is free"}
			}
			say(c.Out, "read-only:    %s", look)
			if s.Acts != nil {
				say(c.Out, "full access:  %s", act)
			}
			say(c.Err,
				"open one in a browser on this machine; anyone who knows it can do the same, so keep it to yourself (Ctrl-C ends it)")
			if err := s.Serve(c.Context, l); err != nil {
				return err
			}
			return &exit.Ended{Code: exit.Interrupted}
		}))
}

func exportPage(c *command, co *checkout.Checkout, file string) error {
	p, err := web.Of(c.Context, co, true)
	if err != nil {
		return err
	}
	text, err := web.File(p)
	if err != nil {
		return err
	}
	return writeNew(file, []byte(text))
}

// actsOf returns the acts of the page; what they print goes to the terminal of git plan web.
func actsOf(until context.Context, w io.Writer) *web.Acts {
	do := func(ctx context.Context, act string, field func(string) string) error {
		return withPlan(ctx, func(co *checkout.Checkout) error {
			c, text := &command{Context: ctx, Err: w, name: act}, field("text")
			switch act {
			case "approve":
				return locked(c, co, func(*journal.Lock) error {
					if field("digest") != digestOf(co) {
						return &exit.Wrong{Text: "what you approve has changed since you read it", Hint: "read it again, then approve it"}
					}
					if err := co.Doc.Plan.Approvable(); err != nil {
						return err
					}
					return approveAsShown(ctx, co, "")
				})
			case "answer":
				if mayBeFinding(co, field("name"), nil) {
					return answerFixer(c, co, field("name"), text)
				}
				return answerByPage(c, until, co, field("name"), text)
			case "dismiss":
				if text == "" {
					return &exit.Wrong{Text: "say why, for readers of the review"}
				}
				return dismiss(c, co, field("finding"), text)
			case "done": // on the person's word
				return withSteps(c, func(s *gitplan.Steps) error {
					_, _, err := s.Done(ctx, field("name"))
					return err
				})
			case "checked":
				return confirmByHand(c, []string{field("name")})
			case "stop":
				who, working := journal.Working(co.Repo, co.Doc.ID)
				if !working {
					return &exit.Wrong{Text: "nothing runs"}
				}
				return stop(c, co, co.Doc.ID, who, field("now") != "")
			case "go-on":
				return goOn(ctx, co)
			}
			return web.ErrNoAct
		})
	}
	return &web.Acts{Do: do, Approval: func(ctx context.Context, co *checkout.Checkout) (web.Approval, error) {
		return approvalOf(ctx, co), co.Doc.Plan.Approvable()
	}}
}

// answerByPage stores an answer; during a session after that, unless until ends before.
func answerByPage(c *command, until context.Context, co *checkout.Checkout, step, text string) error {
	if text == "" {
		return &exit.Wrong{Text: "nothing was answered"}
	}
	s, err := stepOf(co, step)
	if err != nil {
		return err
	}
	if err := co.RequireBlocked(s.ID); err != nil {
		return err
	}
	if _, busy := journal.Working(co.Repo, co.Doc.ID); !busy {
		return locked(c, co, func(*journal.Lock) error { return storeAnswer(c, co, s.ID, text, false) })
	}
	share.AnswerLater(until, co, s.ID, text,
		func(do func(*checkout.Checkout) error) error { return withPlan(until, do) }, func(err error) {
			say(c.Err, "the answer to step %s is not stored (%s); give it again: git plan answer %s", s.ID, err, s.ID)
		})
	return nil
}

// goOn withdraws a request to stop, or starts a git plan run that outlives this process, and waits for its lock.
func goOn(ctx context.Context, co *checkout.Checkout) error {
	if who, working := journal.Working(co.Repo, co.Doc.ID); working {
		if !journal.AskedToStop(co.Repo, co.Doc.ID, who) {
			return who.Busy()
		}
		return journal.UndoStop(co.Repo, co.Doc.ID)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path := web.BegunPath(co.Repo, co.Doc.ID)
	_ = os.Remove(path) // an earlier run may still write to its own
	said, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer said.Close()
	ended := make(chan error, 1)
	go func() {
		end, err := proc.Run(context.WithoutCancel(ctx),
			proc.Cmd{Name: self, Args: []string{"run"}, Stdout: said, Stderr: said, OwnProcessGroup: true})
		if err == nil && !end.OK() {
			err = &exit.Wrong{Text: web.Begun(co.Repo, co.Doc.ID)}
		}
		ended <- err
	}()
	for {
		if _, working := journal.Working(co.Repo, co.Doc.ID); working {
			return nil
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// approvalOf returns what a person reads before they approve, as git plan approve prints it.
func approvalOf(ctx context.Context, co *checkout.Checkout) web.Approval {
	p := co.Doc.Plan
	a := web.Approval{Plan: p, Text: visible.Text(string(p.Source)), Digest: digestOf(co)}
	a.Budget = views.Limits(co)
	if p.Bounds != nil && p.Bounds.Budget.Text != "" {
		a.Budget = strings.TrimSuffix(p.Bounds.Budget.Text+", "+a.Budget, ", ")
	}
	a.Runs, a.Unchecked = views.Runs(co)
	for _, of := range p.Sections { // nothing that a session reads is left out
		for _, s := range p.Steps {
			of.Body = strings.Replace(of.Body, s.Text, "", 1)
		}
		if of.Body = strings.TrimSpace(of.Body); of.Body != "" && of.Body != p.Goal {
			a.Sections = append(a.Sections, of)
		}
	}
	if text, ok := co.SetupChange(); ok {
		a.Unseen = visible.Text(text + ": it stays as it is now")
	}
	var outlook strings.Builder
	printUnverifiedEvents(&outlook, co)
	views.Expected(ctx, &outlook, 1<<20, co) // the page has no lines of a terminal
	a.Outlook = visible.Text(outlook.String())
	if before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		a.Changed = visible.Text(share.CompareWords(before, plan.Meaning(co.Doc.Plan.Source)))
	}
	return a
}

// digestOf identifies what an approval covers: the text, a changed set-up, and unverified events.
func digestOf(co *checkout.Checkout) string {
	h := sha256.New()
	h.Write(co.Doc.Plan.Source)
	unseen, _ := co.SetupChange()
	h.Write([]byte("\x00" + unseen))
	for _, e := range co.Store.Unverified(co.Doc) {
		h.Write([]byte("\x00" + e.Commit))
	}
	return hex.EncodeToString(h.Sum(nil))
}
