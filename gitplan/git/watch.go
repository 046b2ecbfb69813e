package git

import (
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
	at := RefsAt{folders: map[string]time.Time{}, packed: Stamp(filepath.Join(r.CommonDir, "packed-refs")), when: time.Now()}
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
	if Stamp(filepath.Join(r.CommonDir, "packed-refs")) != since.packed {
		out = append(out, "packed refs")
	}
	return out
}

// eachRefFolder visits the folders below refs/. One that has no folders in it is
// not listed: it may hold 50,000 refs.
func (r *Repo) eachRefFolder(f func(name string, changed time.Time)) {
	var visit func(name string)
	visit = func(name string) {
		info, err := os.Stat(filepath.Join(r.CommonDir, name))
		if err != nil || !info.IsDir() {
			return
		}
		f(name, info.ModTime())
		if !mayHoldFolders(info) {
			return
		}
		entries, _ := os.ReadDir(filepath.Join(r.CommonDir, name))
		for _, e := range entries {
			if e.IsDir() {
				visit(name + "/" + e.Name())
			}
		}
	}
	visit("refs")
}

// Stamp tells one state of a file from another; empty if there is none.
func Stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return info.ModTime().String() + info.Mode().String()
}

// RefStamp tells one state of a ref from another, wherever it is kept: alone,
// with others in one file, or in git's tables. It may differ where the ref does
// not.
func (r *Repo) RefStamp(ref string) string {
	in := func(name string) string { return Stamp(filepath.Join(r.CommonDir, filepath.FromSlash(name))) }
	return in(ref) + in("packed-refs") + in("reftable/tables.list")
}
