package rules

import (
	"errors"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// file makes the difference of one file from lines marked "+", "-" or " ". Its
// blobs are named by the path, so that Change.Read finds them.
func file(path string, marked ...string) git.FileDiff {
	f := git.FileDiff{Path: path, OldPath: path, Status: 'M', OldOID: "old:" + path, NewOID: "new:" + path}
	h := git.Hunk{OldStart: 1, NewStart: 1}
	before, after := 0, 0
	for _, m := range marked {
		l := git.DiffLine{Kind: m[0], Text: m[1:]}
		if l.Kind != '+' {
			before++
			l.Old = before
		}
		if l.Kind != '-' {
			after++
			l.New = after
		}
		if l.Kind == '+' {
			f.Added += len(l.Text) + 1
		}
		h.Lines = append(h.Lines, l)
	}
	if before == 0 {
		f.Status, f.OldOID = 'A', "0000000000000000000000000000000000000000"
	}
	f.Hunks = []git.Hunk{h}
	return f
}

// change makes a change of such files.
func change(files ...git.FileDiff) Change {
	blobs := map[string]string{}
	for _, f := range files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Kind != '+' {
					blobs[f.OldOID] += l.Text + "\n"
				}
				if l.Kind != '-' {
					blobs[f.NewOID] += l.Text + "\n"
				}
			}
		}
	}
	read := func(oid string) ([]byte, error) {
		if b, ok := blobs[oid]; ok {
			return []byte(b), nil
		}
		return nil, errors.New("no such blob")
	}
	stream := func(oid string, read func(io.Reader) error) error { return read(strings.NewReader(blobs[oid])) }
	return Change{Diff: &git.Diff{Files: files}, Read: read, Stream: stream}
}
