package integrity

import (
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// RemovePlanted removes the links, pipes and devices that were made, since the set-up was read, where git writes. It
// must come before anything is written there. A link to a file of the repository itself, as after mv index x; ln -s
// x index, is replaced by that file, and HEAD is restored.
func (s Snapshot) RemovePlanted(r *git.Repo) {
	for _, path := range git.Planted(r, s.Special) {
		data, mode, inside := behind(r, path)
		if path == filepath.Join(r.GitDir, "HEAD") && !inside {
			data, mode, inside = s.Head, 0o644, len(s.Head) > 0
		}
		if os.Remove(path) == nil && inside && journal.WriteFile(path, data) == nil {
			_ = os.Chmod(path, mode)
		}
	}
}

// behind returns the file that a link leads to, if that is in the repository. A session may not see every other file.
func behind(r *git.Repo, path string) (data []byte, mode fs.FileMode, inside bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !disk.Within(r.CommonDir, real) && !disk.Within(r.GitDir, real) {
		return nil, 0, false
	}
	info, err := os.Lstat(real)
	if err != nil {
		return nil, 0, false
	}
	data, err = disk.ReadRegular(real)
	return data, info.Mode().Perm(), err == nil
}

// Random returns random bytes, in hexadecimal digits.
func Random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
