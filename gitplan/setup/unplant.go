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

// knownFile is a file as it was before a session, or that there was none.
type knownFile struct {
	None bool
	Data []byte
	Mode fs.FileMode
}

// maxKnown is how long a file may be, in bytes, that is put back.
const maxKnown = 4 << 10

// know keeps what leads from a work tree, or from one git dir, to another, and what HEAD
// said. Of other files there may be secrets in it is only known that they were not there.
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

// Unplant removes what was planted in the repository since the set-up was taken, and puts
// back what says where that is: nothing more is written there before that, and the next
// command, or the person's own look by git, would follow it to a repository of the session's.
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

// behind is the file that a link in the repository leads to there, as after
// mv index x; ln -s x index. Any other file may be one that no session is to see.
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

// putPointersBack moves aside what came to be where there was nothing, or another kind of
// thing: it may be work.
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

func (f knownFile) putTo(path string) {
	if !f.None && journal.WriteFile(path, f.Data) == nil {
		_ = os.Chmod(path, f.Mode)
	}
}

func Random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
