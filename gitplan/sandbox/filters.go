package sandbox

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A filter of the person's configuration may load settings or programs from the tree, which a session may have
// written. So our gits run every filter and merge driver in the sandbox of checks, where it can only read the
// tree, except a few programs that load nothing of it and that may need the person's keys.

var filterKey = visible.NewPattern(`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)$`)

// ConfineFilters makes later gits of r, which is the repository, a submodule or a clone, run filters that may run
// what lies in the tree in the sandbox, where they can read the tree and alsoRead.
func (s *Sandbox) ConfineFilters(ctx context.Context, r *git.Repo, alsoRead string) (err error) {
	sandboxed, _ := s.config.Word("plan.hooksSandbox") // an invalid value is on
	if sandboxed == "off" || r.Top == "" {
		return nil
	}
	config, top := s.config.Git, cmp.Or(s.repo.Top, r.Top)
	if r.CommonDir != s.repo.CommonDir {
		if config, err = r.Config(ctx); err != nil {
			return err
		}
	}
	var filters []git.Filter
	for _, key := range slices.Sorted(slices.Values(config.AllKeys())) {
		if command, ok := config.Get(key); ok && filterKey.MatchString(key) && !harmless(command, top, proc.FindOutside) {
			filters = append(filters, git.Filter{Key: key, Command: command})
		}
	}
	if len(filters) == 0 {
		return nil
	}
	in, err := Choose(ctx, s.config)
	if err != nil {
		return err
	}
	bounds, err := s.Confine(in.Kind, top)
	if err != nil || bounds == nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	bounds.Writable = slices.DeleteFunc(slices.Clone(bounds.Writable), func(p string) bool { return p == top })
	spec, err := proc.ConfinedSpec(bounds.Reveal(top, r.Top, alsoRead), proc.Withheld(s.config.Environment(nil)))
	if err == nil {
		r.ConfineFilters(config, program, spec, filters)
	}
	return err
}

// runNothing are the programs that run no file and load no configuration of the tree.
var runNothing = []string{"git-lfs", "git-crypt", "gpg", "gpg2", "age", "cat", "tr", "cut", "expand", "unexpand", "iconv"}

// harmless reports whether a command is one of these, found outside the tree, with nothing that a shell would read.
func harmless(command, top string, find func(name string) (path string, inTree, ok bool)) bool {
	words := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\"'", c) })
	if strings.ContainsAny(command, "$`|;&\n(){}<>\\") || len(words) == 0 {
		return false
	}
	name := filepath.Base(words[0])
	if name == "git" && len(words) > 1 {
		name = "git-" + words[1]
	}
	if !slices.Contains(runNothing, name) || strings.Contains(words[0], "/") && !filepath.IsAbs(words[0]) {
		return false
	}
	path, inTree, ok := find(words[0])
	return ok && !inTree && filepath.IsAbs(path) && !disk.Within(top, filepath.Clean(path))
}
