package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// git sends files through filters of the person's configuration, whenever it looks at the
// tree. A script that is named there must stay as it was, as part of the set-up; but nobody can
// list what it imports or sources, or what an interpreter finds in the current folder. So if a
// filter may run what lies in the tree, our gits run it in the sandbox of checks, where
// it can only read the tree. Filters that encrypt or that fetch large files need the
// person's keys, and run nothing of the tree: git-crypt and git-lfs run unconfined.

var filterKey = pattern.Of(`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)$`)

// ConfineFilters makes later gits of the repository run filters that may run what lies in the
// tree in the sandbox, where they can read the tree, and alsoRead. Without such filters it
// costs nothing.
func (s *Sandbox) ConfineFilters(ctx context.Context, alsoRead string) error {
	r := s.repo
	sandboxed, err := s.config.Word("plan.hooksSandbox")
	filters := filtersOfTree(s.config, r.Top)
	if err != nil || sandboxed == "off" || len(filters) == 0 || r.Top == "" {
		return nil // whatever needs plan.sandbox reports what is wrong with it
	}
	in, err := Choose(ctx, s.config)
	if err != nil {
		return err
	}
	bounds, err := s.Confine(in.Kind, r.Top)
	if err != nil || bounds == nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	bounds.Writable = slices.DeleteFunc(slices.Clone(bounds.Writable), func(p string) bool { return p == r.Top })
	spec, err := proc.ConfinedSpec(bounds.Reveal(r.Top, alsoRead), proc.Withheld(s.config.Environment(nil)))
	if err == nil {
		r.ConfineFilters(s.config.Git, program, spec, filters)
	}
	return err
}

// filtersOfTree returns the filters that may run what lies in a work tree.
func filtersOfTree(c *settings.Config, top string) (out []git.Filter) {
	there := func(path string) bool {
		_, err := os.Lstat(path)
		return err == nil
	}
	for _, key := range c.Git.AllKeys() {
		if command, ok := c.Git.Get(key); ok && filterKey.MatchString(key) && mayRunTree(command, top, there) {
			out = append(out, git.Filter{Key: key, Command: command})
		}
	}
	slices.SortFunc(out, func(a, b git.Filter) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// runNothing are programs that run no file of the tree; runFiles matches those that run what they
// find in the current folder, or what they are given.
var (
	runNothing = []string{"git-lfs", "git-crypt"}
	runFiles   = pattern.Of(`^((ba|da|z|k|c|tc|fi|a)?sh|(python|pypy|ruby|perl|lua|php|node|tclsh)[0-9.]*|deno|bun|Rscript|R|julia|java|awk|gawk|mawk|make|just|` +
		`npm|npx|yarn|pnpm|pnpx|uv|uvx|poetry|pipenv|pdm|hatch|rye|bundle|cargo|go|dotnet|gradle|mvn|env|exec|eval|source|\.|command|nice|time|timeout|xargs|find|sudo|doas|git)$`)
)

// mayRunTree reports whether a command may run what lies in a work tree, as well as that can be
// known without a shell.
func mayRunTree(command, top string, there func(path string) bool) bool {
	if strings.ContainsAny(command, "$`") {
		return true
	}
	for part := range strings.FieldsFuncSeq(command, func(c rune) bool { return strings.ContainsRune("|;&\n(){}<>", c) }) {
		words := strings.FieldsFunc(part, func(c rune) bool { return strings.ContainsRune(" \t\"'\\", c) })
		if len(words) == 0 {
			continue
		}
		program, name := words[0], filepath.Base(words[0])
		elsewhere := filepath.IsAbs(program) && !disk.Within(top, filepath.Clean(program))
		switch {
		case strings.Contains(program, "/") && !elsewhere:
			return true
		case slices.Contains(runNothing, name), name == "git" && len(words) > 1 && slices.Contains(runNothing, "git-"+words[1]):
			continue
		case runFiles.MatchString(name), strings.Contains(program, "="):
			return true
		}
		for _, path := range setup.NamedFiles(strings.Join(words[1:], " "), top) {
			if there(path) {
				return true
			}
		}
	}
	return false
}
