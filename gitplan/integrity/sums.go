package integrity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sums are the fingerprints of files, and of all files in some folders, including those that are made there
// later.
type sums struct {
	Paths   []string
	Folders []string
	Of      map[string]string // by path, of those that exist
}

func (s *sums) add(paths ...string) {
	s.Paths = append(s.Paths, paths...)
	for _, path := range paths {
		s.take(path)
	}
}

func (s *sums) addFolder(dir string) {
	s.Folders = append(s.Folders, dir)
	s.takeFolder(dir)
}

func (s *sums) take(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	if s.Of == nil {
		s.Of = map[string]string{}
	}
	s.Of[path] = sumOf(path, info)
}

// takeFolder fingerprints all files below a folder; if that is a link, the link and where it leads.
func (s *sums) takeFolder(dir string) {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		s.take(dir)
	}
	_ = filepath.WalkDir(dir+string(filepath.Separator)+".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.take(path)
		}
		return nil
	})
}

// changed returns the paths that are not what they were, sorted.
func (s *sums) changed() (out []string) {
	var now sums
	for _, path := range s.Paths {
		now.take(path)
	}
	for _, dir := range s.Folders {
		now.takeFolder(dir)
	}
	for path, sum := range s.Of {
		if now.Of[path] != sum {
			out = append(out, path)
		}
	}
	for path := range now.Of {
		if _, ok := s.Of[path]; !ok {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// sumOf fingerprints a file with its mode, and a link together with what it leads to. It reads only regular
// files: a pipe or a device never ends.
func sumOf(path string, info fs.FileInfo) string {
	h := sha256.New()
	if to, err := os.Stat(path); err == nil && to.Mode().IsRegular() {
		if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(h, f)
			_ = f.Close()
		}
	}
	link, _ := os.Readlink(path) // empty if it is not a link
	fmt.Fprintf(h, "\x00%v\x00%s", info.Mode(), link)
	return hex.EncodeToString(h.Sum(nil))
}

// IsFolder reports whether a path is a folder, and not a link to one.
func IsFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
