package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// written are the folders of a repository in which git, or this program, writes files by
// names that are known before.
var written = []string{"refs", "logs", "info", "objects", "reftable", "plan"}

// Planted are the links, pipes and devices that came since a moment to be where git, or
// this program, writes: through such a link it would write to any file of the person's,
// and at a pipe it would wait for ever. It goes by the times of change that the kernel
// keeps, which nobody can set back, and reads only the folders that changed and those
// that hold others.
func (r *Repo) Planted(since time.Time) []string {
	if since.IsZero() {
		return nil
	}
	p := planted{since: since}
	into := func(name string) bool { return slices.Contains(written, name) }
	p.look(r.CommonDir, into)
	if r.GitDir != r.CommonDir {
		p.look(r.GitDir, into)
	}
	return p.found
}

type planted struct {
	since time.Time
	found []string
}

func (p *planted) look(dir string, into func(name string) bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	changed := !Changed(info).Before(p.since)
	if !changed && !mayHoldFolders(info) {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && into(e.Name()):
			p.look(at, func(string) bool { return true })
		case changed && e.Type()&(fs.ModeSymlink|fs.ModeNamedPipe|fs.ModeDevice) != 0:
			if info, err := e.Info(); err == nil && !Changed(info).Before(p.since) {
				p.found = append(p.found, at)
			}
		}
	}
}
