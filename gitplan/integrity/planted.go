package integrity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// RemovePlanted removes the links, pipes and devices that were made where git writes since the set-up was read; call it
// before anything is written there. A link to a file of the repository, as after mv index x; ln -s x index, becomes
// that file, and HEAD is restored. Repositories that a git in the tree, as in a prompt, would obey are set aside.
func (s Snapshot) RemovePlanted(r *git.Repo) {
	for _, path := range git.Planted(r, s.Special) {
		var data []byte
		var mode fs.FileMode
		real, err := filepath.EvalSymlinks(path)
		info, gone := os.Lstat(real)
		inside := err == nil && gone == nil && (disk.Within(r.CommonDir, real) || disk.Within(r.GitDir, real))
		if inside { // outside, it may be a file that the session may not see
			data, err = disk.ReadRegular(real)
			mode, inside = info.Mode().Perm(), err == nil
		}
		if path == filepath.Join(r.GitDir, "HEAD") && !inside {
			data, mode, inside = s.Head, 0o644, len(s.Head) > 0
		}
		if os.Remove(path) == nil && inside && journal.WriteFile(path, data) == nil {
			_ = os.Chmod(path, mode)
		}
	}
	for _, path := range s.nestedSince(r) {
		_, _ = SetAside(r, path)
	}
	own := filepath.Join(r.Top, ".git") // here a file or a link
	if was := s.Files.Of[own]; was != "" && s.Files.now()[own] != was {
		_, _ = SetAside(r, own)
		_ = os.WriteFile(own, []byte("gitdir: "+r.GitDir+"\n"), 0o644)
	}
}

// nestedSince returns what worktree.Nested has that it did not have when the set-up was read.
func (s Snapshot) nestedSince(r *git.Repo) []string {
	return slices.DeleteFunc(worktree.Nested(r), func(path string) bool { return slices.Contains(s.Nested, path) })
}

// SetAside moves entries named .git from the tree to a folder of this program, where no git obeys them.
func SetAside(r *git.Repo, path string) (to string, err error) {
	to = r.PlanDir("nested", Random(4))
	return to, errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(path, to))
}

// Random returns random bytes, in hexadecimal digits.
func Random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// OpenHere opens the repository of the current folder, or the one that a session's record here names: the session may
// have pointed .git to another one before its git plan was killed. The error is ErrNoLonger if that is gone.
func OpenHere(ctx context.Context) (*git.Repo, *git.Config, error) {
	repo, config, err := git.OpenHere(ctx)
	rec, unread := recordHere()
	if unread == nil && (rec == nil || err == nil && rec.isOf(repo)) {
		return repo, config, err
	}
	repo.Close()
	if unread != nil {
		return nil, nil, unread
	}
	for name, value := range map[string]string{"GIT_DIR": rec.GitDir, "GIT_COMMON_DIR": rec.CommonDir, "GIT_WORK_TREE": rec.Top} {
		_ = os.Setenv(name, value)
	}
	if repo, config, err = git.OpenHere(ctx); err == nil && rec.isOf(repo) {
		return repo, config, nil
	}
	repo.Close()
	return nil, nil, rec.noLonger()
}

func (rec *Record) isOf(r *git.Repo) bool {
	return rec.GitDir == r.GitDir && rec.CommonDir == r.CommonDir && rec.Top == r.Top && !rec.gone()
}

// gone reports whether the repository of the record is no longer at its path: a session moved it away, or a person
// removed it and perhaps made another. Not every system says when a folder was made.
func (rec *Record) gone() bool { return rec.Born != "" && rec.Born != proc.Born(rec.CommonDir) }

func (rec *Record) noLonger() error {
	return fault.New(fault.ErrNoLonger,
		"%s is no longer the repository of %s on branch %s, which was %s; if that is as you want it: rm %s",
		visible.OneLine(filepath.Join(rec.Top, ".git"), 400), DuringTask(rec.Task), visible.OneLine(rec.Branch, 200),
		visible.OneLine(rec.GitDir, 400), visible.Shell(rec.at.Path))
}

// recordHere returns the record for the work tree of the current folder; nil if the environment names a repository.
func recordHere() (*Record, error) {
	state, err := journal.StateFolder()
	if err != nil || os.Getenv("GIT_DIR")+os.Getenv("GIT_WORK_TREE") != "" {
		return nil, nil
	}
	kind := filepath.Join(state, "git-plan", setUps)
	repositories, err := os.ReadDir(kind)
	if err = unreadable(err); err != nil {
		return nil, err
	}
	tops := proc.WorkTrees()
	for _, r := range repositories {
		recs, err := recordsOf(journal.Notes{Dir: filepath.Join(kind, r.Name())})
		if err != nil {
			return nil, err
		}
		for _, rec := range recs {
			if slices.Contains(tops, rec.Top) && rec.GitDir != "" {
				return rec, nil
			}
		}
	}
	return nil, nil
}

// sums are the hashes of files, of all files in some folders, and of the relevant files in folders of repositories.
type sums struct {
	Paths, Folders, Repositories []string
	Of                           map[string]string // the hashes of existing files by path
}

func (s *sums) now() map[string]string {
	out := map[string]string{}
	take := func(path string) {
		if info, err := os.Lstat(path); err == nil {
			out[path] = sumOf(path, info)
		}
	}
	for _, path := range s.Paths {
		take(path)
	}
	below := func(dir string, counts func(rel string, d fs.DirEntry) bool) {
		if !IsFolder(dir) { // it may be a link, which counts together with its target
			take(dir)
		}
		_ = filepath.WalkDir(dir+string(filepath.Separator)+".", func(path string, d fs.DirEntry, err error) error {
			if err != nil && d != nil && !errors.Is(err, fs.ErrNotExist) { // git still finds in it what it knows by name
				out[filepath.Clean(path)] = "it cannot be listed"
			} else if err == nil && !d.IsDir() && counts(strings.TrimPrefix(path, dir), d) {
				take(path)
			}
			return nil
		})
	}
	for _, dir := range s.Folders {
		below(dir, func(string, fs.DirEntry) bool { return true })
	}
	for _, dir := range s.Repositories {
		// What decides which programs git runs there, or leads elsewhere, as a link may. It may be anywhere, even
		// among objects: a submodule may have any name.
		below(dir, func(rel string, d fs.DirEntry) bool {
			names := []string{"config", "config.worktree", "commondir", "attributes", "alternates"}
			return d.Type()&fs.ModeSymlink != 0 || slices.Contains(names, d.Name()) ||
				slices.Contains(strings.Split(rel, string(filepath.Separator)), "hooks")
		})
	}
	return out
}

func (s *sums) changed() []string {
	now := s.now()
	all := maps.Clone(now)
	maps.Copy(all, s.Of)
	maps.DeleteFunc(all, func(path, _ string) bool { return now[path] == s.Of[path] })
	return slices.Sorted(maps.Keys(all))
}

// sumOf fingerprints a file with its mode, and a link together with its target.
func sumOf(path string, info fs.FileInfo) string {
	h, at := sha256.New(), path
	link, _ := os.Readlink(path) // empty if it is not a link
	if link != "" {
		at, _ = filepath.EvalSymlinks(path)
	}
	if f, err := disk.OpenRegular(at); err == nil {
		_, _ = io.Copy(h, f)
		_ = f.Close()
	}
	fmt.Fprintf(h, "\x00%v\x00%s", info.Mode(), link)
	return hex.EncodeToString(h.Sum(nil))
}

// IsFolder reports whether a path is a folder, and not a link to one.
func IsFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
