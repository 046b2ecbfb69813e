package forge

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

// Request is what a forge's program is given for a pull request.
type Request struct {
	Branch, Base, Title string // an empty base is the forge's own
	Text                []byte
	Draft               bool
}

// Forge describes how the program of a host is called. Values are joined to their flags, so that
// none is taken for a flag.
type Forge struct {
	program string
	list    func(Request) []string // the open pull requests of a branch, as JSON
	create  func(Request) []string
	update  func(id string, pr Request) []string
}

var forges = []Forge{{
	program: "gh",
	list: func(pr Request) []string {
		return []string{"pr", "list", "--head=" + pr.Branch, "--state=open", "--limit=1", "--json=number"}
	},
	create: func(pr Request) []string {
		args := []string{"pr", "create", "--head=" + pr.Branch, "--title=" + pr.Title, "--body-file=-"}
		if pr.Base != "" {
			args = append(args, "--base="+pr.Base)
		}
		if pr.Draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr Request) []string { return []string{"pr", "edit", id, "--body-file=-"} },
}, {
	program: "glab",
	list: func(pr Request) []string {
		return []string{"mr", "list", "--source-branch=" + pr.Branch, "--per-page=1", "--output=json"}
	},
	create: func(pr Request) []string {
		args := []string{"mr", "create", "--source-branch=" + pr.Branch, "--title=" + pr.Title, "--description=" + string(pr.Text), "--yes"}
		if pr.Base != "" {
			args = append(args, "--target-branch="+pr.Base)
		}
		if pr.Draft {
			args = append(args, "--draft")
		}
		return args
	},
	update: func(id string, pr Request) []string {
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

// Of returns the forge for the address of a remote: glab for a GitLab, else gh; if only one
// of them is installed, that one.
func Of(address string) (Forge, bool) {
	order := forges
	if strings.Contains(strings.ToLower(address), "gitlab") {
		order = []Forge{forges[1], forges[0]}
	}
	for _, f := range order {
		if _, inTree, ok := proc.FindOutside(f.program); ok && !inTree {
			return f, true
		}
	}
	return Forge{}, false
}

// Find returns the number of the branch's open pull request; "" without one. top is that of the work
// tree.
func (f Forge) Find(ctx context.Context, top string, pr Request) (string, error) {
	var list bytes.Buffer
	err := f.run(ctx, top, &list, nil, f.list(pr))
	return firstID(list.Bytes()), err
}

// Open opens a pull request, or gives the open one that has a number the new text. What the program
// prints, such as its address, goes to out.
func (f Forge) Open(ctx context.Context, top, number string, pr Request, out io.Writer) error {
	args := f.create(pr)
	if number != "" {
		args = f.update(number, pr)
	}
	return f.run(ctx, top, out, pr.Text, args)
}

// run runs the program at the top of the work tree, with the person's own environment, which
// identifies them to it. It must not ask anything: in a script it would wait forever.
func (f Forge) run(ctx context.Context, top string, out io.Writer, text []byte, args []string) error {
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
