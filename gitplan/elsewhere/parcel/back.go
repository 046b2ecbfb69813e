package parcel

import (
	"context"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Return writes a pack of a tree, without what is in the one that it was made of. Each object in it
// is whole.
func Return(ctx context.Context, r *git.Repo, base, tree string, w io.Writer) error {
	return r.Run(ctx, git.Command{Args: []string{"pack-objects", "--revs", "--window=0", "--no-reuse-delta", "--stdout", "--quiet"},
		Stdin: strings.NewReader(tree + "\n^" + base + "\n"), Stdout: w})
}
