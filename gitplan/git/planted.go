package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// SameFile reports whether a file is the same one, and was not written to since, by its times and its size.
func SameFile(was, is fs.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) && Changed(was).Equal(Changed(is))
}

// written lists the folders of a repository in which git or this program writes or reads files with predictable names,
// or from which git-lfs, which runs outside any sandbox, copies files into the work tree.
var written = []string{"refs", "logs", "info", "objects", "reftable", "plan", "lfs", "rebase-merge", "rebase-apply", "sequencer"}

// SpecialFiles returns the links, pipes and devices where git, or this program, writes, by path. Through a
// link it would write to, or copy, any file of the person's, and at a pipe wait forever.
func SpecialFiles(r *Repo) map[string]string {
	out := map[string]string{}
	objects, plans := filepath.Join(r.CommonDir, "objects"), r.PlanDir()
	var look func(dir string, into func(name string) bool)
	look = func(dir string, into func(name string) bool) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrPermission) && os.Chmod(dir, 0o700) == nil { // a session may have hidden something in it
			entries, _ = os.ReadDir(dir)
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.Type().IsRegular():
			case !e.IsDir():
				to, _ := os.Readlink(path)
				out[path] = e.Type().String() + to
			case into(e.Name()):
				look(path, func(name string) bool {
					// Files of objects have no predictable names, and a queue's work tree is watched as such.
					return (path != objects || len(name) > 2) && (dir != plans || name != "tree")
				})
			}
		}
	}
	for _, dir := range slices.Compact([]string{r.CommonDir, r.GitDir}) {
		look(dir, func(name string) bool { return slices.Contains(written, name) })
	}
	return out
}

// Planted returns the special files that were made or changed since SpecialFiles returned before; none if that is nil.
func Planted(r *Repo, before map[string]string) (out []string) {
	if before == nil {
		return nil
	}
	for path, is := range SpecialFiles(r) {
		if was, ok := before[path]; !ok || was != is {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
