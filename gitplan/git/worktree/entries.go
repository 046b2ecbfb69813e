package worktree

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Offsets and flags of an entry of an index, see gitformat-index(5).
const (
	entryMode   = 24       // of the file's kind and mode
	entryName   = 40       // of the object's name, which the flags follow
	assumed     = 0x8000   // flag: assume-unchanged
	extended    = 0x4000   // flag: two more bytes of flags follow
	skipped     = 0x4000   // flag in those: skip-worktree
	stages      = 0x3000   // of the flags: not 0 for an entry that is not merged
	fileKind    = 0o170000 // of the mode
	gitlink     = 0o160000 // a submodule's commit
	regular     = 0o100000 // a file
	folder      = 0o040000 // that is left out of a sparse index, with all that is in it
	headerBytes = 12
)

// indexEntry is one entry of an index.
type indexEntry struct {
	mode        uint32
	flags, more uint16
	name        string
	at, end     int // where it is in the index
}

// contents are the parts of an index that every task asks for, many times.
type contents struct {
	file       fs.FileInfo  // the index as it was read; nil if there is none
	whole      bool         // the entries are all in one file, of a version that eachEntry can read
	flagged    []indexEntry // assume-unchanged or skip-worktree
	submodules []string
	folders    []string // with tracked files, without the top folder
}

// lastRead has the contents of each index by its path, as they were read last.
var lastRead sync.Map

// contentsOf returns the contents of an index, of all its files if it is split, without starting a process; it reads an index
// again only after it was written, which takes as long as git status in a large repository. oid is the length of an
// object's name in bytes.
func contentsOf(index string, oid int) (c contents) {
	c.file, _ = os.Stat(index)
	split := disk.Glob(filepath.Dir(index), "sharedindex.*")
	if last, ok := lastRead.Load(index); ok && c.file != nil && len(split) == 0 && git.SameFile(last.(contents).file, c.file) {
		return last.(contents)
	}
	seen, last := PathSet{".": true}, "" // the folder of the entry before
	for _, file := range append(split, index) {
		data, _ := disk.ReadRegular(file)
		c.whole = eachEntry(string(data), oid, func(e indexEntry) {
			if e.flags&assumed != 0 || e.more&skipped != 0 {
				e.name = strings.Clone(e.name)
				if n := len(c.flagged); n == cap(c.flagged) { // a sparse checkout has very many
					c.flagged = slices.Grow(c.flagged, n+1)
				}
				c.flagged = append(c.flagged, e)
			}
			if e.mode&fileKind == gitlink && filepath.IsLocal(e.name) && !slices.Contains(c.submodules, e.name) {
				c.submodules = append(c.submodules, strings.Clone(e.name))
			}
			at := e.name[:max(0, strings.LastIndexByte(e.name, '/'))]
			if at == last {
				return
			}
			last = at
			for dir := path.Dir(e.name); !seen[dir] && filepath.IsLocal(dir); dir = path.Dir(dir) {
				dir = strings.Clone(dir)
				seen[dir], c.folders = true, append(c.folders, dir)
			}
		}) || c.file == nil
	}
	if c.file != nil && len(split) == 0 {
		lastRead.Store(index, c)
	}
	return c
}

// eachEntry calls visit with each entry of an index; oid is the length of an object's name in bytes. ok is
// false if the index has another form than version 2, 3 or 4, as one file.
func eachEntry(data string, oid int, visit func(indexEntry)) (ok bool) {
	if len(data) < headerBytes+oid || data[:4] != "DIRC" {
		return false
	}
	number := func(at int) uint32 {
		return uint32(data[at])<<24 | uint32(data[at+1])<<16 | uint32(data[at+2])<<8 | uint32(data[at+3])
	}
	version := number(4)
	if version < 2 || version > 4 {
		return false
	}
	at, end, last := headerBytes, len(data)-oid, ""
	for range number(8) {
		flagged := at + entryName + oid
		if flagged+2 > end {
			return false
		}
		e := indexEntry{mode: number(at + entryMode), at: at}
		name := flagged + 2
		if e.flags = uint16(number(flagged - 2)); e.flags&extended != 0 && name+2 <= end {
			e.more, name = uint16(number(name-2)), name+2
		}
		if version == 4 { // a name begins as the last one does, without so many bytes
			cut := 0
			for name++; name < end && data[name-1]&128 != 0; name++ {
				cut = (cut + int(data[name-1]&127) + 1) << 7
			}
			cut += int(data[name-1] & 127)
			e.name = last[:max(0, len(last)-max(0, cut))]
		}
		n := strings.IndexByte(data[min(name, end):end], 0)
		if n < 0 {
			return false
		}
		e.name += data[name : name+n]
		last = e.name
		if at += (name - at + n + 8) &^ 7; version == 4 {
			at = name + n + 1
		}
		e.end = at
		visit(e)
	}
	// A split index has its entries in another file.
	return at <= end && !strings.HasPrefix(data[at:end], "link")
}

// entries returns the entries of an index, by default that of the work tree, without starting a process if eachEntry can
// read it. A sparse one has folders in place of files, unless whole is true.
func entries(ctx context.Context, r *git.Repo, env []string, whole bool) (list []indexEntry, err error) {
	if len(env) == 0 {
		data, err := os.ReadFile(r.IndexFile())
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		folders := false
		list = make([]indexEntry, 0, len(data)/(2*entryName))
		if err == nil && eachEntry(string(data), len(r.Zero())/2, func(e indexEntry) {
			list, folders = append(list, e), folders || e.mode&fileKind == folder
		}) && !(whole && folders) {
			return list, nil
		}
		list = nil
	}
	var out bytes.Buffer
	err = r.Run(ctx, git.Command{Args: []string{"ls-files", "--stage", "-v", "-z"}, Env: env, Stdout: &out})
	for entry := range strings.SplitSeq(out.String(), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		f := strings.Fields(about) // tag, mode, object, stage
		if len(f) != 4 {
			continue
		}
		mode, _ := strconv.ParseUint(f[1], 8, 32)
		e := indexEntry{name: name, mode: uint32(mode), flags: uint16(f[3][0]-'0') << 12}
		if f[0] != strings.ToUpper(f[0]) {
			e.flags |= assumed
		}
		if strings.EqualFold(f[0], "S") {
			e.more = skipped
		}
		list = append(list, e)
	}
	return list, err
}

// Tracked returns the regular files in the index of a work tree, sorted; those that git listed until it failed.
func Tracked(ctx context.Context, r *git.Repo) (files []string) {
	list, _ := entries(ctx, r, nil, true)
	files = make([]string, 0, len(list))
	for _, e := range list {
		if e.mode&fileKind == regular && e.flags&stages == 0 {
			files = append(files, e.name)
		}
	}
	return files
}
