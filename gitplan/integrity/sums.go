package integrity

import (
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
)

// sums are the fingerprints of files, of all files in some folders, and of the relevant files in folders with
// repositories, including files created later.
type sums struct {
	Paths, Folders, Repositories []string
	Of                           map[string]string // by path, of existing files; see now
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
		below(dir, decides)
	}
	return out
}

// decides reports whether a file below a folder with repositories decides which programs git runs there, or leads
// elsewhere, as a link may. It may be anywhere, even among objects: a submodule may have any name.
func decides(rel string, d fs.DirEntry) bool {
	return d.Type()&fs.ModeSymlink != 0 || slices.Contains([]string{"config", "config.worktree", "commondir", "attributes", "alternates"}, d.Name()) ||
		slices.Contains(strings.Split(rel, string(filepath.Separator)), "hooks")
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
