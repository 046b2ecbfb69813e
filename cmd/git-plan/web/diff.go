package web

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Diff is what a commit changed.
type Diff struct {
	Lines []DiffLine
	Cut   bool // there is more of it
}

// DiffLine is a line of a diff: Kind is add, del, hunk, file or "".
type DiffLine struct{ Kind, Text string }

// diffOf returns what a commit changed, at most so many lines of it. Neither a program for diffs
// nor one for files that git would run is asked.
func diffOf(ctx context.Context, co *checkout.Checkout, commit string, most int) (*Diff, error) {
	b, err := co.Repo.Bytes(ctx, "show", "--format=", "--patch", "--stat", "--no-color", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "--end-of-options", commit)
	if err != nil {
		return nil, err
	}
	d := &Diff{}
	for l := range strings.SplitSeq(strings.Trim(string(b), "\n"), "\n") {
		if len(d.Lines) == most {
			d.Cut = true
			break
		}
		d.Lines = append(d.Lines, DiffLine{kindOf(l), visible.Text(visible.Cut(l, 500))})
	}
	return d, nil
}

func kindOf(l string) string {
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "diff "), strings.HasPrefix(l, "index "):
		return "file"
	case strings.HasPrefix(l, "@@"):
		return "hunk"
	case strings.HasPrefix(l, "+"):
		return "add"
	case strings.HasPrefix(l, "-"):
		return "del"
	}
	return ""
}
