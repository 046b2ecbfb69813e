package main

import (
	"context"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/forge"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

func prCommand() *cli.Command {
	return &cli.Command{
		Name: "pr", Usage: "push branch and plan, and open or update the pull request",
		Description: "The text is that of git plan export --format pr: what was done, checked, found, dismissed\n" +
			"and assumed. gh, or glab for a remote on GitLab, opens the pull request, or gives the open\n" +
			"one of this branch the new text; if neither is installed, the text is printed.\n\n" +
			"With --page the plan's page is written too, as git plan web --export does. It is uploaded\n" +
			"nowhere, since neither program can attach a file: drop it into the pull request's text.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "draft", Usage: "open it as a draft"},
			&cli.StringFlag{Name: "page", Usage: "write the plan's page to `FILE`, to be attached"},
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return withLock(c, func(co *checkout.Checkout, _ *journal.Lock) error { return openPR(c, co) })
		},
	}
}

func openPR(c *cli.Context, co *checkout.Checkout) error {
	text, err := reviewers.PullRequest(c.Context, co)
	if err != nil {
		return err
	}
	if ok, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); err == nil && !ok && !co.Progress.Complete() {
		say(c.App.ErrWriter, "warning: the plan is not approved, and has open steps: %s", co.Progress.Far())
	}
	if file := c.String("page"); file != "" { // before anything is pushed: it may be there already
		if err := exportPage(c, co, file); err != nil {
			return err
		}
		say(c.App.ErrWriter, "the page is written, for you to attach: %s", visible.Line(file))
	}
	remote, err := share.PushWork(c.Context, co, "") // as git push: with the person's hooks
	if err != nil {
		return err
	}
	say(c.App.ErrWriter, "branch and plan are pushed to %s", visible.Line(remote))
	address, _ := co.Config.Get("remote." + remote + ".url")
	f, ok := forge.Of(address)
	if !ok {
		return printRequest(c, text, "neither gh nor glab is installed")
	}
	pr := pullRequestOf(c.Context, co, remote, text)
	pr.Draft = c.Bool("draft")
	open, err := f.Find(c.Context, co.Repo.Top, pr)
	if info, e := os.Stat(address); err != nil && e == nil && info.IsDir() {
		return printRequest(c, text, visible.Line(remote)+" is a folder, where no pull request can be opened")
	}
	if err != nil {
		return err
	}
	return f.Open(c.Context, co.Repo.Top, open, pr, c.App.Writer)
}

// printRequest prints the text of a pull request that is not opened, and why.
func printRequest(c *cli.Context, text []byte, why string) error {
	say(c.App.ErrWriter, "%s: this is its text, as git plan export --format pr prints it", why)
	_, err := c.App.Writer.Write(text)
	return err
}

// pullRequestOf makes a request. It names the base as the remote does, if it is a branch there.
func pullRequestOf(ctx context.Context, co *checkout.Checkout, remote string, text []byte) forge.Request {
	base := strings.TrimPrefix(co.Doc.Plan.Base, remote+"/")
	if _, err := co.Repo.Resolve(ctx, "refs/remotes/"+remote+"/"+base); err != nil {
		base = ""
	}
	return forge.Request{Branch: co.Branch, Base: base, Title: visible.OneLine(co.Doc.Plan.Title, 250), Text: text}
}
