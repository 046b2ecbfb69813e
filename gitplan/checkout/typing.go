package checkout

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// TakeFile takes a file for a person to type in. Until release nobody else gets it, whatever
// an editor does to it. It is path, or the next one that is free: PLAN.md, PLAN_2.md. With
// again it is the file that was typed in last, if there is one that nobody has open; else the
// file does not exist yet.
func TakeFile(path string, again bool) (free string, release func(), err error) {
	dir, ext := filepath.Dir(path), filepath.Ext(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	if again {
		for _, kept := range newestFirst(path, ext) {
			free, release, err = takeFile(kept, true)
			if release != nil || err != nil {
				return free, release, err
			}
		}
	}
	for n := 1; ; n++ {
		free, release, err = takeFile(nthFile(path, ext, n), false)
		if release != nil || err != nil {
			return free, release, err
		}
	}
}

// newestFirst returns the files that exist of those that TakeFile would name, the one that
// was typed in last first: a person who reads that a file is kept, and runs the same
// command again, means that one.
func newestFirst(path, ext string) []string {
	const most = 99 // that are looked for again
	var kept []string
	typed := map[string]time.Time{}
	for n := most; n > 0; n-- {
		name := nthFile(path, ext, n)
		if info, err := os.Lstat(name); err == nil {
			kept, typed[name] = append(kept, name), info.ModTime()
		}
	}
	slices.SortStableFunc(kept, func(a, b string) int { return typed[b].Compare(typed[a]) })
	return kept
}

func nthFile(path, ext string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s_%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// takeFile locks a file that exists, or one that does not. The func is nil if somebody else
// has the file, or if it exists against expectation or does not.
func takeFile(path string, exists bool) (string, func(), error) {
	if _, gone := os.Lstat(path); (gone == nil) != exists {
		return "", nil, nil // without a lock that would stay behind
	}
	// The lock is a file of its own, since editors replace theirs. Its name begins as those
	// of other locks, so nobody takes it for a session's tampering.
	lock := flock.New(filepath.Join(filepath.Dir(path), "lock-"+filepath.Base(path)), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if _, gone := os.Lstat(path); err == nil && ok && (gone == nil) == exists {
		return path, func() { _ = lock.Close() }, nil
	}
	_ = lock.Close()
	return "", nil, err
}
