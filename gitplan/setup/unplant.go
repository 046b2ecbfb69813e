package setup

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// knownFile is a file as it was before a session; None says that it did not exist.
type knownFile struct {
	None bool
	Data []byte
	Mode fs.FileMode
}

// maxKnown is the length, in bytes, up to which a file is put back.
const maxKnown = 4 << 10

// know remembers the files that point from a work tree, or from one git dir, to another, and
// HEAD. Of config.worktree, which may hold secrets, it remembers only if it did not exist.
func (s *Setup) know(files []string) {
	s.Known = map[string]knownFile{}
	for _, path := range files {
		name := filepath.Base(path)
		if !slices.Contains([]string{".git", "HEAD", "commondir", "gitdir", "config.worktree"}, name) {
			continue
		}
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			s.Known[path] = knownFile{None: true}
		} else if err == nil && info.Size() <= maxKnown && name != "config.worktree" {
			if data, err := journal.ReadRegular(path); err == nil {
				s.Known[path] = knownFile{Data: data, Mode: info.Mode().Perm()}
			}
		}
	}
}

// Unplant removes what was planted in the repository since the set-up was read, and puts back
// the files that say where the repository is. It must come before anything is written there;
// and the next command, or a git of the person's, would follow those files to a repository
// of the session's.
func (s Setup) Unplant(r *git.Repo) {
	for _, path := range r.Planted(s.Since, s.Folders) {
		was, known := s.Known[path]
		if !known || was.None {
			was = behind(r, path)
		}
		if os.Remove(path) == nil {
			was.putTo(path)
		}
	}
	s.putPointersBack()
}

// behind returns the file that a link in the repository leads to within the repository, as after
// mv index x; ln -s x index. Any other file may be one that no session may see.
func behind(r *git.Repo, path string) knownFile {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !disk.Within(r.CommonDir, real) && !disk.Within(r.GitDir, real) {
		return knownFile{None: true}
	}
	info, err := os.Lstat(real)
	if err != nil {
		return knownFile{None: true}
	}
	data, err := journal.ReadRegular(real)
	if err != nil {
		return knownFile{None: true}
	}
	return knownFile{Data: data, Mode: info.Mode().Perm()}
}

// putPointersBack puts the known files back, except HEAD. If something is there that was not, or
// of another kind, it is moved aside: it may be work.
func (s Setup) putPointersBack() {
	for path, was := range s.Known {
		_, err := os.Lstat(path)
		there := err == nil
		now, err := journal.ReadRegular(path)
		if filepath.Base(path) == "HEAD" || was.None && !there || !was.None && err == nil && bytes.Equal(now, was.Data) || !IsFolder(filepath.Dir(path)) {
			continue
		}
		if there && (was.None || err != nil) {
			_ = os.Rename(path, path+"-of-the-session-"+Random(3))
		}
		was.putTo(path)
	}
}

// putTo writes the file to a path, if it existed.
func (f knownFile) putTo(path string) {
	if !f.None && journal.WriteFile(path, f.Data) == nil {
		_ = os.Chmod(path, f.Mode)
	}
}

// Random returns so many random bytes, in hexadecimal digits.
func Random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
