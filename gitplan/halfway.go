package gitplan

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
)

// A kept attempt is put into the tree to go on from, and what is in the tree is taken
// out of it once it is kept. Whoever is killed halfway leaves part of the attempt there:
// the note names it (inProgress.Halfway), so that the next command knows that for what
// it is, however often this happens.

// halfway notes that a kept attempt is about to be put into the tree, or taken out of it.
func (w *Place) halfway(kept string) error {
	if w.clone != nil { // it is made again
		return nil
	}
	w.own.Halfway = kept
	return w.noteProgress()
}

// clearHalfway takes what is in the tree of an attempt that is kept out of it. What is
// there in the place of its files and is not what it has is kept as well. All else in
// the tree is a person's, and stays.
func (w *Place) clearHalfway(ctx context.Context) error {
	note := w.noted()
	if note.Halfway == "" || note.Clone || note.elsewhere(w.Repo.Top) || note.Branch != w.Branch {
		return nil
	}
	kept, err := w.Repo.ReadCommit(ctx, note.Halfway)
	if err != nil {
		return nil // pruned since: it is nobody's but the person's
	}
	s, err := w.Repo.StatusIgnored(ctx)
	if err != nil {
		return err
	}
	w.before = s
	w.recall(s)
	paths, err := w.pathsOf(ctx, kept)
	if err != nil {
		return err
	}
	known, err := w.holdsOnly(ctx, kept, paths)
	if err != nil {
		return err
	}
	if known != "" {
		ref, err := w.keepTree(ctx, known, nil, note.Name, "the work tree, as a crash left it")
		if err != nil {
			return err
		}
		w.tellLeft(note.Name, "what a crash left in the tree is kept as "+ref)
	}
	if err := w.Repo.RestorePaths(ctx, s.Head, paths); err != nil {
		return err
	}
	w.before, err = w.Repo.StatusIgnored(ctx)
	return err
}

// pathsOf are the files that an attempt changed, but for the person's untracked ones.
func (w *Place) pathsOf(ctx context.Context, kept git.Commit) (out []string, err error) {
	from := ""
	if len(kept.Parents) > 0 {
		from = kept.Parents[0]
	}
	d, err := w.Repo.Diff(ctx, from, kept.OID)
	if err != nil {
		return nil, err
	}
	for _, f := range d.Files {
		out = append(out, f.Path)
		if f.OldPath != f.Path {
			out = append(out, f.OldPath)
		}
	}
	out = slices.DeleteFunc(out, w.own.has)
	return out, nil
}

// holdsOnly returns the tree of all that is there, where a file of an attempt is neither what
// the attempt has, or its beginning, nor what HEAD has; else nothing.
func (w *Place) holdsOnly(ctx context.Context, kept git.Commit, paths []string) (tree string, err error) {
	var there []string
	for _, p := range paths {
		if info, err := os.Lstat(filepath.Join(w.Repo.Top, p)); err == nil && !info.IsDir() {
			there = append(there, p)
		}
	}
	if tree, err = w.Repo.Snapshot(ctx, there); err != nil {
		return "", err
	}
	for _, p := range there {
		now, _ := w.Repo.Resolve(ctx, tree+":"+p)
		has, _ := w.Repo.Read(ctx, kept.Tree+":"+p)
		was := ""
		if w.before.Head != "" {
			was, _ = w.Repo.Resolve(ctx, w.before.Head+":"+p)
		}
		if now == has.OID || now == was {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(w.Repo.Top, path.Clean(p))); err != nil || !bytes.HasPrefix(has.Data, data) {
			return tree, nil
		}
	}
	return "", nil
}
