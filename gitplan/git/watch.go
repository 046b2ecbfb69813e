package git

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// RefsAt is what a repository's refs looked like at a moment. It takes no process, and grows
// with the number of folders of refs, not with the number of refs.
type RefsAt struct {
	folders map[string]time.Time // below refs/, when an entry came or went
	packed  string
	when    time.Time // what is older than this was there
}

// tick is how long the clock that files have may stand still, so that what is written later is
// as old as what was there: ten milliseconds where the system's timer is slow.
const tick = 10 * time.Millisecond

// RefsNow returns what the refs look like at this moment.
func (r *Repo) RefsNow() RefsAt {
	at := RefsAt{folders: map[string]time.Time{}, packed: Stamp(filepath.Join(r.CommonDir, "packed-refs")), when: time.Now().Add(-tick)}
	r.eachRefFolder(func(name string, changed time.Time) { at.folders[name] = changed })
	return at
}

// RefsChanged returns the names of refs that were written since, as far as files can tell, but
// for those for which skip is true. Packed refs that changed are all called "packed refs".
func (r *Repo) RefsChanged(since RefsAt, skip func(ref string) bool) []string {
	var out []string
	r.eachRefFolder(func(name string, changed time.Time) {
		if before, ok := since.folders[name]; ok && before.Equal(changed) && changed.Before(since.when) {
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

// eachRefFolder calls f with each folder below refs/, and when it changed. A folder without
// folders in it is not listed: it may hold 50,000 refs.
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

// Stamp returns a text that differs between two states of a file; it is empty if there is none.
func Stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return info.ModTime().String() + info.Mode().String()
}

// RefStamp returns a text that differs between two states of a ref, wherever git keeps it:
// alone, with others in one file, or in tables. It may differ although the ref does not.
func (r *Repo) RefStamp(ref string) string {
	in := func(name string) string { return Stamp(filepath.Join(r.CommonDir, filepath.FromSlash(name))) }
	return in(ref) + in("packed-refs") + in("reftable/tables.list")
}
