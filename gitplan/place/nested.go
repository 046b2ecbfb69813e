package place

import (
	"context"
	"os"
	"path"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/persons"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
)

// Gitlinks returns those that a session added as submodules: without .gitmodules nobody could get
// them.
func Gitlinks(d *diffs.Diff) (out []string) {
	if slices.ContainsFunc(d.Files, func(f diffs.FileDiff) bool { return f.Path == ".gitmodules" }) {
		return nil
	}
	for _, f := range d.Files {
		if f.NewMode == "160000" && f.OldMode != "160000" {
			out = append(out, f.Path)
		}
	}
	return out
}

// unlinked takes nested repositories that a session added as submodules out of the index, so that
// their files are kept.
func (p *Place) unlinked(ctx context.Context, s *worktree.Status) (*worktree.Status, error) {
	var links []string
	for _, c := range s.Changed {
		if c.Path == ".gitmodules" {
			return s, nil // it made submodules of them
		}
		if c.Submodule && c.XY[0] == 'A' {
			links = append(links, c.Path)
		}
	}
	if len(links) == 0 {
		return s, nil
	}
	if err := worktree.Unstage(ctx, p.Tree(), links); err != nil {
		return nil, err
	}
	return p.look(ctx)
}

// withNested returns a tree with the files of nested repositories, as many as are kept of a
// person's.
func (p *Place) withNested(ctx context.Context, tree string, nested []string) (string, error) {
	root, err := os.OpenRoot(p.Tree().Top)
	if err != nil {
		return tree, err
	}
	defer root.Close()
	var files []worktree.RawFile
	for _, repo := range nested {
		inside, _ := unseen.FilesBelow(root, repo)
		for _, name := range inside {
			files = append(files, worktree.RawFileOf(p.Tree(), name))
		}
	}
	fits, _ := persons.Fitting(files)
	if len(fits) == 0 {
		return tree, nil
	}
	return worktree.WithRaw(ctx, p.Tree(), tree, fits)
}

// removeNested removes the nested repositories all of whose files a commit keeps: otherwise the
// next step would take them for the person's.
func (p *Place) removeNested(ctx context.Context, nested []string, kept string) error {
	if len(nested) == 0 || kept == "" || !p.isolation.lasts() {
		return nil
	}
	names, err := p.Repo.Paths(ctx, kept)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, name := range names {
		has[name] = true
	}
	root, err := os.OpenRoot(p.Tree().Top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, repo := range nested {
		inside, all := unseen.FilesBelow(root, repo)
		if !all || slices.ContainsFunc(inside, func(file string) bool { return !has[file] }) {
			continue
		}
		if err := root.RemoveAll(repo); err != nil {
			return err
		}
		for dir := path.Dir(repo); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
	}
	return nil
}
