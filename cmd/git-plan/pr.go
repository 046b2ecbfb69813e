package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
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
	text, err := pullRequest(c, co)
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
	f, ok := forgeOf(address)
	if !ok {
		return printRequest(c, text, "neither gh nor glab is installed")
	}
	pr := pullRequestOf(co, remote, text)
	pr.draft = c.Bool("draft")
	open, err := f.find(c.Context, co, pr)
	if info, e := os.Stat(address); err != nil && e == nil && info.IsDir() {
		return printRequest(c, text, visible.Line(remote)+" is a folder, where no pull request can be opened")
	}
	if err != nil {
		return err
	}
	args := f.create(pr)
	if open != "" {
		args = f.update(open, pr)
	}
	return f.run(c.Context, co, c.App.Writer, text, args)
}

// printRequest prints the text of a pull request that is not opened, and why.
func printRequest(c *cli.Context, text []byte, why string) error {
	say(c.App.ErrWriter, "%s: this is its text, as git plan export --format pr prints it", why)
	_, err := c.App.Writer.Write(text)
	return err
}

// request is what a forge's program is given for a pull request.
type request struct {
	branch, base, title string
	text                []byte
	draft               bool
}

// pullRequestOf makes a request. It names the base as the remote does, if it is a branch there.
func pullRequestOf(co *checkout.Checkout, remote string, text []byte) request {
	base := strings.TrimPrefix(co.Doc.Plan.Base, remote+"/")
	if _, err := co.Repo.Resolve(context.Background(), "refs/remotes/"+remote+"/"+base); err != nil {
		base = ""
	}
	return request{branch: co.Branch, base: base, title: visible.OneLine(co.Doc.Plan.Title, 250), text: text}
}

// forge describes how the program of a host is called. Values are joined to their flags, so that
// none is taken for a flag.
type forge struct {
	program string
	list    func(request) []string
	id      func([]byte) string // of the open pull request in what list printed; "" without one
	create  func(request) []string
	update  func(id string, pr request) []string
}

var forges = []forge{{
	program: "gh",
	list: func(pr request) []string {
		return []string{"pr", "list", "--head=" + pr.branch, "--state=open", "--limit=1", "--json=number"}
	},
	id: firstID,
	create: func(pr request) []string {
		args := []string{"pr", "create", "--head=" + pr.branch, "--title=" + pr.title, "--body-file=-"}
		if pr.base != "" {
			args = append(args, "--base="+pr.base)
		}
		if pr.draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr request) []string { return []string{"pr", "edit", id, "--body-file=-"} },
}, {
	program: "glab",
	list: func(pr request) []string {
		return []string{"mr", "list", "--source-branch=" + pr.branch, "--per-page=1", "--output=json"}
	},
	id: firstID,
	create: func(pr request) []string {
		args := []string{"mr", "create", "--source-branch=" + pr.branch, "--title=" + pr.title, "--description=" + string(pr.text), "--yes"}
		if pr.base != "" {
			args = append(args, "--target-branch="+pr.base)
		}
		if pr.draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr request) []string {
		return []string{"mr", "update", id, "--description=" + string(pr.text)}
	},
}}

// firstID returns the number of the first entry of a list in JSON: GitHub calls it number, GitLab
// iid.
func firstID(list []byte) string {
	var all []struct{ Number, IID int }
	if json.Unmarshal(list, &all) != nil || len(all) == 0 {
		return ""
	}
	return fmt.Sprint(max(all[0].Number, all[0].IID))
}

// forgeOf returns the forge for the address of a remote: glab for a GitLab, else gh; if only one
// of them is installed, that one.
func forgeOf(address string) (forge, bool) {
	order := forges
	if strings.Contains(strings.ToLower(address), "gitlab") {
		order = []forge{forges[1], forges[0]}
	}
	for _, f := range order {
		if _, inTree, ok := proc.FindOutside(f.program); ok && !inTree {
			return f, true
		}
	}
	return forge{}, false
}

// find returns the number of the branch's open pull request; "" without one.
func (f forge) find(ctx context.Context, co *checkout.Checkout, pr request) (string, error) {
	var list bytes.Buffer
	err := f.run(ctx, co, &list, nil, f.list(pr))
	return f.id(list.Bytes()), err
}

// run runs the program at the top of the work tree, with the person's own environment, which
// identifies them to it. It must not ask anything: in a script it would wait forever.
func (f forge) run(ctx context.Context, co *checkout.Checkout, out io.Writer, text []byte, args []string) error {
	said := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: f.program, Args: args, Dir: co.Repo.Top, Outside: true, Stdin: bytes.NewReader(text), Stdout: out, Stderr: said,
		Env: append(os.Environ(), "PATH="+proc.PathOutside(), "GH_PROMPT_DISABLED=1", "NO_PROMPT=1"),
	})
	if err == nil && !exit.OK() {
		err = &fault.Fault{Kind: fault.ErrForge, Text: fmt.Sprintf("%s %s %s exited with %d: %s", f.program, args[0], args[1], exit.Code, visible.OneLine(said.String(), 300)),
			Next: f.program}
	}
	return err
}
