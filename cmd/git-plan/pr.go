package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// formPullRequest is the text of a pull request; it cannot be imported again.
const formPullRequest form.Form = "pr"

var exportForms = []form.Form{form.Own, form.JSON, form.Ralphex, form.Queue, formPullRequest}

func exportCommand(c *command) *cli.Command {
	format, path := string(form.Own), ""
	c.option(&format, "format", "`FORMAT`: "+listed(exportForms))
	c.option(&path, "o", "write to `PATH`, not to standard output")
	return c.define("export", "", "write the plan in another format, or as a pull request", c.do(0, func() error {
		kind, err := formNamed(c, format, exportForms)
		if err != nil {
			return err
		}
		if kind == form.Queue && path == "" {
			return c.misused("a queue is a folder: name it with -o")
		}
		return withPlan(c.Context, func(co *checkout.Checkout) (err error) {
			out := &form.Exported{Files: make([]form.File, 1)}
			if kind == formPullRequest {
				out.Files[0].Text, err = reviewers.PullRequest(c.Context, co)
			} else {
				out, err = form.Export(share.AsItStands(co), kind)
			}
			if err != nil {
				return err
			}
			printNotes(c.Err, out.Notes)
			switch {
			case kind == form.Queue:
				return writeFolder(path, out.Files)
			case path != "":
				return writeNew(path, out.Files[0].Text)
			}
			_, err = c.Out.Write(out.Files[0].Text)
			return err
		})
	}))
}

func writeFolder(path string, files []form.File) error {
	if entries, err := os.ReadDir(path); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: %w", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Join(path, "tasks"), 0o777); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(path, filepath.FromSlash(f.Name)), f.Text); err != nil {
			return err
		}
	}
	return nil
}

func writeNew(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return cmp.Or(err, file.Close())
}

func prCommand(c *command) *cli.Command {
	var draft bool
	c.option(&draft, "draft", "open it as a draft")
	return c.define("pr", "", "push branch and plan, and open or update the pull request",
		c.onLocked(0, func(co *checkout.Checkout, _ *journal.Lock) error {
			text, err := reviewers.PullRequest(c.Context, co)
			if err != nil {
				return err
			}
			if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); err == nil && !ok && !co.Progress.Complete() {
				say(c.Err, "warning: the plan is not approved, and has open steps: %s", co.Progress.Summary())
			}
			remote, noPlan, err := share.PushWork(c.Context, co, share.Way{}) // as git push: with the person's hooks
			if err != nil {
				return err
			}
			say(c.Err, "%s", pushedTo(remote, noPlan))
			address, _ := co.Config.Get("remote." + remote + ".url")
			f, ok := forgeOf(address)
			if !ok {
				say(c.Err, "neither gh nor glab is installed: this is its text, as git plan export --format pr prints it")
				_, err := c.Out.Write(text)
				return err
			}
			base := strings.TrimPrefix(co.Doc.Plan.Base, remote+"/") // as the remote names it, if it is a branch there
			if _, err := co.Repo.Resolve(c.Context, "refs/remotes/"+remote+"/"+base); err != nil {
				base = ""
			}
			pr := pullRequest{Branch: co.Branch, Base: base, Title: visible.OneLine(co.Doc.Plan.Title, 250), Text: text, Draft: draft}
			open, err := f.find(c.Context, co.Repo.Top, pr)
			if err != nil {
				return err
			}
			return f.open(c.Context, co.Repo.Top, open, pr, c.Out)
		}))
}

type pullRequest struct {
	Branch, Base, Title string // an empty base is the forge's own
	Text                []byte
	Draft               bool
}

// forge is how the program of a host is called. Values are joined to their flags, so that none is taken for
// a flag. The person has signed in to the program: no token is read here.
type forge struct {
	program, noun, branch, base string
	list                        []string // options that list the open requests of a branch as JSON
	update                      string
	text                        func([]byte) string
	more                        []string // options of create
}

var (
	github = forge{
		program: "gh", noun: "pr", branch: "--head=", base: "--base=", list: []string{"--state=open", "--limit=1", "--json=number"},
		update: "edit", text: func([]byte) string { return "--body-file=-" },
	}
	gitlab = forge{
		program: "glab", noun: "mr", branch: "--source-branch=", base: "--target-branch=",
		list:   []string{"--per-page=1", "--output=json"},
		update: "update", text: func(text []byte) string { return "--description=" + string(text) }, more: []string{"--yes"},
	}
)

// forgeOf returns glab for the address of a GitLab, else gh; if only one of them is installed, that one.
func forgeOf(address string) (forge, bool) {
	order := []forge{github, gitlab}
	if strings.Contains(strings.ToLower(address), "gitlab") {
		order = []forge{gitlab, github}
	}
	for _, f := range order {
		if _, inTree, ok := proc.FindOutside(f.program); ok && !inTree {
			return f, true
		}
	}
	return forge{}, false
}

// find returns the number of the branch's open pull request; "" without one.
func (f forge) find(ctx context.Context, top string, pr pullRequest) (string, error) {
	var list bytes.Buffer
	err := f.run(ctx, top, &list, nil, append([]string{f.noun, "list", f.branch + pr.Branch}, f.list...))
	var all []struct{ Number, IID int } // as GitHub calls it, and as GitLab does
	if json.Unmarshal(list.Bytes(), &all) != nil || len(all) == 0 {
		return "", err
	}
	return fmt.Sprint(max(all[0].Number, all[0].IID)), err
}

// open opens a pull request, or updates the text of one that has a number.
func (f forge) open(ctx context.Context, top, number string, pr pullRequest, out io.Writer) error {
	if number != "" {
		return f.run(ctx, top, out, pr.Text, []string{f.noun, f.update, number, f.text(pr.Text)})
	}
	args := append([]string{f.noun, "create", f.branch + pr.Branch, "--title=" + pr.Title, f.text(pr.Text)}, f.more...)
	if pr.Base != "" {
		args = append(args, f.base+pr.Base)
	}
	if pr.Draft {
		args = append(args, "--draft")
	}
	return f.run(ctx, top, out, pr.Text, args)
}

// run runs the program with the person's own environment, and without prompts, on which a script would hang.
func (f forge) run(ctx context.Context, top string, out io.Writer, text []byte, args []string) error {
	said := &proc.Tail{}
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: f.program, Args: args, Dir: top, Outside: true, Stdin: bytes.NewReader(text), Stdout: out, Stderr: said,
		Env: append(os.Environ(), "PATH="+proc.PathOutside(), "GH_PROMPT_DISABLED=1", "NO_PROMPT=1"),
	})
	if err == nil && !exit.OK() {
		err = &fault.Fault{Kind: fault.ErrForge, Text: fmt.Sprintf("%s %s %s exited with %d: %s", f.program, args[0], args[1],
			exit.Code, visible.OneLine(said.String(), 300)),
			Next: f.program}
	}
	return err
}
