package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

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
		program: "glab", noun: "mr", branch: "--source-branch=", base: "--target-branch=", list: []string{"--per-page=1", "--output=json"},
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
		err = &fault.Fault{Kind: fault.ErrForge, Text: fmt.Sprintf("%s %s %s exited with %d: %s", f.program, args[0], args[1], exit.Code, visible.OneLine(said.String(), 300)),
			Next: f.program}
	}
	return err
}
