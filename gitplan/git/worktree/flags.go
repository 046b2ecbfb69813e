package worktree

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// HiddenEdits returns the files that are hidden from git (assume-unchanged, skip-worktree) and
// differ from what git last wrote: no commit has their contents. It starts no process if the
// index has a form that it can read.
func HiddenEdits(ctx context.Context, r *git.Repo) (out []RawFile, err error) {
	hidden, err := hiddenFiles(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, was := range hidden {
		now := RawFileOf(r, filepath.FromSlash(was.Path))
		now.Path = was.Path
		file := now.Mode.IsRegular() || now.Mode&fs.ModeSymlink != 0
		if same := uint32(now.Size) == uint32(was.Size) && sameTime(now.Time, was.Time); file && !now.Time.IsZero() && !same {
			out = append(out, now)
		}
	}
	return out, nil
}

// hiddenFiles returns the files that are hidden from git, with size and time if the index has a
// form that it can read.
func hiddenFiles(ctx context.Context, r *git.Repo) (hidden []RawFile, err error) {
	data, err := os.ReadFile(r.IndexFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	hidden, ok := hiddenEntries(data, len(r.Zero())/2)
	if ok {
		return hidden, nil
	}
	paths, err := hiddenPaths(ctx, r)
	for _, p := range paths {
		hidden = append(hidden, RawFile{Path: p})
	}
	return hidden, err
}

// sameTime reports whether a file has the time in an index, which some gits write in seconds.
func sameTime(file, index time.Time) bool {
	return file.Equal(index) || index.Nanosecond() == 0 && file.Unix() == index.Unix() && file.Nanosecond() == 0
}

// Offsets and flags of an entry of an index, see gitformat-index(5).
const (
	entryTime   = 8        // of the file's time: seconds, then nanoseconds
	entryMode   = 24       // of the file's kind and mode
	entrySize   = 36       // of the file's size
	entryName   = 40       // of the object's name, which the flags follow
	assumed     = 0x8000   // flag: assume-unchanged
	extended    = 0x4000   // flag: two more bytes of flags follow
	skipped     = 0x4000   // flag in those: skip-worktree
	stages      = 0x3000   // of the flags: not 0 for an entry that is not merged
	fileKind    = 0o170000 // of the mode
	gitlink     = 0o160000 // a submodule's commit
	headerBytes = 12
)

// hiddenEntries returns the hidden entries of an index, with size and time of each file when
// git wrote it; oid is the length of an object's name in bytes. ok is false if the index has
// another form.
func hiddenEntries(data []byte, oid int) (out []RawFile, ok bool) {
	ok = eachEntry(data, oid, func(e indexEntry) {
		if e.flags&assumed != 0 || e.more&skipped != 0 {
			seconds, nanos := binary.BigEndian.Uint32(e.head[entryTime:]), binary.BigEndian.Uint32(e.head[entryTime+4:])
			out = append(out, RawFile{Path: e.name, Time: time.Unix(int64(seconds), int64(nanos)), Size: int64(binary.BigEndian.Uint32(e.head[entrySize:]))})
		}
	})
	return out, ok
}

// indexEntry is one entry of an index.
type indexEntry struct {
	head        []byte // the bytes before the object's name
	mode        uint32
	flags, more uint16
	name        string
}

// eachEntry calls visit with each entry of an index; oid is the length of an object's name in
// bytes. ok is false if the index has another form than version 2 or 3, as one file.
func eachEntry(data []byte, oid int, visit func(indexEntry)) (ok bool) {
	if len(data) < headerBytes+oid || string(data[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 3 {
		return false
	}
	at, end := headerBytes, len(data)-oid
	for range count {
		flagged := at + entryName + oid
		if flagged+2 > end {
			return false
		}
		e := indexEntry{head: data[at : at+entryName], mode: binary.BigEndian.Uint32(data[at+entryMode:])}
		name := flagged + 2
		if e.flags = binary.BigEndian.Uint16(data[flagged:]); e.flags&extended != 0 && name+2 <= end {
			e.more, name = binary.BigEndian.Uint16(data[name:]), name+2
		}
		n := bytes.IndexByte(data[name:end], 0)
		if n < 0 {
			return false
		}
		e.name = string(data[name : name+n])
		visit(e)
		at += (name - at + n + 8) &^ 7
	}
	// A split index has its entries in another file.
	return at <= end && !strings.HasPrefix(string(data[at:min(at+4, end)]), "link")
}
