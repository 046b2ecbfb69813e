package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// NotIgnored returns those of some paths that git would not ignore if its .gitignore files were
// these: rules has their contents by path. It does not depend on what is in the work tree.
func NotIgnored(ctx context.Context, r *git.Repo, rules map[string][]byte, paths []string) (out []string, err error) {
	_, err = inOwnIndex(r, func(index string) (string, error) {
		top := filepath.Join(filepath.Dir(index), "rules")
		if err := os.Mkdir(top, 0o700); err != nil {
			return "", err
		}
		root, err := os.OpenRoot(top)
		if err != nil {
			return "", err
		}
		defer root.Close()
		for path, text := range rules {
			if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return "", err
			}
			if err := root.WriteFile(path, text, 0o600); err != nil {
				return "", err
			}
		}
		ignored, err := checkIgnore(ctx, r, git.Command{Args: []string{"-C", top, "check-ignore", "-z", "--stdin", "--no-index"},
			Env: []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + top}}, paths)
		for _, p := range paths {
			if !ignored[p] {
				out = append(out, p)
			}
		}
		return "", err
	})
	return out, err
}

// WouldIgnore returns those of some paths that git ignores, whether they exist or not. git does
// not ignore what is tracked.
func WouldIgnore(ctx context.Context, r *git.Repo, paths []string) (map[string]bool, error) {
	return checkIgnore(ctx, r, git.Command{Args: []string{"check-ignore", "-z", "--stdin"}}, paths)
}

func checkIgnore(ctx context.Context, r *git.Repo, c git.Command, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	c.Stdin, c.Stdout = nulEnded(paths), &out
	err := r.Run(ctx, c)
	if git.Code(err) == 1 { // none is ignored
		err = nil
	}
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\x00"), "\x00") {
		ignored[p] = true
	}
	return ignored, err
}
