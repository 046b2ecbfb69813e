package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Folders and files that only compilers, interpreters and test runners write, so that a status takes them for ignored
// without a .gitignore. node_modules is not among them, since some repositories commit it.
var (
	artefactFolders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
		".tox", ".nox", ".nyc_output"}
	artefactFiles = []string{".coverage", ".DS_Store", "Thumbs.db"}
)

// ArtefactLine returns the line of .gitignore, and the part it matches, for a path that only a tool writes; or "".
func ArtefactLine(path string) (line, at string) {
	from := 0
	for name := range strings.SplitSeq(path, "/") {
		to := from + len(name)
		switch last := to == len(path); {
		case !last && slices.Contains(artefactFolders, name):
			return name + "/", path[:to+1]
		case last && slices.Contains(artefactFiles, name):
			return name, path
		}
		from = to + 1
	}
	return "", ""
}

// NotIgnored returns the paths that git would not ignore if rules, by path, were the .gitignore files.
func NotIgnored(ctx context.Context, r *git.Repo, rules map[string][]byte, paths []string) (out []string, err error) {
	top, remove, err := tempFolder(r)
	if err != nil {
		return nil, err
	}
	defer remove()
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for path, text := range rules {
		if err := errors.Join(root.MkdirAll(filepath.Dir(path), 0o700), root.WriteFile(path, text, 0o600)); err != nil {
			return nil, err
		}
	}
	ignored, err := checkIgnore(ctx, r, git.Command{Env: []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + top},
		Args: []string{"-C", top, "check-ignore", "-z", "--stdin", "--no-index"}}, paths)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return ignored[p] }), err
}

// WouldIgnore returns the paths, existing or not, that git ignores and does not track.
func WouldIgnore(ctx context.Context, r *git.Repo, paths []string) (map[string]bool, error) {
	return checkIgnore(ctx, r, git.Command{Args: []string{"check-ignore", "-z", "--stdin"}}, paths)
}

func checkIgnore(ctx context.Context, r *git.Repo, c git.Command, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	c.Stdin = nulTerminated(paths)
	out, err := r.Capture(ctx, c)
	return SetOf(git.Names(out)), git.Allow(1, err) // exit code 1: none is ignored
}

// Attributes returns the values of attributes set for the files of a tree, by path and name. With the tree of
// another branch, a branch cannot exempt its own files from review.
func Attributes(ctx context.Context, r *git.Repo, tree string,
	names, paths []string) (map[string]map[string]string, error) {
	found := map[string]map[string]string{}
	// The option --source of check-attr needs git 2.40.
	_, err := inOwnIndex(ctx, r, cmp.Or(tree, r.EmptyTree()), func(env []string) (string, error) {
		out, err := r.Capture(ctx, git.Command{Args: append([]string{"check-attr", "--cached", "--stdin", "-z"}, names...),
			Env: env, Stdin: nulTerminated(paths)})
		fields := strings.Split(out, "\x00")
		for ; len(fields) >= 3; fields = fields[3:] {
			if fields[2] == "unspecified" {
				continue
			}
			if found[fields[0]] == nil {
				found[fields[0]] = map[string]string{}
			}
			found[fields[0]][fields[1]] = fields[2]
		}
		return "", err
	})
	return found, err
}

// AsCheckedOut gives changed files the bytes and modes that a checkout of their commit would have, where git converts
// (line ends, $Id$, filters, encodings) or ignores modes, so that checks judge what is committed. It also rewrites
// tracked files written since a time that git calls unmodified although a checkout would write other bytes.
func AsCheckedOut(ctx context.Context, r *git.Repo, config *git.Config, paths []string, since time.Time) error {
	file := func(p string) fs.FileInfo {
		if info, err := os.Lstat(filepath.Join(r.Top, p)); err == nil && info.Mode().IsRegular() && disk.Direct(r.Top, p) {
			return info
		}
		return nil
	}
	files, changed := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return file(p) == nil }), SetOf(paths)
	if !mayConvert(r, config, files, slices.Clip(contentsOf(r.IndexFile(), len(r.Zero())/2).folders)) {
		return nil
	}
	var tracked []string
	list, err := entries(ctx, r, nil, true)
	for _, e := range list {
		if e.mode&fileKind == regular && e.flags&(stages|assumed) == 0 && e.more&skipped == 0 && !changed[e.name] {
			tracked = append(tracked, e.name)
		}
	}
	if err != nil {
		return err
	}
	tracked = slices.DeleteFunc(tracked, func(p string) bool {
		info := file(p)
		return info == nil || proc.Changed(info).Before(since)
	})
	if len(files)+len(tracked) == 0 {
		return nil
	}
	tree, err := Snapshot(ctx, r, append(slices.Clip(files), tracked...))
	if err != nil {
		return err
	}
	checkOut := func(env []string, to string, files []string) error { // the index has no times: each file is written
		return r.Run(ctx, git.Command{Args: []string{"checkout-index", "--force", "--prefix=" + to, "-z", "--stdin"},
			Stdin: nulTerminated(files), Env: env})
	}
	_, err = inOwnIndex(ctx, r, tree, func(env []string) (string, error) {
		to, remove, err := tempFolder(r)
		if err != nil {
			return "", err
		}
		defer remove()
		if len(tracked) > 0 {
			err = checkOut(env, to+"/", tracked)
		}
		for _, p := range tracked {
			if !sameContent(filepath.Join(to, p), filepath.Join(r.Top, p)) {
				files = append(files, p)
			}
		}
		if len(files) > 0 {
			err = errors.Join(err, checkOut(env, "", files))
		}
		return "", err
	})
	return err
}

// sameContent reports whether two files have the same bytes, and both or neither are executable.
func sameContent(a, b string) bool {
	is, err := os.Stat(a)
	was, gone := os.Stat(b)
	one, unread := os.ReadFile(a)
	other, lost := os.ReadFile(b)
	return errors.Join(err, gone, unread, lost) == nil && is.Mode()&0o100 == was.Mode()&0o100 && bytes.Equal(one, other)
}

// mayConvert reports whether configuration or attributes may make git convert some files, or any in some folders.
func mayConvert(r *git.Repo, config *git.Config, files, folders []string) bool {
	crlf, _ := config.Get("core.autocrlf")
	if crlf != "" && !strings.EqualFold(crlf, "false") || !config.Bool("core.filemode", true) {
		return true
	}
	global, ok := config.Get("core.attributesFile")
	if !ok {
		global = filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), "~/.config"), "git", "attributes")
	}
	attributes := map[string]bool{"/etc/gitattributes": true, r.Expand(global): true,
		filepath.Join(r.CommonDir, "info", "attributes"): true}
	for _, p := range files {
		for dir := filepath.Dir(p); dir != "."; dir = filepath.Dir(dir) {
			folders = append(folders, dir)
		}
	}
	for _, dir := range append(folders, ".") {
		attributes[filepath.Join(r.Top, dir, ".gitattributes")] = true
	}
	for name := range attributes {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}
