package git

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// overwrite runs a git that makes index and tracked files something else, as `reset
// --hard` does. A person who hides a file from git (assume-unchanged) keeps changes in
// it that no commit is to have, and git would write over them: while it runs, these
// files are such that it leaves them alone.
func (r *Repo) overwrite(ctx context.Context, args ...string) error {
	entries, err := r.entries(ctx, func(tag string) bool { return tag != "s" && tag != strings.ToUpper(tag) })
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return r.Run(ctx, Command{Args: args, Writes: true})
	}
	if err := r.mark(ctx, "--skip-worktree", entries); err != nil {
		return err
	}
	// In a sparse checkout git would look at them after all.
	err = r.Run(ctx, Command{Args: append([]string{"-c", "core.sparseCheckout=false"}, args...), Writes: true})
	ctx = context.WithoutCancel(ctx)
	left, e := r.entries(ctx, func(tag string) bool { return tag == "s" })
	left = slices.DeleteFunc(left, func(p string) bool { return !slices.Contains(entries, p) })
	return cmp.Or(err, e, r.mark(ctx, "--no-skip-worktree", left))
}

// entries are the paths of the index that have a tag, see git ls-files -v.
func (r *Repo) entries(ctx context.Context, has func(tag string) bool, env ...string) (out []string, err error) {
	var list strings.Builder
	if err := r.Run(ctx, Command{Args: []string{"ls-files", "-v", "-z"}, Env: env, Stdout: &list}); err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(list.String(), "\x00") {
		if tag, path, ok := strings.Cut(entry, " "); ok && has(tag) {
			out = append(out, path)
		}
	}
	return out, nil
}

// mark sets a flag of entries of the index.
func (r *Repo) mark(ctx context.Context, flag string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	return r.Run(ctx, Command{Args: []string{"update-index", flag, "-z", "--stdin"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Writes: true})
}
