package git

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
)

// Diff is a parsed difference between two trees, in git's order of paths.
type Diff struct{ Files []FileDiff }

// FileDiff is what happened to one file.
type FileDiff struct {
	Path             string // after the change; before it where the file was deleted
	OldPath          string // where the file was renamed or copied from, else Path
	Status           byte   // A added, D deleted, M modified, R renamed, C copied, T type changed
	OldMode, NewMode string // octal as in a tree entry; "000000" where there is none
	OldOID, NewOID   string
	Binary           bool // one of the sides is not text; there are no hunks
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
	"--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=none",
	"--diff-algorithm=myers", "--unified=5",
}

// Diff compares two commits or trees, by one git process. An empty from is the
// empty tree.
func (r *Repo) Diff(ctx context.Context, from, to string) (*Diff, error) {
	var out bytes.Buffer
	if err := r.diffTree(ctx, &out, from, to, "--raw", "--patch", "--text"); err != nil {
		return nil, err
	}
	d, patch := parseRaw(out.String())
	parsePatch(patch, d)
	return d, nil
}

// Patch writes the difference as text, for people and models. Binary files are
// only named.
func (r *Repo) Patch(ctx context.Context, w io.Writer, from, to string) error {
	return r.diffTree(ctx, w, from, to, "--patch")
}

func (r *Repo) diffTree(ctx context.Context, w io.Writer, from, to string, options ...string) error {
	if from == "" {
		from = r.EmptyTree()
	}
	args := append(append(append([]string{}, diffOptions...), options...), "--end-of-options", from, to)
	// These two would override the options.
	return r.Run(ctx, Command{Args: args, Stdout: w, Env: []string{"GIT_DIFF_OPTS=", "GIT_EXTERNAL_DIFF="}})
}

// parseRaw reads ":oldmode newmode oldoid newoid status\0path\0[path\0]" records
// and returns what is behind them: after one more \0, the patch.
func parseRaw(out string) (d *Diff, patch string) {
	d = &Diff{}
	next := func() string {
		field, rest, _ := strings.Cut(out, "\x00")
		out = rest
		return field
	}
	for strings.HasPrefix(out, ":") {
		f := strings.Fields(next()[1:])
		if len(f) != 5 {
			break
		}
		fd := FileDiff{OldMode: f[0], NewMode: f[1], OldOID: f[2], NewOID: f[3], Status: f[4][0]}
		fd.Path = next()
		if fd.OldPath = fd.Path; fd.Status == 'R' || fd.Status == 'C' {
			fd.Path = next()
		}
		d.Files = append(d.Files, fd)
	}
	return d, strings.TrimPrefix(out, "\x00")
}

// parsePatch fills in the hunks of d from a patch that git wrote for the same
// two trees: its files come in the same order, a changed type as two of them.
func parsePatch(patch string, d *Diff) {
	p := patchReader{rest: patch}
	for i := range d.Files {
		f := &d.Files[i]
		p.file(f)
		if f.Status == 'T' {
			p.file(f)
		}
	}
}

type patchReader struct{ rest string }

func (p *patchReader) next() (string, bool) {
	if p.rest == "" {
		return "", false
	}
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	return line, true
}

// peek reports whether the next line begins with prefix.
func (p *patchReader) peek(prefix string) bool { return strings.HasPrefix(p.rest, prefix) }

func (p *patchReader) file(f *FileDiff) {
	for p.rest != "" && !p.peek("diff --git ") {
		p.next()
	}
	p.next()
	for p.rest != "" && !p.peek("diff --git ") {
		line, _ := p.next()
		if strings.HasPrefix(line, "@@ ") {
			p.hunk(f, line)
		}
	}
	if f.Binary {
		f.Hunks = nil
	}
}

// hunk reads as many lines as its header counts, so that no line of a file can
// pass for a header.
func (p *patchReader) hunk(f *FileDiff, header string) {
	h, oldLeft, newLeft := parseHeader(header)
	oldLine, newLine := h.OldStart, h.NewStart
	for oldLeft > 0 || newLeft > 0 {
		line, ok := p.next()
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
		h.Lines = append(h.Lines, l)
	}
	f.Hunks = append(f.Hunks, h)
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
