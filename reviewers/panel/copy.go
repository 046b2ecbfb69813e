package panel

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Clone gives the target a clone that reviewers share, in Dir, which remove deletes.
func (t *Target) Clone(ctx context.Context) (remove func(), err error) {
	t.Dir, remove, err = checkout.Throwaway(ctx, t.Repo, t.Head, "tree")
	return remove, err
}

// inClone has a reviewer that can write judge in a clone of its own. If it answered, and a file under judgement was
// changed there, that is an error: it is unknown what it read.
func (t *Target) inClone(ctx context.Context, judge func(own *Target) (answered bool)) error {
	dir, remove, err := checkout.Throwaway(ctx, t.Repo, t.Head, "tree")
	if err != nil {
		return fmt.Errorf("there is no clone for it: %w", err)
	}
	defer remove()
	own := *t
	own.Dir = dir
	if err := own.HideSecrets(); err != nil {
		return err
	}
	if own.fresh, err = fingerprints(dir); err != nil {
		return err
	}
	if !judge(&own) {
		return nil
	}
	changed := "the clone as a whole"
	if now, err := fingerprints(dir); err == nil {
		changed = finding.Some(own.judgedFiles(ctx, now), 3)
	}
	if changed == "" {
		return nil
	}
	return fmt.Errorf("it changed its copy: %s; a reviewer must not write to files under review: say so in its persona, or change its command", changed)
}

// HideSecrets removes the files in which a secret was found from the clone, if there is one.
func (t *Target) HideSecrets() error {
	if len(t.Secret) == 0 || t.Dir == "" {
		return nil
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for p := range t.Secret {
		if err := root.Remove(p); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("a file with a secret could not be hidden: %w", err)
		}
	}
	return nil
}

// judgedFiles returns the changed paths among the files of the commit, HEAD, refs and settings. New files do not count:
// a reviewer may run the tests. Nor does the index, where git itself writes.
func (t *Target) judgedFiles(ctx context.Context, now map[string]string) []string {
	var list []string
	for p, state := range t.fresh {
		if now[p] != state && !t.asCommitted(ctx, p) {
			list = append(list, p)
		}
	}
	for p := range now {
		if _, was := t.fresh[p]; !was && strings.HasPrefix(p, ".git/") {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

func (t *Target) asCommitted(ctx context.Context, p string) bool {
	want, ok := t.File(ctx, p)
	info, err := os.Lstat(filepath.Join(t.Dir, filepath.FromSlash(p)))
	if !ok || err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(want)) || !strings.HasPrefix(t.fresh[p], info.Mode().String()+" ") {
		return false
	}
	got, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(p)))
	return err == nil && bytes.Equal(got, want)
}

// Shared returns a fingerprint of each file in the clone that reviewers share; nil if none do.
func (t *Target) Shared() (map[string]string, error) {
	if t.Dir == "" {
		return nil, nil
	}
	return fingerprints(t.Dir)
}

// fingerprints returns the state of each file of a clone, and of what in its .git decides how git reads them. It does
// not ask git, which a session could have made run something or skip files, and includes the kernel's time of
// change, because size and modification time can be set back.
func fingerprints(dir string) (map[string]string, error) {
	seen := map[string]string{}
	decisive := []string{"HEAD", "config", "config.worktree", "packed-refs", "refs", "info", "hooks"}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		parts := strings.Split(rel, string(filepath.Separator))
		if parts[0] == ".git" && len(parts) > 1 && !slices.Contains(decisive, parts[1]) {
			if d.IsDir() {
				return fs.SkipDir // git itself writes there
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(p) // "" unless it is a link
		seen[filepath.ToSlash(rel)] = fmt.Sprintf("%v %d %d %d %q", info.Mode(), info.Size(), info.ModTime().UnixNano(), git.Changed(info).UnixNano(), target)
		return nil
	})
	return seen, err
}
