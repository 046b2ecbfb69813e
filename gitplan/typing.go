package gitplan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// TakeFile takes a file for a person to type in, which until release nobody else
// gets, whatever an editor does to it. Where another git plan has it open it is
// the next: PLAN.md, PLAN_2.md. With again it is one in which somebody typed
// before, as long as there is any; without, one that does not exist.
func TakeFile(path string, again bool) (free string, release func(), err error) {
	dir, ext := filepath.Dir(path), filepath.Ext(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	const most = 9 // that are looked for again
	if again {
		for n := 1; n <= most; n++ {
			free, release, err = takeFile(nthFile(path, ext, n), true)
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

func nthFile(path, ext string, n int) string {
	if n == 1 {
		return path
	}
	return fmt.Sprintf("%s_%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// takeFile locks a file that exists, or one that does not; release is nil where it
// is not so, or somebody has it.
func takeFile(path string, exists bool) (string, func(), error) {
	if _, gone := os.Lstat(path); (gone == nil) != exists {
		return "", nil, nil // without a lock that would stay behind
	}
	// The lock is a file of its own, since editors replace theirs. Its name begins
	// as those of other locks, which nobody takes for a session's tampering.
	lock := flock.New(filepath.Join(filepath.Dir(path), "lock-"+filepath.Base(path)), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if _, gone := os.Lstat(path); err == nil && ok && (gone == nil) == exists {
		return path, func() { _ = lock.Close() }, nil
	}
	_ = lock.Close()
	return "", nil, err
}
