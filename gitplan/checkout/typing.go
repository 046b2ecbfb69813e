package checkout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// TakeFile takes a file for a person to type in, which nobody else gets until release, whatever an
// editor does to it: path, or the next one that is free (PLAN.md, PLAN_2.md). With again it is one that
// was typed in before and nobody has open, if there is one; else the file does not exist yet.
func TakeFile(path string, again bool) (free string, release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	const most = 99 // that are looked for again
	for n := 1; again && n <= most; n++ {
		if free, release, err = takeFile(path, n, true); release != nil || err != nil {
			return free, release, err
		}
	}
	for n := 1; ; n++ {
		if free, release, err = takeFile(path, n, false); release != nil || err != nil {
			return free, release, err
		}
	}
}

// takeFile locks the nth file if it exists, or if it does not. The func is nil if it cannot be had.
func takeFile(path string, n int, exists bool) (string, func(), error) {
	if ext := filepath.Ext(path); n > 1 {
		path = fmt.Sprintf("%s_%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
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
