package git

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// RefsAt is what a repository's refs looked like at a moment. It takes no process, and grows
// with the number of folders of refs, not with the number of refs.
type RefsAt struct {
	folders map[string]refFolder // below refs/
	packed  string               // the stamp of the file of packed refs
	text    string               // of that file, unless it is large
	when    time.Time            // what is older than this was there
}

// refFolder is a folder of refs.
type refFolder struct {
	changed time.Time // when an entry came or went
	names   []string  // of its refs, unless there are many: of branches, tags and the stash
}

// What of the refs is remembered by name is bounded: of a folder by the number of its entries, of
// packed refs by bytes.
const (
	mostNames  = 1000
	mostPacked = 64 << 10
)

// tick is how long the clock that files have may stand still, so that what is written later is
// as old as what was there: ten milliseconds where the system's timer is slow.
const tick = 10 * time.Millisecond

// RefsNow returns what the refs look like at this moment.
func (r *Repo) RefsNow() RefsAt {
	at := RefsAt{folders: map[string]refFolder{}, packed: Stamp(r.packedRefs()), when: time.Now().Add(-tick)}
	r.eachRefFolder(func(name string, changed time.Time) {
		at.folders[name] = refFolder{changed: changed}
		if name == "refs" || strings.HasPrefix(name, "refs/heads") || strings.HasPrefix(name, "refs/tags") || strings.HasPrefix(name, "refs/plans") {
			at.folders[name] = refFolder{changed, firstNames(filepath.Join(r.CommonDir, name))}
		}
	})
	if info, err := os.Stat(r.packedRefs()); err == nil && info.Size() <= mostPacked {
		text, _ := os.ReadFile(r.packedRefs())
		at.text = string(text)
	}
	return at
}

func (r *Repo) packedRefs() string { return filepath.Join(r.CommonDir, "packed-refs") }

// firstNames returns the names in a folder; nil if there are many.
func firstNames(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostNames + 1)
	if len(entries) > mostNames {
		return nil
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// RefsChanged returns the names of refs that were written or deleted since, as far as files can
// tell, but for those for which skip is true. Where many refs are packed, or in one folder, those
// that are gone are called "packed refs", or not seen.
func (r *Repo) RefsChanged(since RefsAt, skip func(ref string) bool) []string {
	var out, gone []string
	r.eachRefFolder(func(name string, changed time.Time) {
		before, ok := since.folders[name]
		if ok && before.changed.Equal(changed) && changed.Before(since.when) {
			return
		}
		entries, _ := os.ReadDir(filepath.Join(r.CommonDir, name))
		there := map[string]bool{}
		for _, e := range entries {
			there[e.Name()] = true
			info, err := e.Info()
			ref := filepath.ToSlash(filepath.Join(name, e.Name()))
			if err == nil && !e.IsDir() && !strings.HasSuffix(ref, ".lock") && !info.ModTime().Before(since.when) && !skip(ref) {
				out = append(out, ref)
			}
		}
		for _, n := range before.names {
			if ref := filepath.ToSlash(filepath.Join(name, n)); !there[n] && !strings.HasSuffix(ref, ".lock") && !skip(ref) {
				gone = append(gone, ref)
			}
		}
	})
	packed, text := Stamp(r.packedRefs()) != since.packed, ""
	if packed || len(gone) > 0 {
		read, _ := os.ReadFile(r.packedRefs())
		text = string(read)
	}
	if packed && (since.text != "" || since.packed == "") && len(text) <= mostPacked {
		is := packedNames(text)
		for ref, oid := range packedNames(since.text) {
			switch {
			case skip(ref):
			case is[ref] == "":
				gone = append(gone, ref)
			case is[ref] != oid && !since.loose(ref): // else it was packed again
				out = append(out, ref)
			}
		}
		slices.Sort(out)
	} else if packed {
		out = append(out, "packed refs")
	}
	for _, ref := range slices.Compact(slices.Sorted(slices.Values(gone))) {
		if info, err := os.Stat(filepath.Join(r.CommonDir, ref)); err != nil && !strings.Contains(text, " "+ref+"\n") || err == nil && info.IsDir() {
			out = append(out, ref+" (deleted)")
		}
	}
	return out
}

// loose reports whether a ref had a file of its own.
func (at RefsAt) loose(ref string) bool {
	dir, name := path.Split(ref)
	return slices.Contains(at.folders[strings.TrimSuffix(dir, "/")].names, name)
}

// packedNames returns what each of the packed refs in a text points to.
func packedNames(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if oid, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && !strings.HasPrefix(line, "#") {
			out[ref] = oid
		}
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
