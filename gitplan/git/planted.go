package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Changed returns when a file was last changed in any way, its times included. The kernel
// records that, and no program can set it back. On systems without such a time it returns the
// time of the contents.
func Changed(info fs.FileInfo) time.Time {
	if at, ok := changeTime(info); ok {
		return at
	}
	return info.ModTime()
}

// SameFile reports whether a file is the same one, and was not written to since, by its times
// and its size.
func SameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) && Changed(was).Equal(Changed(is))
}

// Unchanged reports whether a regular file, was, is still what it was at a moment, by the time
// that the kernel records. It returns false if that is unknown: the file changed at that very
// moment, or the system records no such time.
func Unchanged(was, is fs.FileInfo, moment time.Time) bool {
	before, ok := changeTime(was)
	now, kept := changeTime(is)
	return ok && kept && is.Mode().IsRegular() && os.SameFile(was, is) && before.Equal(now) && before.Before(moment)
}

// written lists the folders of a repository in which git, or this program, writes files with
// predictable names.
var written = []string{"refs", "logs", "info", "objects", "reftable", "plan"}

// Folders returns the folders of the repository in which git, or this program, writes: their
// paths, with the number by which the file system knows each, so that another folder that was
// moved to its path differs from it. Folders of objects are left out, and a folder without
// folders in it is not searched.
func Folders(r *Repo) map[string]uint64 {
	out := map[string]uint64{}
	var visit func(dir string, into []string)
	visit = func(dir string, into []string) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return
		}
		if out[dir] = number(info); !mayHoldFolders(info) {
			return
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() && (into == nil || slices.Contains(into, e.Name()) && e.Name() != "objects") {
				visit(filepath.Join(dir, e.Name()), nil)
			}
		}
	}
	visit(r.CommonDir, written)
	if r.GitDir != r.CommonDir {
		visit(r.GitDir, written)
	}
	return out
}

// Planted returns the links, pipes and devices that were made, since a moment, where git or
// this program writes: through a link it would write to any file of the person's, and at a
// pipe it would wait forever. It goes by the times of change that the kernel records, which
// no program can set back, and reads only folders that changed and folders with folders in them.
// folders is what Folders returned then: everything in a folder that is not one of them counts
// as put there, however old it is.
func Planted(r *Repo, since time.Time, folders map[string]uint64) []string {
	if since.IsZero() {
		return nil
	}
	p := planted{since: since, folders: folders}
	into := func(name string) bool { return slices.Contains(written, name) }
	p.look(r.CommonDir, into, false)
	if r.GitDir != r.CommonDir {
		p.look(r.GitDir, into, false)
	}
	return p.found
}

type planted struct {
	since   time.Time
	folders map[string]uint64
	found   []string
}

func (p *planted) look(dir string, into func(name string) bool, moved bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	changed := !Changed(info).Before(p.since)
	if !changed && !moved && !mayHoldFolders(info) {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && into(e.Name()):
			p.look(at, func(string) bool { return true }, moved || p.cameHere(at))
		case (changed || moved) && e.Type()&(fs.ModeSymlink|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
			if info, err := e.Info(); err == nil && (moved || !Changed(info).Before(p.since)) {
				p.found = append(p.found, at)
			}
		}
	}
}

// cameHere reports whether another folder, or none, was here before. A folder of objects is
// judged by its time alone.
func (p *planted) cameHere(dir string) bool {
	if _, above := p.folders[filepath.Dir(dir)]; !above || filepath.Base(dir) == "objects" {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && p.folders[dir] != number(info)
}
