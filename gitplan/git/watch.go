package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// RefsAt is a moment in the life of a repository's refs. It costs no process
// and grows with the number of folders of refs, not with that of refs.
type RefsAt struct {
	folders map[string]time.Time // below refs/, when an entry came or went
	packed  string
	when    time.Time
}

// RefsNow remembers this moment.
func (r *Repo) RefsNow() RefsAt {
	at := RefsAt{folders: map[string]time.Time{}, packed: stamp(filepath.Join(r.CommonDir, "packed-refs")), when: time.Now()}
	r.eachRefFolder(func(name string, changed time.Time) { at.folders[name] = changed })
	return at
}

// RefsChanged names the refs that were written since, as far as they can be
// told apart, except those that skip accepts. A deletion is told as its folder.
func (r *Repo) RefsChanged(since RefsAt, skip func(ref string) bool) []string {
	var out []string
	r.eachRefFolder(func(name string, changed time.Time) {
		if before, ok := since.folders[name]; ok && before.Equal(changed) {
			return
		}
		entries, _ := os.ReadDir(filepath.Join(r.CommonDir, name))
		for _, e := range entries {
			info, err := e.Info()
			ref := filepath.ToSlash(filepath.Join(name, e.Name()))
			if err == nil && !e.IsDir() && !strings.HasSuffix(ref, ".lock") && !info.ModTime().Before(since.when) && !skip(ref) {
				out = append(out, ref)
			}
		}
	})
	if stamp(filepath.Join(r.CommonDir, "packed-refs")) != since.packed {
		out = append(out, "packed refs")
	}
	return out
}

func (r *Repo) eachRefFolder(f func(name string, changed time.Time)) {
	root := filepath.Join(r.CommonDir, "refs")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		name, _ := filepath.Rel(r.CommonDir, path)
		if info, err := d.Info(); err == nil {
			f(filepath.ToSlash(name), info.ModTime())
		}
		return nil
	})
}

// stamp tells one state of a file from another.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return info.ModTime().String() + info.Mode().String()
}
