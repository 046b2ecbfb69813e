package worktree

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// cloneTo makes a clone of this repository in dir, which must not exist, with no files checked
// out, and returns a git that runs in the folder above it. The clone borrows the objects of this repository;
// those of a shallow one are copied.
func cloneTo(ctx context.Context, r *git.Repo, dir string, options ...string) (outer *git.Repo, err error) {
	args := append([]string{"clone", "--quiet", "--no-checkout", "--template=", "--origin=origin"}, options...)
	if !strings.Contains(r.CommonDir, "\n") { // git cannot borrow objects from such a folder
		args = append(args, "--shared")
	}
	files := "GIT_DEFAULT_REF_FORMAT=files" // whose reflog latestLogged can read
	outer = r.Unbound(filepath.Dir(dir), files)
	return outer, outer.Run(ctx, git.Command{Args: append(args, "--", r.CommonDir, dir)})
}

// CloneAt makes a throwaway clone of this repository in dir, which must not exist, with a commit
// checked out and no branch. It borrows the objects of this repository, and runs none of the
// person's hooks.
func CloneAt(ctx context.Context, r *git.Repo, dir, commit string) error {
	outer, err := cloneTo(ctx, r, dir, "--no-tags")
	if err != nil {
		return err
	}
	c := outer
	c.Top, c.GitDir, c.Trusted = dir, filepath.Join(dir, ".git"), nil
	if err := c.Run(ctx, git.Command{Args: []string{"-c", "advice.detachedHead=false",
		"checkout", "--quiet", "--detach", commit}}); err != nil {
		return err
	}
	// A session in it cannot push anywhere.
	return c.Run(ctx, git.Command{Args: []string{"remote", "remove", "origin"}})
}

// PrivateClone makes a clone of this repository in top, which must not exist, on a branch at head
// (empty: unborn), for a session to use as it likes, and returns its files as PrivateWorktree in
// gitDir, which must be an empty folder. The clone borrows the objects of this repository; those
// of a shallow one are copied. settings, keys and values in turn, are those of the clone.
func PrivateClone(ctx context.Context, r *git.Repo, top, gitDir, branch, head string, settings ...string) (*git.Repo, error) {
	if err := cloneFor(ctx, r, top, branch, head, settings); err != nil {
		return nil, err
	}
	e, err := PrivateWorktree(r, top, gitDir, head)
	if err == nil && head != "" {
		err = e.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "-u", head}})
	}
	if err != nil {
		return nil, err
	}
	return e, WriteCloneIndex(ctx, e)
}

// ReuseClone is PrivateClone in the place of one in which a session has worked. The files that are
// as head has them stay; all else goes, and so does the .git in which that session could write.
// The error is ErrNotReusable if there is no such clone, or it is not to be used again: it may be
// half taken away then.
func ReuseClone(ctx context.Context, r *git.Repo, top, gitDir, branch, head string, settings ...string) (*git.Repo, error) {
	if info, err := os.Lstat(top); err != nil || !info.IsDir() || head == "" {
		return nil, ErrNotReusable
	}
	e, err := PrivateWorktree(r, top, gitDir, head)
	if err != nil {
		return nil, err
	}
	if err := resetFiles(ctx, e, head); err != nil {
		e.Close()
		return nil, err
	}
	fresh := filepath.Join(filepath.Dir(top), "fresh.git")
	err = errors.Join(disk.RemoveTree(fresh), cloneFor(ctx, r, fresh, branch, head, settings))
	if err == nil {
		err = errors.Join(os.Rename(filepath.Join(fresh, ".git"), filepath.Join(top, ".git")), os.Remove(fresh))
	}
	if err == nil {
		err = WriteCloneIndex(ctx, e)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// ErrNotReusable says that a clone cannot be used again.
var ErrNotReusable = errors.New("the clone cannot be used again")

// cleared makes the files of a clone what head has. git looks at each of them, whatever times a
// session has given it: only the kernel sets the time of its last change (core.trustCTime).
func resetFiles(ctx context.Context, e *git.Repo, head string) error {
	if all, err := OnlyFiles(ctx, e); err != nil || !all { // git leaves alone what is in the rest
		return ErrNotReusable
	}
	if err := disk.RemoveTree(filepath.Join(e.Top, ".git")); err != nil {
		return ErrNotReusable
	}
	for _, args := range [][]string{{"clean", "-ffdxq"}, {"read-tree", "--reset", "-u", head}} {
		err := e.Run(ctx, git.Command{Args: args, Writes: true})
		if git.Code(err) > 0 {
			return ErrNotReusable
		}
		if err != nil {
			return err
		}
	}
	if !onlyPlainFolders(e.Top) {
		return ErrNotReusable
	}
	return nil
}

// plain reports whether a clone without its .git has no other one, in a folder of files that are
// tracked, and no folder that its owner may not use: git leaves both where they are.
func onlyPlainFolders(top string) bool {
	root, err := os.OpenRoot(top)
	if err != nil {
		return false
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.EqualFold(d.Name(), ".git") {
			return ErrNotReusable
		}
		if !d.IsDir() {
			return nil
		}
		const use = 0o700
		if info, err := d.Info(); err != nil || info.Mode().Perm()&use != use {
			return ErrNotReusable
		}
		return nil
	}) == nil
}

// cloneFor makes the clone that a session may use as it likes, with no files checked out.
func cloneFor(ctx context.Context, r *git.Repo, dir, branch, head string, settings []string) error {
	var options []string
	for i := 0; i < len(settings); i += 2 {
		options = append(options, "--config", settings[i]+"="+settings[i+1])
	}
	if head != "" && branch != "" {
		options = append(options, "--branch", branch)
	}
	if _, err := cloneTo(ctx, r, dir, options...); err != nil {
		return err
	}
	for _, name := range []string{"info/exclude", "info/attributes"} {
		if err := copyFile(filepath.Join(r.CommonDir, name), filepath.Join(dir, ".git", name)); err != nil {
			return err
		}
	}
	return withoutOrigin(filepath.Join(dir, ".git", "config"))
}

// WriteCloneIndex gives the .git of a clone the index of its files.
func WriteCloneIndex(ctx context.Context, e *git.Repo) error {
	if err := PinSubmodules(ctx, e); err != nil {
		return err
	}
	return CopyIndex(e.IndexFile(), filepath.Join(e.Top, ".git", "index"))
}

// withoutOrigin takes the remote out of the configuration that git clone has just written, so that
// a session in the clone cannot push anywhere.
func withoutOrigin(config string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var kept []string
	in := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "[") {
			in = strings.HasPrefix(line, `[remote "origin"]`)
		}
		if !in {
			kept = append(kept, line)
		}
	}
	return os.WriteFile(config, []byte(strings.Join(kept, "")), 0o600)
}

// CommitsInClone returns the commits that a session made in the clone in this work tree on top of
// since (empty: all), oldest first, at most 1000. Use only their text, and treat it as a
// stranger's: the session may have made anything of the refs and objects of its clone.
func CommitsInClone(ctx context.Context, r *git.Repo, since string) []git.Commit {
	latest := latestLogged(r)
	if latest == "" || latest == since {
		return nil
	}
	reader := r.WithEnv([]string{"GIT_NO_LAZY_FETCH=1", "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strconv.Quote(filepath.Join(r.Top, ".git", "objects"))},
		"core.commitGraph", "false", "core.multiPackIndex", "false")
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	args := []string{"--max-count=1000", latest}
	if since != "" {
		args = []string{"--max-count=1000", "--ancestry-path", since + ".." + latest}
	}
	commits, err := reader.Log(ctx, args...)
	if err != nil {
		return nil // nothing can be read
	}
	slices.Reverse(commits)
	return commits
}

// latestLogged returns where HEAD is, by the reflog of the clone in this work tree, or "".
func latestLogged(r *git.Repo) string {
	root, err := os.OpenRoot(filepath.Join(r.Top, ".git"))
	if err != nil {
		return ""
	}
	defer root.Close()
	const end = 64 << 10 // bytes of the file that are read; a line has a few hundred
	info, err := root.Lstat("logs/HEAD")
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open("logs/HEAD")
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-end), end))
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(fields) < 2 || len(fields[1]) != len(r.Zero()) {
		return ""
	}
	if _, err := hex.DecodeString(fields[1]); err != nil {
		return ""
	}
	return fields[1]
}
