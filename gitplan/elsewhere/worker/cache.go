package worker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/elsewhere/parcel"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// What the cache of one clone may hold before it is begun afresh, in bytes and in trees; and how
// long one stays that nobody uses.
const (
	maxCache = 4 << 30
	unused   = 30 * 24 * time.Hour
)

// cached is a repository with what was sent of one clone before. Nothing but objects is in it.
type cached struct {
	repo  *git.Repo
	trees []string // that it has
	lock  *flock.Flock
}

var cloneID = pattern.Of(`^[0-9a-f]{16,64}$`)

// folder returns where all caches are.
func folder() string {
	if dir := os.Getenv("GIT_PLAN_WORKER_CACHE"); filepath.IsAbs(dir) {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil { // as with srun --export=NONE
		return filepath.Join(os.TempDir(), "git-plan-workers")
	}
	return filepath.Join(dir, "git-plan", "workers")
}

// open opens the cache of a clone, which is made if need be. Others may use it at the same time, but
// nobody removes it until it is closed.
func open(ctx context.Context, of wire.Wanted) (*cached, error) {
	all := folder()
	if !cloneID.MatchString(of.Clone) || of.Format != "sha1" && of.Format != "sha256" {
		return nil, errors.New("that is no name of a clone")
	}
	dir := filepath.Join(all, of.Format+"-"+of.Clone)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, err
	}
	forget(all, dir)
	lock := flock.New(dir + ".lock")
	if err := lock.RLock(); err != nil {
		return nil, err
	}
	c := &cached{lock: lock}
	var err error
	if c.repo, err = opened(ctx, dir, of.Format); err == nil {
		c.trees, err = parcel.Has(ctx, c.repo, wire.MaxTrees)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// opened opens a repository without files, which is made if need be.
func opened(ctx context.Context, dir, format string) (*git.Repo, error) {
	if _, err := os.Stat(filepath.Join(dir, ".git", "HEAD")); errors.Is(err, fs.ErrNotExist) {
		outside, _, err := git.Outside(ctx)
		if err != nil {
			return nil, err
		}
		defer outside.Close()
		err = outside.Unbound(filepath.Dir(dir)).Run(ctx, git.Command{Args: []string{"init", "--quiet", "--template=", "--object-format=" + format, dir}})
		if err != nil {
			return nil, err
		}
	}
	return git.Open(ctx, dir)
}

func (c *cached) close() {
	c.repo.Close()
	_ = c.lock.Close()
}

// forget removes what nobody has used for long, and the cache in use if it became too large, unless
// somebody is at it.
func forget(all, dir string) {
	locks, _ := filepath.Glob(filepath.Join(all, "*.lock"))
	for _, path := range locks {
		of := path[:len(path)-len(".lock")]
		info, err := os.Stat(filepath.Join(of, ".git", "refs", "trees"))
		if err != nil || of != dir && time.Since(info.ModTime()) < unused || of == dir && size(of) < maxCache {
			continue
		}
		lock := flock.New(path)
		if free, err := lock.TryLock(); err == nil && free {
			_ = disk.RemoveTree(of)
		}
		_ = lock.Close()
	}
}

// size returns how large the objects of a cache are, and maxCache if it has too many trees.
func size(dir string) (sum int64) {
	if trees, _ := os.ReadDir(filepath.Join(dir, ".git", "refs", "trees")); len(trees) > wire.MaxTrees {
		return maxCache
	}
	_ = filepath.WalkDir(filepath.Join(dir, ".git", "objects"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
