package integrity

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// RemovePlanted removes the links, pipes and devices that were made, since the set-up was read, where git writes. It
// must come before anything is written there. A link to a file of the repository itself, as after mv index x; ln -s
// x index, is replaced by that file, and HEAD is restored. Repositories that a git in the tree would obey are set aside:
// a shell that runs git to print its prompt may be there.
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
