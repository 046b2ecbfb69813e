package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/reviewers"
)

// export is one form in which a plan leaves git plan.
type export struct {
	name, what string
	write      func(*cli.Context, *gitplan.Checkout, io.Writer) error
}

// exports is the table of them.
func exports() []export {
	return []export{
		{"pr", "the text of a pull request: what was done, checked, found, dismissed and assumed", exportPullRequest},
	}
}

func exportCommand() *cli.Command {
	var names, words []string
	for _, e := range exports() {
		names = append(names, e.name)
		words = append(words, fmt.Sprintf("%s: %s.", e.name, e.what))
	}
	return &cli.Command{
		Name: "export", Usage: "print the plan in another form", Description: strings.Join(words, "\n"),
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Usage: "`FORM`: " + strings.Join(names, ", ")}},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			i := slices.IndexFunc(exports(), func(e export) bool { return e.name == c.String("format") })
			if i < 0 {
				return misused(c, "--format is one of %s, not %q", strings.Join(names, ", "), c.String("format"))
			}
			return withPlan(c.Context, func(co *gitplan.Checkout) error {
				return exports()[i].write(c, co, c.App.Writer)
			})
		},
	}
}

func exportPullRequest(c *cli.Context, co *gitplan.Checkout, w io.Writer) error {
	tree, err := co.Repo.Resolve(c.Context, "HEAD^{tree}")
	if err != nil {
		return err
	}
	pr := &reviewers.PullRequest{Plan: co.Doc.Plan, Progress: co.Progress, HeadTree: tree}
	data, err := co.Store.File(c.Context, co.Doc, gitplan.ReviewFile)
	if err == nil && data != nil {
		pr.Ledger, err = reviewers.ParseLedger(data)
	}
	if err == nil {
		_, err = pr.WriteTo(w)
	}
	return err
}
