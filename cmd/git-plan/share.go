package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/reviewers"
)

func pushCommand(c *command) *cli.Command {
	var all bool
	c.option(&all, "all", "push all plans of the repository")
	return c.define("push", "[<remote>]", "push the plan of this branch to a remote",
		c.inRepo(1, func(co *checkout.Checkout) error {
			remote, err := co.Remote(c.arg(0), true)
			if err != nil {
				return err
			}
			var ids []string
			if !all {
				if err := co.Load(c.Context); err != nil {
					return err
				}
				ids = []string{co.Doc.ID}
			}
			plans, err := share.Push(c.Context, co, remote, ids)
			var failed []error
			for _, p := range plans {
				switch {
				case p.Err != nil:
					failed = append(failed, p.Err)
				case p.There:
					say(c.Out, "%s: %s is up to date", p.ID, remote)
				default:
					say(c.Out, "%s: pushed to %s", p.ID, remote)
				}
			}
			if err != nil {
				return err
			}
			if len(plans) == 0 {
				say(c.Err, "there is no plan to push")
			}
			return errors.Join(failed...)
		}))
}

func fetchCommand(c *command) *cli.Command {
	var ours, theirs bool
	c.option(&ours, "ours", "on conflict, keep what is here")
	c.option(&theirs, "theirs", "on conflict, take what the remote has")
	return c.define("fetch", "[<remote>]", "fetch plans from a remote and merge them step by step",
		c.inRepo(1, func(co *checkout.Checkout) error {
			pick := share.Neither
			switch {
			case ours && theirs:
				return c.misused("--ours and --theirs cannot be used together")
			case ours:
				pick = share.Ours
			case theirs:
				pick = share.Theirs
			}
			remote, err := co.Remote(c.arg(0), false)
			if err != nil {
				return err
			}
			plans, err := share.Fetch(c.Context, co, remote, pick)
			if err != nil {
				return err
			}
			var failed []error
			remotes := co.AtRemotes(c.Context)
			for _, p := range plans {
				if p.Err != nil {
					failed = append(failed, p.Err)
				}
				away := p.Plan != nil && p.Plan.Branch != co.Branch && remotes[p.Plan.Branch] != ""
				say(c.Out, "%s: %s", p.ID, views.Fetched(p, remote, away))
				chosen := share.Neither
				if p.End == share.FetchedMerged {
					chosen = pick
				}
				for _, k := range p.Conflicts {
					views.Conflict(c.Out, k, chosen, remote)
				}
			}
			if len(plans) == 0 {
				say(c.Err, "%s has no plans that you may read", remote)
			}
			return errors.Join(failed...)
		}))
}

// pushLimit is how long a push that no person typed may take, with its hook.
const pushLimit = 30 * time.Minute

// pushAfter pushes branch and plan if plan.push names one of these moments; a failure is only reported.
func pushAfter(c *command, s *gitplan.Steps, moments ...string) {
	if when, _ := s.Checkout.Config.Word("plan.push"); !slices.Contains(moments, when) {
		return
	}
	note := func(format string, a ...any) {
		s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: fmt.Sprintf(format, a...)})
	}
	if why := runner.WhyNotPush(s.Runner.Checkout); why != "" {
		note("not pushed: %s; look at it, then: git push", why)
		return
	}
	hooks, remove, err := install.OwnPush(s.Runner.Checkout)
	if err != nil {
		note("not pushed: %v; the work is here: git push", err)
		return
	}
	defer remove()
	ctx, over := context.WithTimeoutCause(c.Context, pushLimit,
		fault.New(fault.ErrRemote, "git push did not end within %s", pushLimit))
	defer over()
	defer time.AfterFunc(3*time.Second,
		func() { s.Runner.Report(journal.Notice{Kind: journal.SessionText, Reason: "git push"}) }).Stop()
	var remote, noPlan string
	now, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err == nil {
		remote, err = workspace.At(s.Runner, now).WatchUserFiles(ctx, "", checkout.Landing, func() (to string, err error) {
			to, noPlan, err = share.PushWork(ctx, s.Runner.Checkout, share.Way{Hooks: hooks, Env: share.Unasked(s.Runner.Checkout)})
			return to, err
		})
	}
	if err == nil {
		note("%s", pushedTo(remote, noPlan))
		return
	}
	how := "git plan fetch"
	if errors.Is(err, fault.ErrRemote) || errors.Is(err, fault.ErrNoRemote) {
		how = "git push"
	}
	note("not pushed: %s; the work is here, and %s says more", visible.Joined(err.Error(), 1000), how)
}

func pushedTo(remote, noPlan string) string {
	if noPlan == "" {
		return "branch and plan are pushed to " + remote
	}
	return fmt.Sprintf("the branch alone is pushed to %s, which takes no plan: %s; other clones see none of its steps done", remote, noPlan)
}

// formPullRequest is the text of a pull request; it cannot be imported again.
const formPullRequest form.Form = "pr"

var exportForms = []form.Form{form.Own, form.JSON, form.Ralphex, form.Queue, formPullRequest}

func exportCommand(c *command) *cli.Command {
	format, path := string(form.Own), ""
	c.option(&format, "format", "`FORMAT`: "+listed(exportForms))
	c.option(&path, "o", "write to `PATH`, not to standard output")
	return c.define("export", "", "write the plan in another format, or as a pull request",
		c.onPlan(0, func(co *checkout.Checkout) error {
			kind, err := formNamed(c, format, exportForms)
			if err != nil {
				return err
			}
			if kind == form.Queue && path == "" {
				return c.misused("a queue is a folder: name it with -o")
			}
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
			return f.request(c.Context, co.Repo.Top, pr, c.Out)
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

// request opens the pull request of a branch, or updates the text of the one that is open.
func (f forge) request(ctx context.Context, top string, pr pullRequest, out io.Writer) error {
	var list bytes.Buffer
	err := f.run(ctx, top, &list, nil, append([]string{f.noun, "list", f.branch + pr.Branch}, f.list...))
	if err != nil {
		return err
	}
	var open []struct{ Number, IID int } // as GitHub calls it, and as GitLab does
	if json.Unmarshal(list.Bytes(), &open) == nil && len(open) > 0 {
		number := fmt.Sprint(max(open[0].Number, open[0].IID))
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
