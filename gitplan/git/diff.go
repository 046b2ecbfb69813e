package git

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Diff is the difference between two trees, parsed, in git's order of paths.
type Diff struct{ Files []FileDiff }

// FileDiff is what happened to one file.
type FileDiff struct {
	Path             string // the path after the change; of a deleted file the one before
	OldPath          string // the path that the file was renamed or copied from; otherwise Path
	Status           byte   // A added, D deleted, M modified, R renamed, C copied, T type changed
	OldMode, NewMode string // octal as in a tree entry; "000000" for none
	OldOID, NewOID   string
	Binary           bool // one side is binary; there are no hunks
	Cut              bool // the difference is too large for memory: the hunks are its beginning
	Later            bool // WalkDiff has passed an earlier piece of the file
	Added            int  // the size of all added lines in bytes, also of those that Cut leaves out
	Hunks            []Hunk
}

// Hunk is one changed region with its context.
type Hunk struct {
	OldStart, NewStart int    // line numbers, from 1
	Symbol             string // the enclosing function, which git prints after the second @@
	Lines              []DiffLine
}

// DiffLine is one line of a hunk, without its line end.
type DiffLine struct {
	Kind     byte // '+', '-' or ' '
	Old, New int  // line numbers on the two sides; 0 if the line is not on that side
	Text     string
}

// diffOptions make a difference independent of the person's settings and of the branch's attributes.
var diffOptions = []string{
	"-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false",
	"diff-tree", "-r", "-z", "--no-commit-id", "--full-index", "-M", "--no-ext-diff", "--no-textconv",
	"--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty",
	"--diff-algorithm=myers", "--unified=5", "-l1000", // git's own limit for renames
}

// The maximum sizes in memory, in bytes. Ten thousand lines of code are about 400 KB.
const (
	maxFile = 2 << 20  // the difference of one file
	maxDiff = 16 << 20 // the whole difference
	maxLine = 64 << 10 // one line; the rest of a longer one is left out
)

// DiffTrees compares two commits or trees by one git process; an empty from is the empty tree. See FileDiff.Cut.
func DiffTrees(ctx context.Context, r *Repo, from, to string) (d *Diff, err error) {
	err = parsePatch(ctx, r, Command{Args: trees(r, from, to)}, func(p *patchReader) { d = p.diff() })
	return d, err
}

// WalkDiff is DiffTrees for a difference of any size. It calls begin with all files, without hunks; then piece with each
// file, for a large one several times; see FileDiff.Later.
func WalkDiff(ctx context.Context, r *Repo, from, to string, begin func(*Diff), piece func(*FileDiff)) error {
	return parsePatch(ctx, r, Command{Args: trees(r, from, to)}, func(p *patchReader) {
		p.begin, p.piece = begin, piece
		p.diff()
	})
}

// DiffPairs returns the differences of many pairs of trees, in their order, by one git process.
func DiffPairs(ctx context.Context, r *Repo, pairs [][2]string) (diffs []*Diff, err error) {
	titles := make([]string, len(pairs)+1) // the lines that separate differences
	for i, pair := range pairs {
		titles[i] = cmp.Or(pair[0], r.EmptyTree()) + " " + cmp.Or(pair[1], r.EmptyTree()) + "\n"
	}
	c := Command{Args: []string{"--stdin"}, Stdin: strings.NewReader(strings.Join(titles, ""))}
	err = parsePatch(ctx, r, c, func(p *patchReader) {
		for i := 0; i < len(pairs) && p.peek(titles[i]); i++ {
			_, _, _ = p.line()
			p.next = titles[i+1]
			diffs = append(diffs, p.diff())
		}
	})
	if err == nil && len(diffs) != len(pairs) {
		err = fmt.Errorf("git diff-tree printed %d differences, not %d", len(diffs), len(pairs))
	}
	return diffs, err
}

// parsePatch runs git diff-tree with the arguments of c while parse reads its output.
func parsePatch(ctx context.Context, r *Repo, c Command, parse func(*patchReader)) error {
	out, in := io.Pipe()
	defer out.Close() // lets git end, should parse not return
	done := make(chan error, 1)
	c.Stdout = in
	go func() {
		err := diffTree(ctx, r, c, "--raw", "--patch", "--text")
		in.Close()
		done <- err
	}()
	parse(&patchReader{in: bufio.NewReaderSize(out, maxLine), memory: maxDiff})
	_, _ = io.Copy(io.Discard, out) // so that git can finish
	return <-done
}

// WrittenPaths returns the files of the commit or tree to that from lacks or has with other content.
func WrittenPaths(ctx context.Context, r *Repo, from, to string) ([]string, error) {
	var out strings.Builder
	c := Command{Args: trees(r, from, to), Stdout: &out}
	err := diffTree(ctx, r, c, "--name-only", "--no-renames", "--diff-filter=d")
	return Names(out.String()), err
}

// WritePatch writes the difference as text, for people and models. It only names binary files.
func WritePatch(ctx context.Context, r *Repo, w io.Writer, from, to string) error {
	return diffTree(ctx, r, Command{Args: trees(r, from, to), Stdout: w}, "--patch")
}

// trees returns the arguments by which git diff-tree compares two trees.
func trees(r *Repo, from, to string) []string {
	return []string{"--end-of-options", cmp.Or(from, r.EmptyTree()), to}
}

func diffTree(ctx context.Context, r *Repo, c Command, options ...string) error {
	c.Args = slices.Concat(diffOptions, options, c.Args)
	c.Env = []string{"GIT_DIFF_OPTS=", "GIT_EXTERNAL_DIFF="} // the environment overrides options
	return r.Run(ctx, c)
}

// MergeDiffs returns, by one git process, the files of merges that differ from all parents: an entry each, no lines.
func MergeDiffs(ctx context.Context, r *Repo, merges []Commit) ([]*Diff, error) {
	if len(merges) == 0 {
		return nil, nil
	}
	var names strings.Builder
	for _, c := range merges {
		names.WriteString(c.OID + "\n")
	}
	args := []string{"diff-tree", "-r", "-c", "--raw", "-z", "--no-renames", "--full-index", "--no-ext-diff",
		"--ignore-submodules=dirty", "--always", "--stdin"}
	out, err := r.Capture(ctx, Command{Args: args, Stdin: strings.NewReader(names.String())})
	if err != nil {
		return nil, err
	}
	// The name of a merge of two parents is followed by "::mode mode mode oid oid oid status" and a path for each file.
	var diffs []*Diff
	fields := Names(out)
	for i := 0; i < len(fields); i++ {
		head := strings.TrimLeft(fields[i], ":")
		n := len(fields[i]) - len(head)
		if n == 0 {
			diffs = append(diffs, &Diff{})
			continue
		}
		f := strings.Fields(head)
		if i++; len(f) != 2*n+3 || i == len(fields) || len(diffs) == 0 {
			return nil, fmt.Errorf("git diff-tree printed %q", head)
		}
		d := diffs[len(diffs)-1]
		for p := range n {
			d.Files = append(d.Files, FileDiff{
				Path: fields[i], OldPath: fields[i], Status: f[2*n+2][p],
				OldMode: f[p], NewMode: f[n], OldOID: f[n+1+p], NewOID: f[2*n+1], Cut: true,
			})
		}
	}
	if len(diffs) != len(merges) {
		return nil, fmt.Errorf("git diff-tree printed %d merges, not %d", len(diffs), len(merges))
	}
	return diffs, nil
}
