package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/completion"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print the completion for bash, zsh or fish", ArgsUsage: "<shell>",
		Description: "make install puts it where the shells find it. By hand: git plan completion bash goes\n" +
			"behind git's own completion in ~/.bashrc; zsh's into a folder of $fpath as _git-plan;\n" +
			"fish's into ~/.config/fish/completions/git-plan.fish.",
		Action: func(c *cli.Context) error {
			script, ok := completion.Script(c.Args().First())
			if !ok || c.NArg() != 1 {
				return misused(c, "completion takes bash, zsh or fish")
			}
			_, err := io.WriteString(c.App.Writer, script)
			return err
		},
	}
}

// completeCommand prints the candidates. It never fails and says nothing else:
// somebody is typing.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name: "complete", Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 3 || args[1] != "--" {
				return nil
			}
			completion.Complete(c.App.Writer, c.App, args[0], args[2:], func(kind string, before []string) []completion.Candidate { return values(c, kind, before) })
			return nil
		},
	}
}

// values returns what a placeholder may be replaced by here; none for what the shell itself
// completes, such as files.
func values(c *cli.Context, kind string, before []string) []completion.Candidate {
	switch kind {
	case "shell":
		return []completion.Candidate{{Word: "bash"}, {Word: "zsh"}, {Word: "fish"}}
	case "key":
		var out []completion.Candidate
		for _, k := range settings.Keys {
			if slices.Contains(before, k.Name) {
				return nil // there is no second one
			}
			out = append(out, completion.Candidate{Word: k.Name, About: k.Doc})
		}
		return out
	case "page":
		var out []completion.Candidate
		for _, p := range manual(c.App).Pages() {
			name := strings.TrimPrefix(strings.TrimPrefix(p.Name, "gitplan-"), "git-plan-")
			if slices.Contains(before[1:], name) {
				return nil
			}
			if slices.ContainsFunc(out, func(k completion.Candidate) bool { return k.Word == name }) {
				name = p.Name
			}
			out = append(out, completion.Candidate{Word: name, About: p.About})
		}
		return out
	case "form", "format":
		names := map[string]string{"export": forms(exportForms), "review": strings.Join(reviewForms, ", ")}
		var out []completion.Candidate
		for _, name := range strings.Split(cmp.Or(names[before[0]], forms(form.Forms())), ", ") {
			out = append(out, completion.Candidate{Word: name})
		}
		return out
	case "id": // of a session, or the step that it worked on
		kind = "step"
	case "name":
		kind = before[0] + " name"
	case "finding", "step", "step>/<n", "plan", "version> [<version>", "ref", "remote":
	default:
		return nil
	}
	var out []completion.Candidate
	_ = withRepository(c.Context, func(co *checkout.Checkout) error { // without a repository there are none
		out = namesIn(c.Context, co, kind)
		return nil
	})
	return slices.DeleteFunc(out, func(k completion.Candidate) bool { return kind != "plan" && slices.Contains(before, k.Word) })
}

func namesIn(ctx context.Context, co *checkout.Checkout, kind string) (out []completion.Candidate) {
	switch kind {
	case "step":
		if p, ok := co.Text(ctx); ok {
			for _, s := range p.Steps {
				out = append(out, completion.Candidate{Word: s.ID, About: s.Title})
			}
		}
	case "finding":
		_ = co.Load(ctx) // without a plan the findings are the branch's
		if l, err := ledger.Last(ctx, co.Store, co.Doc, co.Branch); err == nil && l != nil {
			for _, f := range append(l.Standing(), l.With(finding.Dismissed)...) {
				out = append(out, completion.Candidate{Word: ledger.Short(f.ID), About: f.Title})
			}
		}
	case "step>/<n":
		kept, _ := attempts.Names(ctx, co)
		for _, name := range kept {
			out = append(out, completion.Candidate{Word: name})
		}
	case "plan":
		plans, _ := co.Repo.Refs(ctx, "refs/plans/")
		for _, p := range plans {
			out = append(out, completion.Candidate{Word: strings.TrimPrefix(p.Name, "refs/plans/"), About: p.Subject})
		}
	case "ref":
		refs, _ := co.Repo.Refs(ctx, "refs/heads/", "refs/remotes/", "refs/tags/")
		for _, r := range refs {
			_, name, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
			out = append(out, completion.Candidate{Word: name, About: r.Subject})
		}
	case "review name":
		all, _ := reviewers.Configured(ctx, co, co.PlanBase(ctx), []string{"all"}, nil)
		for _, r := range all {
			out = append(out, completion.Candidate{Word: r.Name()})
		}
	case "new name":
		base, _ := co.Base(ctx, "")
		for _, name := range co.Templates(ctx, base) {
			out = append(out, completion.Candidate{Word: name})
		}
	case "remote":
		for _, name := range co.Config.Names("remote", "url") {
			out = append(out, completion.Candidate{Word: name})
		}
	}
	return out
}
