package sandbox

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestFiltersThatMayRunTheTree protects the person from files that a session puts beside a filter's script or
// settings, and keeps filters that need keys out of a sandbox without them.
func TestFiltersThatMayRunTheTree(t *testing.T) {
	find := func(name string) (path string, inTree, ok bool) {
		switch {
		case filepath.IsAbs(name):
			return name, false, true
		case name == "tr":
			return "/w/tr", true, true
		}
		return "/usr/bin/" + name, false, !slices.Contains([]string{"git-crypt"}, name)
	}
	for _, command := range []string{
		"git-lfs clean -- %f", "git-lfs filter-process", "git lfs smudge -- %f", `"/usr/local/bin/git-crypt" smudge`,
		"cat", "gpg --encrypt -r me",
	} {
		if !harmless(command, "/w", find) {
			t.Errorf("%s is confined", command)
		}
	}
	for _, command := range []string{
		"tools/strip.sh", "./strip.sh", "/w/tools/strip.sh", "python3 tools/strip.py", "/usr/bin/python3.12 -m tools.strip", "sh tools/strip.sh",
		`"$(git rev-parse --show-toplevel)"/strip`, "cat | ./strip", "sed -e s/a/b/", "sed -f rules.sed", "sed -f ./rules.sed", "npx strip", "env X=1 strip", "X=1 strip", "cat; node x",
		"git strip", "/w/../w/git-lfs clean", "tools/git-lfs clean", "prettier --stdin-filepath %f", "/usr/bin/prettier --stdin-filepath %f", "jupyter nbconvert --stdin",
		"rubocop -A", "nbstripout", "clang-format --assume-filename=%f", "git-crypt clean", "tr a b", "",
	} {
		if harmless(command, "/w", find) {
			t.Errorf("%s runs outside the sandbox", command)
		}
	}
}
