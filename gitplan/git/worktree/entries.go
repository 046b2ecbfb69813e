package worktree

import (
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
	entryMode   = 24       // the offset of the file's kind and mode
	entryName   = 40       // the offset of the object's name, which the flags follow
	assumed     = 0x8000   // the flag assume-unchanged
	extended    = 0x4000   // the flag for two more bytes of flags
	skipped     = 0x4000   // the flag skip-worktree, in the extended flags
	stages      = 0x3000   // the bits of the stage in the flags; 0 for a merged entry
	fileKind    = 0o170000 // the bits of the kind in the mode
	gitlink     = 0o160000 // the kind of a submodule's commit
	regular     = 0o100000 // the kind of a file
	folder      = 0o040000 // the kind of a folder whose files a sparse index leaves out
	headerBytes = 12       // the size of the header
)

// indexEntry is one entry of an index.
type indexEntry struct {
	mode        uint32
	flags, more uint16
	name        string
	at, end     int // the entry's offsets in the index
}

// contents are the parts of an index that each task needs many times.
type contents struct {
	file       fs.FileInfo  // the state of the index when it was read; nil if there is none
	complete   bool         // all entries are in one file of a version that eachEntry can read
	flagged    []indexEntry // the entries with assume-unchanged or skip-worktree
	submodules []string     // the paths of submodules
	folders    []string     // the folders with tracked files, without the top folder
}

// lastRead caches the contents of each index by its path.
var lastRead sync.Map

// contentsOf returns the contents of an index, also of a split one, without starting a process. It reads the index only
// if it was written, since this takes as long as git status. oid is the size of an object name in bytes.
func contentsOf(index string, oid int) (c contents) {
	c.file, _ = os.Stat(index)
	split := disk.Glob(filepath.Dir(index), "sharedindex.*")
	if last, ok := lastRead.Load(index); ok && c.file != nil && len(split) == 0 &&
		git.SameFile(last.(contents).file, c.file) {
		return last.(contents)
	}
	seen, last := PathSet{".": true}, "" // last is the folder of the previous entry
	for _, file := range append(split, index) {
		data, _ := disk.ReadRegular(file)
		c.complete = eachEntry(string(data), oid, func(e indexEntry) {
			if e.flags&assumed != 0 || e.more&skipped != 0 {
				e.name = strings.Clone(e.name)
				if n := len(c.flagged); n == cap(c.flagged) { // a sparse checkout has many such entries
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

// eachEntry calls visit with each entry of an index of version 2, 3 or 4; object names have oid bytes. ok is false for
// a part of an index, or a damaged one.
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
		if version == 4 { // the name is a suffix for the previous one, from which the given number of bytes is cut
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

// entries returns the entries of an index, by default the work tree's, without starting a process if eachEntry can read
// it. A sparse one has folders instead of files, unless whole is true.
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
	out, err := r.Capture(ctx, git.Command{Args: []string{"ls-files", "--stage", "-v", "-z"}, Env: env})
	for entry := range strings.SplitSeq(out, "\x00") {
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

// Tracked returns the regular files in the index of a work tree, sorted. If git fails the list is incomplete.
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

// Hidden returns the existing files and links that are hidden from git (assume-unchanged, skip-worktree), so that no
// commit has changes of them. It starts no process if eachEntry can read the index.
func Hidden(ctx context.Context, r *git.Repo) (out []RawFile, err error) {
	hidden, err := hiddenFiles(ctx, r)
	gone := "/" // a missing folder, as most are in a sparse checkout, whose files need no Lstat; no path begins with /
	for _, name := range hidden {
		if strings.HasPrefix(name, gone) {
			continue
		}
		switch now := RawFileOf(r, name); {
		case now.Time.IsZero():
			if _, err := os.Lstat(filepath.Join(r.Top, path.Dir(name))); errors.Is(err, fs.ErrNotExist) {
				gone = path.Dir(name) + "/"
			}
		case now.Mode.IsRegular(), now.Mode&fs.ModeSymlink != 0:
			out = append(out, now)
		}
	}
	return out, err
}

// hiddenFiles returns the paths in the index that are hidden from git.
func hiddenFiles(ctx context.Context, r *git.Repo) ([]string, error) {
	return flagged(ctx, r, func(assumes, skips bool) bool { return assumes || skips })
}

// flagged returns the paths for which has, called with the flags assume-unchanged and skip-worktree, returns true.
func flagged(ctx context.Context, r *git.Repo, has func(assumes, skips bool) bool) (out []string, err error) {
	list := contentsOf(r.IndexFile(), len(r.Zero())/2)
	if !list.complete {
		list.flagged, err = entries(ctx, r, nil, false)
	}
	out = make([]string, 0, len(list.flagged))
	for _, e := range list.flagged {
		if has(e.flags&assumed != 0, e.more&skipped != 0) {
			out = append(out, e.name)
		}
	}
	return out, err
}

// updateIndex runs git update-index with options for some paths of the index that env names, or the work tree's.
func updateIndex(ctx context.Context, r *git.Repo, env, paths []string, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: slices.Concat([]string{"update-index"}, options, []string{"-z", "--stdin"}),
		Env: env, Stdin: nulTerminated(paths), Writes: len(env) == 0})
}

// Unhide removes the flags that hide paths from git.
func Unhide(ctx context.Context, r *git.Repo, paths []string) error {
	return errors.Join(updateIndex(ctx, r, nil, paths, "--no-assume-unchanged"),
		updateIndex(ctx, r, nil, paths, "--no-skip-worktree"))
}

// overwrite runs a git command that replaces index and tracked files, such as `reset --hard`. It protects files that the
// user hides with assume-unchanged by marking them skip-worktree meanwhile.
func overwrite(ctx context.Context, r *git.Repo, args ...string) error {
	hidden, err := flagged(ctx, r, func(assumes, skips bool) bool { return assumes && !skips })
	if err != nil {
		return err
	}
	if len(hidden) == 0 {
		return r.Run(ctx, git.Command{Args: args, Writes: true})
	}
	if err := updateIndex(ctx, r, nil, hidden, "--skip-worktree"); err != nil {
		return err
	}
	// In a sparse checkout git ignores skip-worktree of files that match its patterns.
	err = r.Run(ctx, git.Command{Args: append([]string{"-c", "core.sparseCheckout=false"}, args...), Writes: true})
	ctx = context.WithoutCancel(ctx)
	left, listed := flagged(ctx, r, func(assumes, skips bool) bool { return assumes && skips })
	left = slices.DeleteFunc(left, func(p string) bool { return !slices.Contains(hidden, p) })
	return errors.Join(err, listed, updateIndex(ctx, r, nil, left, "--no-skip-worktree"))
}

// pinSubmodules marks submodules skip-worktree in the index that env names, so that git runs no git in them, where other
// settings apply. unmerged reports whether the index has conflicts.
func pinSubmodules(ctx context.Context, r *git.Repo, env []string) (unmerged bool, err error) {
	var submodules []string
	list, err := entries(ctx, r, env, true)
	for _, e := range list {
		unmerged = unmerged || e.flags&stages != 0
		if e.mode&fileKind == gitlink && e.more&skipped == 0 {
			submodules = append(submodules, e.name)
		}
	}
	if err != nil {
		return unmerged, err
	}
	return unmerged, updateIndex(ctx, r, env, submodules, "--skip-worktree")
}
