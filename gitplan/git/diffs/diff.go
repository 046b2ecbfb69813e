package diffs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Diff is a parsed difference between two trees, in git's order of paths.
type Diff struct{ Files []FileDiff }

// FileDiff is what happened to one file.
type FileDiff struct {
	Path             string // after the change; before it where the file was deleted
	OldPath          string // where the file was renamed or copied from, else Path
	Status           byte   // A added, D deleted, M modified, R renamed, C copied, T type changed
	OldMode, NewMode string // octal as in a tree entry; "000000" if there is none
	OldOID, NewOID   string
	Binary           bool // one of the sides is not text; there are no hunks
	Cut              bool // it is larger than is held in memory: the hunks are its beginning
	Later            bool // from Walk: a further piece of the file before
	Added            int  // bytes of all added lines, held or not
	Hunks            []Hunk
}

// Hunk is one changed region with its context.
type Hunk struct {
	OldStart, NewStart int    // line numbers, from 1
	Symbol             string // what git wrote behind the second @@: the enclosing function
	Lines              []Line
}

// Line is one line of a hunk, without its line end.
type Line struct {
	Kind     byte // '+', '-' or ' '
	Old, New int  // line numbers on the two sides; 0 where the line is not on that side
	Text     string
}

// diffOptions make a difference independent of the person's settings, and let
// no attribute of a branch hide a line of it. -z keeps paths as they are.
var diffOptions = []string{
	"-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false",
	"diff-tree", "-r", "-z", "--no-commit-id", "--full-index", "-M", "--no-ext-diff", "--no-textconv",
	"--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty",
	"--diff-algorithm=myers", "--unified=5", "-l1000", // git's own limit for renames
}

// What of a difference is held in memory, in bytes of text: a session may write
// any amount. Ten thousand lines of code are about 400 KB.
const (
	maxFile = 2 << 20
	maxDiff = 16 << 20
	maxLine = 64 << 10 // of one line; the rest of it is left out
)

// Between compares two commits or trees, by one git process. An empty from is the
// empty tree. Of a file that is too large only the beginning is held; it says so.
func Between(ctx context.Context, r *git.Repo, from, to string) (*Diff, error) {
	out, in := io.Pipe()
	parsed := make(chan *Diff, 1)
	go func() {
		p := patchReader{in: bufio.NewReaderSize(out, maxLine), left: maxDiff}
		parsed <- p.diff()
		_, _ = io.Copy(io.Discard, out) // git is let finish
	}()
	err := diffTree(ctx, r, in, from, to, "--raw", "--patch", "--text")
	in.Close()
	return <-parsed, err
}

// Walk is Diff for a difference of any size: it holds a piece of one file at a
// time. begin is called once with all files, without hunks; piece with each
// file, and again with the same one for each further piece of a large file.
func Walk(ctx context.Context, r *git.Repo, from, to string, begin func(*Diff), piece func(*FileDiff)) error {
	out, in := io.Pipe()
	defer out.Close() // lets git end, should a function not return
	done := make(chan error, 1)
	go func() {
		err := diffTree(ctx, r, in, from, to, "--raw", "--patch", "--text")
		in.Close()
		done <- err
	}()
	p := patchReader{in: bufio.NewReaderSize(out, maxLine), left: maxDiff, begin: begin, piece: piece}
	p.diff()
	_, _ = io.Copy(io.Discard, out) // git is let finish
	return <-done
}

// Written lists the files that are other, or not there at all, in the first of two
// commits or trees, and there in the second. An empty from is the empty tree.
func Written(ctx context.Context, r *git.Repo, from, to string) ([]string, error) {
	var out bytes.Buffer
	err := diffTree(ctx, r, &out, from, to, "--name-only", "--no-renames", "--diff-filter=d")
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == 0 }), err
}

// WritePatch writes the difference as text, for people and models. Binary files are
// only named.
func WritePatch(ctx context.Context, r *git.Repo, w io.Writer, from, to string) error {
	return diffTree(ctx, r, w, from, to, "--patch")
}

func diffTree(ctx context.Context, r *git.Repo, w io.Writer, from, to string, options ...string) error {
	if from == "" {
		from = r.EmptyTree()
	}
	args := append(append(append([]string{}, diffOptions...), options...), "--end-of-options", from, to)
	// These two would override the options.
	return r.Run(ctx, git.Command{Args: args, Stdout: w, Env: []string{"GIT_DIFF_OPTS=", "GIT_EXTERNAL_DIFF="}})
}

// patchReader reads what git diff-tree --raw --patch -z writes, as it comes.
type patchReader struct {
	in   *bufio.Reader
	left int // bytes of text that may still be held

	begin func(*Diff)     // of Walk
	piece func(*FileDiff) // of Walk: takes what is held, so that room is free again

	next string // the line at which another difference begins; empty for the last
}

// diff reads ":oldmode newmode oldoid newoid status\0path\0[path\0]" records
// and, behind one more \0, their patches: in the same order, a changed type as
// two of them.
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

// hand gives away what is held of a file.
func (p *patchReader) hand(f *FileDiff) {
	p.piece(f)
	f.Hunks, f.Later, p.left = nil, true, maxDiff
}

// field reads up to a NUL.
func (p *patchReader) field() string {
	s, _ := p.in.ReadString(0)
	return strings.TrimSuffix(s, "\x00")
}

// line reads one line without its newline, at most maxLine bytes of it; lost are
// those beyond.
func (p *patchReader) line() (text string, lost int, ok bool) {
	part, err := p.in.ReadSlice('\n')
	text = string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = p.in.ReadSlice('\n')
		lost += len(part)
	}
	return strings.TrimSuffix(text, "\n"), lost, err == nil || text != ""
}

// peek reports whether what comes next begins with prefix.
func (p *patchReader) peek(prefix string) bool {
	next, _ := p.in.Peek(len(prefix))
	return string(next) == prefix
}

// ended reports that the next difference begins here. No line of a patch passes
// for that: a file's lines are counted, and git's own begin with words.
func (p *patchReader) ended() bool { return p.next != "" && p.peek(p.next) }

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

// hunk reads as many lines as its header counts, so that no line of a file can
// pass for a header, and holds them as far as there is room. It returns the room
// that is left.
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
		l := Line{Kind: kind, Text: strings.TrimSuffix(text, "\r")}
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
		const perLine = 64 // about what a Line costs besides its text
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
