package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Diff is the difference between two trees, parsed, in git's order of paths.
type Diff struct{ Files []FileDiff }

// FileDiff is what happened to one file.
type FileDiff struct {
	Path             string // after the change; before it if the file was deleted
	OldPath          string // what the file was renamed or copied from, else Path
	Status           byte   // A added, D deleted, M modified, R renamed, C copied, T type changed
	OldMode, NewMode string // octal as in a tree entry; "000000" for none
	OldOID, NewOID   string
	Binary           bool // one of the sides is binary; there are no hunks
	Cut              bool // larger than what is held in memory: the hunks are its beginning
	Later            bool // from WalkDiff: another piece of the same file as before
	Added            int  // bytes of all added lines, held or not
	Hunks            []Hunk
}

// Hunk is one changed region with its context.
type Hunk struct {
	OldStart, NewStart int    // line numbers, from 1
	Symbol             string // what git printed after the second @@: the enclosing function
	Lines              []DiffLine
}

// DiffLine is one line of a hunk, without its line end.
type DiffLine struct {
	Kind     byte // '+', '-' or ' '
	Old, New int  // line numbers on the two sides; 0 if the line is not on that side
	Text     string
}

// diffOptions makes a difference independent of the person's settings and of the branch's attributes.
var diffOptions = []string{
	"-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false",
	"diff-tree", "-r", "-z", "--no-commit-id", "--full-index", "-M", "--no-ext-diff", "--no-textconv",
	"--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty",
	"--diff-algorithm=myers", "--unified=5", "-l1000", // git's own limit for renames
}

// How many bytes of a difference are held in memory. Ten thousand lines of code are about 400 KB.
const (
	maxFile = 2 << 20
	maxDiff = 16 << 20
	maxLine = 64 << 10 // the rest of a longer line is left out
)

// DiffTrees compares two commits or trees by one git process; an empty from is the empty tree. Of a file that
// is too large it holds only the beginning, and says so in Cut.
func DiffTrees(ctx context.Context, r *Repo, from, to string) (d *Diff, err error) {
	err = parsePatch(ctx, r, Command{Args: trees(r, from, to)}, func(p *patchReader) { d = p.diff() })
	return d, err
}

// WalkDiff is DiffTrees for a difference of any size. It calls begin with all files, without hunks; then piece
// with each file, and again for each further piece of a large one.
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

// parsePatch runs git diff-tree with the arguments of c, and has parse read its output meanwhile.
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
	parse(&patchReader{in: bufio.NewReaderSize(out, maxLine), left: maxDiff})
	_, _ = io.Copy(io.Discard, out) // so that git can finish
	return <-done
}

// WrittenPaths returns the files of one commit or tree that another, from, lacks or has with other content.
func WrittenPaths(ctx context.Context, r *Repo, from, to string) ([]string, error) {
	var out bytes.Buffer
	err := diffTree(ctx, r, Command{Args: trees(r, from, to), Stdout: &out}, "--name-only", "--no-renames", "--diff-filter=d")
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == 0 }), err
}

// Written returns the files that a difference makes or changes.
func (d *Diff) Written() (out []string) {
	for _, f := range d.Files {
		if f.Status != 'D' {
			out = append(out, f.Path)
		}
	}
	return out
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
	c.Env = []string{"GIT_DIFF_OPTS=", "GIT_EXTERNAL_DIFF="} // which would override the options
	return r.Run(ctx, c)
}

// ReadPatch parses what WritePatch wrote, as far as it is there.
func ReadPatch(text string) *Diff {
	const begin = "diff --git "
	d := &Diff{}
	for _, part := range strings.Split("\n"+text, "\n"+begin)[1:] {
		names, head, _ := strings.Cut(part, "\n")
		f := FileDiff{Path: names[strings.LastIndex(names, " b/")+len(" b/"):], Status: 'M'}
		switch f.OldPath = f.Path; {
		case strings.HasPrefix(head, "new file"):
			f.Status = 'A'
		case strings.HasPrefix(head, "deleted file"):
			f.Status = 'D'
		}
		p := &patchReader{in: bufio.NewReader(strings.NewReader(begin + part)), left: maxDiff}
		p.file(&f)
		d.Files = append(d.Files, f)
	}
	return d
}

// patchReader parses the output of git diff-tree --raw --patch -z as it arrives.
type patchReader struct {
	in   *bufio.Reader
	left int // bytes of text that may still be held

	begin func(*Diff)     // of WalkDiff
	piece func(*FileDiff) // of WalkDiff: takes what is held, to make room

	next string // the line at which another difference begins; empty for the last
}

// diff reads records of the form ":oldmode newmode oldoid newoid status\0path\0[path\0]" and,
// after one more \0, their patches in the same order: two of them for a changed type.
func (p *patchReader) diff() *Diff {
	d := &Diff{}
	for p.peek(":") {
		f := strings.Fields(p.field()[1:])
		if len(f) != 5 {
			return d
		}
		fd := FileDiff{OldMode: f[0], NewMode: f[1], OldOID: f[2], NewOID: f[3], Status: f[4][0]}
		fd.Path = p.field()
		if fd.OldPath = fd.Path; fd.Status == 'R' || fd.Status == 'C' {
			fd.Path = p.field()
		}
		d.Files = append(d.Files, fd)
	}
	if p.peek("\x00") {
		_, _ = p.in.ReadByte()
	}
	if p.begin != nil {
		p.begin(d)
	}
	for i := range d.Files {
		f := &d.Files[i]
		p.file(f)
		if f.Status == 'T' {
			p.file(f)
		}
		if p.piece != nil {
			p.hand(f)
		}
	}
	return d
}

// hand passes the held part of a file to piece.
func (p *patchReader) hand(f *FileDiff) {
	p.piece(f)
	f.Hunks, f.Later, p.left = nil, true, maxDiff
}

// field reads up to a NUL.
func (p *patchReader) field() string {
	s, _ := p.in.ReadString(0)
	return strings.TrimSuffix(s, "\x00")
}

// line reads one line without its newline, at most maxLine bytes of it; lost is the number of the others.
func (p *patchReader) line() (text string, lost int, ok bool) {
	part, err := p.in.ReadSlice('\n')
	text = string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = p.in.ReadSlice('\n')
		lost += len(part)
	}
	return strings.TrimSuffix(text, "\n"), lost, err == nil || text != ""
}

// peek reports whether the rest of the output begins with prefix.
func (p *patchReader) peek(prefix string) bool {
	next, _ := p.in.Peek(len(prefix))
	return string(next) == prefix
}

// ended reports whether the next difference begins here. No line of a patch can pass for that: the lines of
// files are counted, and git's own begin with words.
func (p *patchReader) ended() bool { return p.next != "" && p.peek(p.next) }

// file reads the patch of one file, as far as there is room.
func (p *patchReader) file(f *FileDiff) {
	const begin = "diff --git "
	for !p.peek(begin) {
		if p.ended() {
			return
		}
		if _, _, ok := p.line(); !ok {
			return
		}
	}
	held := min(p.left, maxFile)
	p.left -= held
	for first := true; first || !p.peek(begin) && !p.ended(); first = false {
		line, _, ok := p.line()
		if !ok {
			break
		}
		if strings.HasPrefix(line, "@@ ") {
			held = p.hunk(f, line, held)
		}
	}
	p.left += held // what this file did not need
	if f.Binary {
		f.Hunks = nil
	}
}

// hunk reads as many lines as its header says, so that no line of a file can pass for a header, holds them as
// far as there is room, and returns the room that is left.
func (p *patchReader) hunk(f *FileDiff, header string, room int) int {
	h, oldLeft, newLeft := parseHeader(header)
	oldLine, newLine := h.OldStart, h.NewStart
	for oldLeft > 0 || newLeft > 0 {
		line, lost, ok := p.line()
		if !ok {
			break
		}
		kind, text := byte(' '), ""
		if line != "" {
			kind, text = line[0], line[1:]
		}
		l := DiffLine{Kind: kind, Text: strings.TrimSuffix(text, "\r")}
		switch kind {
		case '+':
			l.New = newLine
			newLine, newLeft = newLine+1, newLeft-1
		case '-':
			l.Old = oldLine
			oldLine, oldLeft = oldLine+1, oldLeft-1
		case ' ':
			l.Old, l.New = oldLine, newLine
			oldLine, newLine, oldLeft, newLeft = oldLine+1, newLine+1, oldLeft-1, newLeft-1
		default: // "\ No newline at end of file"
			continue
		}
		f.Binary = f.Binary || strings.IndexByte(text, 0) >= 0
		if kind == '+' {
			f.Added += len(text) + 1 + lost
		}
		const perLine = 64 // about what a DiffLine costs besides its text
		room -= len(line) + perLine
		if room < 0 && p.piece != nil && !f.Binary {
			f.Hunks = append(f.Hunks, h)
			p.hand(f)
			h.OldStart, h.NewStart, h.Lines, room = oldLine, newLine, nil, maxFile
		}
		if room < 0 || f.Binary {
			f.Cut = f.Cut || !f.Binary
			continue
		}
		f.Cut = f.Cut || lost > 0
		h.Lines = append(h.Lines, l)
	}
	f.Hunks = append(f.Hunks, h)
	return max(room, 0)
}

// parseHeader reads "@@ -start,count +start,count @@ symbol".
func parseHeader(s string) (h Hunk, oldCount, newCount int) {
	f := strings.SplitN(s, " ", 5)
	if len(f) < 4 {
		return h, 0, 0
	}
	h.OldStart, oldCount = parseRange(f[1])
	h.NewStart, newCount = parseRange(f[2])
	if len(f) == 5 {
		h.Symbol = f[4]
	}
	return h, oldCount, newCount
}

func parseRange(s string) (start, count int) {
	first, second, ok := strings.Cut(s[1:], ",")
	start, _ = strconv.Atoi(first)
	if count = 1; ok {
		count, _ = strconv.Atoi(second)
	}
	return start, count
}

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
