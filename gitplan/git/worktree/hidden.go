package worktree

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// inIndex is what an index holds in addition to files.
type inIndex struct {
	submodules []string // that git looks at
	links      bool     // it has submodules, whether git looks at them or not
	unmerged   bool
}

// staged reads an index, by default that of the work tree: without a process, if it has a form
// that this program can read.
func staged(ctx context.Context, r *git.Repo, env []string) (in inIndex, err error) {
	if len(env) == 0 {
		data, err := os.ReadFile(r.IndexFile())
		if errors.Is(err, os.ErrNotExist) {
			return in, nil
		}
		if err == nil && eachEntry(data, len(r.Zero())/2, in.add) {
			return in, nil
		}
	}
	var list bytes.Buffer
	if err := r.Run(ctx, git.Command{Args: []string{"ls-files", "--stage", "-z"}, Env: env, Stdout: &list}); err != nil {
		return in, err
	}
	in = inIndex{}
	for entry := range bytes.SplitSeq(list.Bytes(), []byte{0}) {
		meta, path, ok := bytes.Cut(entry, []byte{'\t'})
		if !ok {
			continue
		}
		in.unmerged = in.unmerged || !bytes.HasSuffix(meta, []byte(" 0"))
		if bytes.HasPrefix(meta, []byte("160000 ")) {
			in.submodules, in.links = append(in.submodules, string(path)), true
		}
	}
	return in, nil
}

func (in *inIndex) add(e indexEntry) {
	in.unmerged = in.unmerged || e.flags&stages != 0
	if e.mode&fileKind != gitlink {
		return
	}
	if in.links = true; e.more&skipped == 0 {
		in.submodules = append(in.submodules, e.name)
	}
}

// overwrite runs a git command that replaces index and tracked files, such as `reset --hard`.
// A person who hides a file from git (assume-unchanged) keeps changes in it that no commit is
// to have, and git would overwrite them: so these files are marked skip-worktree meanwhile,
// which git leaves alone.
func overwrite(ctx context.Context, r *git.Repo, args ...string) error {
	entries, err := taggedEntries(ctx, r, func(tag string) bool { return tag != "s" && tag != strings.ToUpper(tag) })
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return r.Run(ctx, git.Command{Args: args, Writes: true})
	}
	if err := markEntries(ctx, r, "--skip-worktree", entries); err != nil {
		return err
	}
	// In a sparse checkout git would look at them all the same.
	err = r.Run(ctx, git.Command{Args: append([]string{"-c", "core.sparseCheckout=false"}, args...), Writes: true})
	ctx = context.WithoutCancel(ctx)
	left, e := taggedEntries(ctx, r, func(tag string) bool { return tag == "s" })
	left = slices.DeleteFunc(left, func(p string) bool { return !slices.Contains(entries, p) })
	return cmp.Or(err, e, markEntries(ctx, r, "--no-skip-worktree", left))
}

// taggedEntries returns the paths in the index for whose tag (see git ls-files -v) has returns true.
func taggedEntries(ctx context.Context, r *git.Repo, has func(tag string) bool, env ...string) (out []string, err error) {
	var list strings.Builder
	if err := r.Run(ctx, git.Command{Args: []string{"ls-files", "-v", "-z"}, Env: env, Stdout: &list}); err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(list.String(), "\x00") {
		if tag, path, ok := strings.Cut(entry, " "); ok && has(tag) {
			out = append(out, path)
		}
	}
	return out, nil
}

// markEntries sets or clears a flag of entries of the index, by an option of git update-index.
func markEntries(ctx context.Context, r *git.Repo, flag string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", flag, "-z", "--stdin"},
		Stdin: nulEnded(paths), Writes: true})
}

// RestorePaths resets the index and some files to head (empty: no commit). The caller must first
// keep what this would lose.
func RestorePaths(ctx context.Context, r *git.Repo, head string, paths []string) error {
	reset := []string{"reset", "--quiet"}
	if head == "" {
		reset = []string{"read-tree", "--empty"}
	}
	if err := r.Run(ctx, git.Command{Args: reset, Writes: true}); err != nil {
		return err
	}
	var tracked, added []string
	for _, p := range paths {
		if _, err := r.Resolve(ctx, head+":"+p); head != "" && err == nil {
			tracked = append(tracked, p)
		} else {
			added = append(added, p)
		}
	}
	if err := removeFiles(r, added); err != nil || len(tracked) == 0 {
		return err
	}
	return r.Run(ctx, git.Command{Args: []string{"checkout-index", "--force", "--quiet", "--index", "-z", "--stdin"},
		Stdin: nulEnded(tracked), Writes: true})
}

// removeFiles removes files, and the folders that are empty then.
func removeFiles(r *git.Repo, paths []string) error {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range paths {
		_ = root.Remove(path)
		for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
			if info, err := root.Lstat(dir); err != nil || !info.IsDir() || root.Remove(dir) != nil {
				break // not empty, or no folder any more
			}
		}
	}
	return nil
}
