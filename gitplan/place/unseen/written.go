package unseen

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// WrittenOf returns those of some files that git ignores and the session wrote.
func (l Look) WrittenOf(s *worktree.Status, names []string) (out []string) {
	ignored := checkout.InProgress{Ignored: s.Ignored}
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(l.Tree.Top, name))
		switch {
		case err != nil, info.IsDir(), !filepath.IsLocal(name), !ignored.Has(name), slices.Contains(s.Unignored, name), l.byCheck(name), slices.Contains(out, name):
		case !l.Before.Has(name), !git.Changed(info).Before(l.Since):
			out = append(out, name)
		}
	}
	return out
}

// mostWalked bounds the files that are looked at in a folder that git ignores.
const mostWalked = 20_000

// written returns what git ignores and the session wrote, except what tools write.
func (l Look) written(s *worktree.Status) (out []string) {
	for _, name := range s.Ignored {
		switch {
		case ByTools(name), l.byCheck(name):
		case strings.HasSuffix(name, "/"):
			walked := 0
			fresh := !l.Before.Has(name)
			l.walk(name, func(name string, d fs.DirEntry) bool {
				if fresh || l.writtenSince(name) {
					out = append(out, name)
				}
				walked++
				return walked < mostWalked
			})
		case !l.Before.Has(name), l.writtenSince(name):
			out = append(out, name)
		}
	}
	return out
}

func (l Look) writtenSince(name string) bool {
	info, err := os.Lstat(filepath.Join(l.Tree.Top, name))
	return err == nil && !git.Changed(info).Before(l.Since)
}
