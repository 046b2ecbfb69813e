package git

import (
	"context"
	"fmt"
	"strings"
)

// MergeDiffs returns for each merge the files that differ from all of its parents, by one git process: an entry
// without lines for each parent.
func MergeDiffs(ctx context.Context, r *Repo, merges []Commit) ([]*Diff, error) {
	if len(merges) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, c := range merges {
		in.WriteString(c.OID + "\n")
	}
	var out strings.Builder
	args := []string{"diff-tree", "-r", "-c", "--raw", "-z", "--no-renames", "--full-index", "--no-ext-diff", "--ignore-submodules=dirty", "--always", "--stdin"}
	if err := r.Run(ctx, Command{Args: args, Stdin: strings.NewReader(in.String()), Stdout: &out}); err != nil {
		return nil, err
	}
	diffs := ofMerges(strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00"))
	if len(diffs) != len(merges) {
		return nil, fmt.Errorf("git diff-tree printed %d merges, not %d", len(diffs), len(merges))
	}
	return diffs, nil
}

// ofMerges parses the names of merges, each followed by "::mode mode mode oid oid oid status" and a path for
// each file: with a colon, a mode and an object name for each parent.
func ofMerges(fields []string) (out []*Diff) {
	for i := 0; i < len(fields); i++ {
		head := strings.TrimLeft(fields[i], ":")
		n := len(fields[i]) - len(head)
		if n == 0 {
			out = append(out, &Diff{})
			continue
		}
		f := strings.Fields(head)
		i++
		if len(f) != 2*n+3 || i == len(fields) || len(out) == 0 {
			return nil
		}
		d := out[len(out)-1]
		for p := range n {
			d.Files = append(d.Files, FileDiff{
				Path: fields[i], OldPath: fields[i], Status: f[2*n+2][p],
				OldMode: f[p], NewMode: f[n], OldOID: f[n+1+p], NewOID: f[2*n+1], Cut: true,
			})
		}
	}
	return out
}
