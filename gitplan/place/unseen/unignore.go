package unseen

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Unignore adds to what is untracked the new files that git would not ignore by the rules with
// which the session began. Caches and the like are not work: no person would add what tools write
// beside it.
func (l Look) Unignore(ctx context.Context, s *worktree.Status) error {
	began := rulesThen{look: l, now: checkout.InProgress{Ignored: s.Ignored}, changed: map[string]bool{}, texts: map[string][]byte{}}
	var doubtful []string // without what was tracked: the session took that out of git
	for _, name := range s.Ignored {
		if !l.Before.Has(name) && !l.byCheck(name) && !ByTools(name) && !ofThisMachine(name) && began.differ(ctx, name) {
			doubtful = append(doubtful, slices.DeleteFunc(l.filesOf(name), func(name string) bool { return l.wasTracked(ctx, name) })...)
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	hidden, err := worktree.NotIgnored(ctx, l.Tree, began.texts, doubtful)
	s.Unignored = hidden
	s.Untracked = append(s.Untracked, hidden...)
	return err
}

// wasTracked reports whether a file was tracked when the session began.
func (l Look) wasTracked(ctx context.Context, name string) bool {
	began := strings.TrimSuffix(l.Before.Head, journal.None)
	_, err := l.Repo.Resolve(ctx, began+":"+name)
	return began != "" && err == nil
}

// rulesThen returns the files of rules as they were when the session began.
type rulesThen struct {
	look    Look
	now     checkout.InProgress // what is ignored now
	changed map[string]bool     // by the path of such a file
	texts   map[string][]byte   // of those that there were
}

// differ reports whether rules that can apply to a path have changed.
func (r rulesThen) differ(ctx context.Context, p string) (differ bool) {
	for at := path.Dir(strings.TrimSuffix(p, "/")); ; at = path.Dir(at) {
		rules := path.Join(at, ".gitignore")
		if _, known := r.changed[rules]; !known {
			r.changed[rules] = r.read(ctx, rules)
		}
		differ = differ || r.changed[rules]
		if at == "." {
			return differ
		}
	}
}

// read notes what a file of rules was, and reports whether it has changed. Below the top, one
// that git ignores as well is a tool's, for its own cache.
func (r rulesThen) read(ctx context.Context, rules string) (changed bool) {
	now, _ := journal.ReadRegular(filepath.Join(r.look.Tree.Top, rules))
	began, was := strings.TrimSuffix(r.look.Before.Head, journal.None), now
	switch o, err := r.look.Repo.Read(ctx, began+":"+rules); {
	case began != "" && err == nil:
		was = o.Data
	case !r.look.Before.Has(rules):
		if was = nil; rules != ".gitignore" && r.now.Has(rules) {
			r.texts[rules] = now
			return false
		}
	case r.look.Before.Kept != "":
		if o, err := r.look.Repo.Read(ctx, r.look.Before.Kept+":"+rules); err == nil {
			was = o.Data
		}
	}
	if was != nil {
		r.texts[rules] = was
	}
	bare := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r"), nil) }
	return !bytes.Equal(bare(was), bare(now))
}

// filesOf returns the files of an entry of what is ignored, which may be a folder, but none of a
// nested repository.
func (l Look) filesOf(entry string) (out []string) {
	if !strings.HasSuffix(entry, "/") {
		return []string{entry}
	}
	l.walk(entry, func(name string, _ fs.DirEntry) bool {
		out = append(out, name)
		return true
	})
	return out
}

// walk visits the files of a folder in the tree of sessions, except those that tools write, until
// visiting one returns false.
func (l Look) walk(folder string, visit func(name string, d fs.DirEntry) bool) {
	root, err := os.OpenRoot(l.Tree.Top)
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil, d.IsDir() && ByTools(name):
			return fs.SkipDir
		case d.IsDir():
			if _, err := root.Lstat(path.Join(name, ".git")); err == nil {
				return fs.SkipDir
			}
		case !ByTools(name) && !visit(name, d):
			return fs.SkipAll
		}
		return nil
	})
}
