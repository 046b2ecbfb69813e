package worktree

import (
	"context"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Attributes returns the values of attributes that the files of a tree set, by path and name;
// an attribute that is not set is left out. With the tree of another branch, a branch cannot
// exempt its own files from being looked at. (The person's own attributes, which are in no
// tree, count as always.)
func Attributes(ctx context.Context, r *git.Repo, tree string, names, paths []string) (map[string]map[string]string, error) {
	if !hasAttributes(ctx, r, tree, paths) {
		return nil, nil
	}
	found := map[string]map[string]string{}
	_, err := inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index} // check-attr --source needs git 2.40
		if err := r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env}); err != nil {
			return "", err
		}
		var out strings.Builder
		err := r.Run(ctx, git.Command{
			Args: append([]string{"check-attr", "--cached", "--stdin", "-z"}, names...), Env: env,
			Stdin: nulEnded(paths), Stdout: &out,
		})
		fields := strings.Split(out.String(), "\x00")
		for ; len(fields) >= 3; fields = fields[3:] {
			if fields[2] == "unspecified" {
				continue
			}
			if found[fields[0]] == nil {
				found[fields[0]] = map[string]string{}
			}
			found[fields[0]][fields[1]] = fields[2]
		}
		return "", err
	})
	return found, err
}

// hasAttributes reports whether a tree says anything about one of the paths.
func hasAttributes(ctx context.Context, r *git.Repo, tree string, paths []string) bool {
	looked := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !looked[dir]; dir = path.Dir(dir) {
			looked[dir] = true
			if o, err := r.Read(ctx, tree+":"+path.Join(dir, ".gitattributes")); err == nil && o.Type == "blob" {
				return true
			}
		}
	}
	return false
}
