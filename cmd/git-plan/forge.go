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

// pullRequest is what a forge's program is given.
type pullRequest struct {
	Branch, Base, Title string // an empty base is the forge's own
	Text                []byte
	Draft               bool
}

// forge says how the program of a host is called: gh for GitHub, glab for GitLab. Values are joined
// to their flags, so that none is taken for a flag. The person has signed in to the program: no token
// is read here.
type forge struct {
	program string
	list    func(pullRequest) []string // the open pull requests of a branch, as JSON
	create  func(pullRequest) []string
	update  func(id string, pr pullRequest) []string
}

var forges = []forge{{
	program: "gh",
	list: func(pr pullRequest) []string {
		return []string{"pr", "list", "--head=" + pr.Branch, "--state=open", "--limit=1", "--json=number"}
	},
	create: func(pr pullRequest) []string {
		args := []string{"pr", "create", "--head=" + pr.Branch, "--title=" + pr.Title, "--body-file=-"}
		if pr.Base != "" {
			args = append(args, "--base="+pr.Base)
		}
		if pr.Draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr pullRequest) []string { return []string{"pr", "edit", id, "--body-file=-"} },
}, {
	program: "glab",
	list: func(pr pullRequest) []string {
		return []string{"mr", "list", "--source-branch=" + pr.Branch, "--per-page=1", "--output=json"}
	},
	create: func(pr pullRequest) []string {
		args := []string{"mr", "create", "--source-branch=" + pr.Branch, "--title=" + pr.Title, "--description=" + string(pr.Text), "--yes"}
		if pr.Base != "" {
			args = append(args, "--target-branch="+pr.Base)
		}
		if pr.Draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr pullRequest) []string {
		return []string{"mr", "update", id, "--description=" + string(pr.Text)}
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

// find returns the number of the branch's open pull request; "" without one. top is that of the work
// tree.
func (f forge) find(ctx context.Context, top string, pr pullRequest) (string, error) {
	var list bytes.Buffer
	err := f.run(ctx, top, &list, nil, f.list(pr))
	return firstID(list.Bytes()), err
}

// open opens a pull request, or gives the open one that has a number the new text. What the program
// prints, such as its address, goes to out.
func (f forge) open(ctx context.Context, top, number string, pr pullRequest, out io.Writer) error {
	args := f.create(pr)
	if number != "" {
		args = f.update(number, pr)
	}
	return f.run(ctx, top, out, pr.Text, args)
}

// run runs the program at the top of the work tree, with the person's own environment, which
// identifies them to it. It must not ask anything: in a script it would wait forever.
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
