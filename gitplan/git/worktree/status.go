// Package worktree reads and changes the index and the files of a work tree, and makes clones. It loses nothing that the
// user hides from git or that git does not track.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Status is the state of a work tree as git sees it. All paths are below the top folder, with slashes.
type Status struct {
	Head      string // the commit's object name; empty on an unborn branch
	Branch    string // the branch's short name; empty if HEAD is detached
	Changed   []Change
	Untracked []string // without ignored ones
	Ignored   []string // files, and folders with a slash; only from ReadStatusIgnored
	Artefacts []string // unignored paths that only tools write, in the form of Ignored; see ArtefactLine
	Unignored []string // paths of Untracked that git ignores by rules of a session, which do not count; set by callers
	Inside    []string // submodules with uncommitted changes
	Unread    []string // folders that git cannot read, so that no commit has their files
}

// Change is one tracked path that differs from HEAD in the index or the tree.
type Change struct {
	Path      string
	XY        string // the states in index and work tree by `git status --porcelain=v2`; "." is unchanged
	Unmerged  bool
	Submodule bool
}

// Clean reports whether nothing is staged or modified; untracked files do not count.
func (s *Status) Clean() bool { return len(s.Changed) == 0 }

// Paths returns the paths of all changes.
func (s *Status) Paths() []string { return s.PathsOf(func(Change) bool { return true }) }

// Unstaged returns the paths whose files differ from the index.
func (s *Status) Unstaged() []string {
	return s.PathsOf(func(c Change) bool { return c.Unmerged || c.XY[1] != '.' })
}

// Staged returns the paths whose entries in the index differ from HEAD.
func (s *Status) Staged() []string { return s.PathsOf(func(c Change) bool { return c.XY[0] != '.' }) }

// Unmerged returns the paths with conflicts that are not resolved.
func (s *Status) Unmerged() []string { return s.PathsOf(func(c Change) bool { return c.Unmerged }) }

// PathsOf returns the paths of the changes for which is returns true.
func (s *Status) PathsOf(is func(Change) bool) (out []string) {
	for _, c := range s.Changed {
		if is(c) {
			out = append(out, c.Path)
		}
	}
	return out
}

// InTheWay returns the paths that cannot be checked out, since an untracked or ignored file is at, above or below them.
func (s *Status) InTheWay(top string, paths []string) (out []string) {
	all := slices.Concat(s.Untracked, s.Ignored)
	untracked, above := SetOf(all), PathSet{}
	for _, path := range all {
		for at := filepath.Dir(path); at != "." && !above[at]; at = filepath.Dir(at) {
			above[at] = true
		}
	}
	repositories := s.Repositories(top)
	for _, path := range paths {
		within := func(at string) bool {
			return disk.Within(strings.TrimSuffix(at, string(filepath.Separator)+".git"), filepath.Join(top, path))
		}
		at := path // a file or a link above the path blocks it, too
		for ; at != "."; at = filepath.Dir(at) {
			if info, err := os.Lstat(filepath.Join(top, at)); err == nil && (at == path || !info.IsDir()) {
				break
			}
		}
		if untracked.Has(at) || above[path] || slices.ContainsFunc(repositories, within) {
			out = append(out, path)
		}
	}
	return out
}

// Repositories returns the .git of untracked and ignored repositories, and the folders of bare ones.
func (s *Status) Repositories(top string) (out []string) {
	for _, name := range slices.Concat(s.Untracked, s.Ignored) {
		dir := strings.TrimSuffix(name, "/")
		if dir == name { // git lists the files of an untracked bare one
			if dir = strings.TrimSuffix(name, "/HEAD"); dir == name {
				continue
			}
		}
		has := func(part string) bool {
			_, err := os.Lstat(filepath.Join(top, dir, part))
			return err == nil
		}
		if has(".git") {
			out = append(out, filepath.Join(top, dir, ".git"))
		} else if has("HEAD") && has("objects") && has("refs") {
			out = append(out, filepath.Join(top, dir))
		}
	}
	return out
}

// PathSet is a set of files, and of folders with a final slash.
type PathSet map[string]bool

// SetOf returns the set of some paths.
func SetOf(lists ...[]string) PathSet {
	out := PathSet{}
	for _, list := range lists {
		for _, path := range list {
			out[path] = true
		}
	}
	return out
}

// Has reports whether the set has a path, or a folder above it.
func (s PathSet) Has(path string) bool {
	for at := path; at != "."; at = filepath.Dir(at) {
		if s[at] || at != path && s[at+"/"] {
			return true
		}
	}
	return false
}

// ReadStatusIgnored is ReadStatus with Status.Ignored.
func ReadStatusIgnored(ctx context.Context, r *git.Repo) (*Status, error) {
	return ReadStatus(ctx, r, "--ignored=matching")
}

// ReadStatus returns the state of the work tree and of its submodules, by one git process and another for each
// submodule. more are options of git status. The error is git.ErrWouldHang if git would wait forever.
func ReadStatus(ctx context.Context, r *git.Repo, more ...string) (*Status, error) {
	submodules := "--ignore-submodules=dirty" // git runs no git in a submodule, where other settings apply
	if _, err := os.Stat(filepath.Join(r.GitDir, "info/sparse-checkout")); r.PrivateWorktree && err == nil {
		// git looks at files outside of the patterns, despite sparse.expectFilesOutsideOfPatterns
		hidden, err := Hidden(ctx, r)
		var there []string
		for _, f := range hidden {
			there = append(there, f.Path)
		}
		if err = errors.Join(err, updateIndex(ctx, r, nil, there, "--no-skip-worktree")); err != nil {
			return nil, err
		}
	}
	var out, said bytes.Buffer
	err := r.Run(ctx, git.Command{Stdout: &out, Stderr: &said,
		Args: append([]string{"--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch",
			"--untracked-files=all", submodules, "--no-renames", "--no-ahead-behind"}, more...)})
	if err != nil {
		return nil, err
	}
	s := &Status{}
	for _, entry := range strings.Split(out.String(), "\x00") {
		s.add(entry)
	}
	s.Untracked = slices.DeleteFunc(s.Untracked, func(path string) bool {
		line, at := ArtefactLine(path)
		if line != "" && !slices.Contains(s.Artefacts, at) {
			s.Artefacts = append(s.Artefacts, at)
		}
		return line != ""
	})
	if len(more) > 0 {
		s.Ignored = append(s.Ignored, s.Artefacts...)
	}
	if said.Len() > 0 { // there is a warning, perhaps about a folder that git cannot read
		s.Unread = slices.DeleteFunc(unreadable(r), SetOf(s.Ignored).Has)
	}
	return s, inSubmodules(ctx, r, s)
}

// unreadable returns the folders of the work tree, each with a slash, that this user cannot read or enter.
func unreadable(r *git.Repo) (folders []string) {
	_ = filepath.WalkDir(r.Top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case d == nil || !d.IsDir():
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		}
		if _, closed := os.Lstat(name + "/."); err != nil || closed != nil {
			rel, _ := filepath.Rel(r.Top, name)
			folders = append(folders, filepath.ToSlash(rel)+"/")
			return fs.SkipDir
		}
		return nil
	})
	return folders
}

// add adds one entry of git status --porcelain=v2.
func (s *Status) add(entry string) {
	if len(entry) < 2 {
		return
	}
	switch rest := entry[2:]; entry[0] {
	case '#':
		key, value, _ := strings.Cut(rest, " ")
		if key == "branch.oid" && value != "(initial)" {
			s.Head = value
		}
		if key == "branch.head" && value != "(detached)" {
			s.Branch = value
		}
	case '1': // XY sub mH mI mW hH hI path
		if f := strings.SplitN(rest, " ", 8); len(f) == 8 {
			s.Changed = append(s.Changed, Change{Path: f[7], XY: f[0], Submodule: f[1][0] == 'S'})
		}
	case 'u': // XY sub m1 m2 m3 mW h1 h2 h3 path
		if f := strings.SplitN(rest, " ", 10); len(f) == 10 {
			s.Changed = append(s.Changed, Change{Path: f[9], XY: f[0], Unmerged: true})
		}
	case '?':
		s.Untracked = append(s.Untracked, rest)
	case '!':
		s.Ignored = append(s.Ignored, rest)
	}
}
