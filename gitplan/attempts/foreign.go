package attempts

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Foreign returns a snapshot of an attempt's files in the work tree if one of them is neither the
// attempt's version (or its beginning) nor that of head (empty: none); else "".
func Foreign(ctx context.Context, r *git.Repo, head string, kept git.Commit, paths []string) (tree string, err error) {
	var there []string
	for _, name := range paths {
		if info, err := os.Lstat(filepath.Join(r.Top, name)); err == nil && !info.IsDir() {
			there = append(there, name)
		}
	}
	if tree, err = worktree.Snapshot(ctx, r, there); err != nil {
		return "", err
	}
	for _, name := range there {
		now, _ := r.Resolve(ctx, tree+":"+name)
		has, _ := r.Read(ctx, kept.Tree+":"+name)
		was := ""
		if head != "" {
			was, _ = r.Resolve(ctx, head+":"+name)
		}
		if now == has.OID || now == was {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(r.Top, path.Clean(name))); err != nil || !bytes.HasPrefix(has.Data, data) {
			return tree, nil
		}
	}
	return "", nil
}
