package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// DiffPairs returns the differences of many pairs of trees, in their order, by one git process.
// An empty name is the empty tree.
func DiffPairs(ctx context.Context, r *Repo, pairs [][2]string) ([]*Diff, error) {
	var in strings.Builder
	for i := range pairs {
		for j := range pairs[i] {
			if pairs[i][j] == "" {
				pairs[i][j] = r.EmptyTree()
			}
		}
		fmt.Fprintf(&in, "%s %s\n", pairs[i][0], pairs[i][1])
	}
	out, patches := io.Pipe()
	parsed := make(chan []*Diff, 1)
	go func() {
		p := patchReader{in: bufio.NewReaderSize(out, maxLine), left: maxDiff}
		parsed <- p.diffs(pairs)
		_, _ = io.Copy(io.Discard, out) // so that git can finish
	}()
	args := append(append([]string{}, diffOptions...), "--raw", "--patch", "--text", "--stdin")
	err := r.Run(ctx, Command{Args: args, Stdin: strings.NewReader(in.String()), Stdout: patches, Env: []string{"GIT_DIFF_OPTS=", "GIT_EXTERNAL_DIFF="}})
	patches.Close()
	diffs := <-parsed
	if err == nil && len(diffs) != len(pairs) {
		err = fmt.Errorf("git diff-tree printed %d differences, not %d", len(diffs), len(pairs))
	}
	return diffs, err
}

// diffs reads one difference after another, each after a line that names its pair.
func (p *patchReader) diffs(pairs [][2]string) (out []*Diff) {
	title := func(i int) string {
		if i >= len(pairs) {
			return ""
		}
		return pairs[i][0] + " " + pairs[i][1] + "\n"
	}
	for i := range pairs {
		if !p.peek(title(i)) {
			return out
		}
		_, _, _ = p.line()
		p.next = title(i + 1)
		out = append(out, p.diff())
	}
	return out
}
