package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/hooks/install"
)

// pushAfter pushes branch and plan if plan.push names one of these moments. A push that fails
// loses nothing, and is only reported.
func pushAfter(c *command, s *gitplan.Steps, moments ...string) {
	if when, err := s.Checkout.Config.Word("plan.push"); err != nil || !slices.Contains(moments, when) {
		return
	}
	note := func(format string, a ...any) {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: fmt.Sprintf(format, a...)})
	}
	if why := runner.LeftPush(s.Runner.Checkout); why != "" {
		note("not pushed: %s; look at it, then: git push", why)
		return
	}
	own, err := install.PrepareOwnPush(s.Runner.Checkout)
	if err != nil {
		note("not pushed: %v; what is done is here: git push", err)
		return
	}
	defer own.Close()
	remote, err := share.PushWork(c.Context, s.Runner.Checkout, own.Hooks)
	if said := own.Refusal(); err != nil && said != "" {
		note("not pushed: the pre-push hook refuses: %s; what is done is here", visible.Cut(visible.Line(strings.TrimSpace(said)), 1000))
		note("it ran in the sandbox of checks, with none of your other variables: git push runs it as always, and git config plan.hooksSandbox off has git plan do so")
		return
	}
	if err == nil {
		note("branch and plan are pushed to %s", remote)
		return
	}
	how := "git plan fetch"
	if errors.Is(err, fault.ErrRemote) || errors.Is(err, fault.ErrNoRemote) {
		how = "git push"
	}
	note("not pushed: %v; what is done is here, and %s says more", err, how)
}

// ownPush replaces the person's pre-push hook in a push that git plan makes itself
// (hooks.OwnPush): first it runs that hook, in the sandbox, and then the gate if that is
// installed.
func ownPush(c *command) error {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	args := c.args[1:]
	gated := false
	if err := withRepository(c.Context, func(co *checkout.Checkout) error {
		if err := co.Load(c.Context); err != nil {
			return err
		}
		facts, err := install.Look(c.Context, co.Repo)
		if err != nil {
			return err
		}
		gated = facts.Gated()
		said, err := (&runner.Runner{Checkout: co}).PrePush(c.Context, stdin, args...)
		if err != nil {
			return errors.Join(err, install.Refused(c.arg(0), cmp.Or(said, err.Error())))
		}
		return nil
	}); err != nil || !gated {
		return err
	}
	return prePush(c, bytes.NewReader(stdin), args)
}
