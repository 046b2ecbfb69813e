package sandbox

import "testing"

// TestFiltersThatMayRunTheTree protects the person from what a session puts beside a
// filter's script, and filters that need keys from a sandbox without them.
func TestFiltersThatMayRunTheTree(t *testing.T) {
	there := func(path string) bool { return path == "/w/rules.sed" || path == "/w/clean" }
	for _, command := range []string{
		"git-lfs clean -- %f", "git-lfs filter-process", "git lfs smudge -- %f", `"git-crypt" clean`, `"/usr/local/bin/git-crypt" smudge`,
		"cat", "nbstripout", "sed -e s/a/b/", "expand -t 4 | unexpand", "gpg --encrypt -r me", "clang-format --assume-filename=%f",
	} {
		if mayRunTree(command, "/w", there) {
			t.Errorf("%s is taken for one that runs the tree", command)
		}
	}
	for _, command := range []string{
		"tools/strip.sh", "./strip.sh", "/w/tools/strip.sh", "python3 tools/strip.py", "/usr/bin/python3.12 -m tools.strip", "sh tools/strip.sh",
		`"$(git rev-parse --show-toplevel)"/strip`, "cat | ./strip", "sed -f rules.sed", "sed -f ./rules.sed", "npx strip", "env X=1 strip", "X=1 strip", "cat; node x",
		"git strip", "/w/../w/git-lfs clean", "tools/git-lfs clean",
	} {
		if !mayRunTree(command, "/w", there) {
			t.Errorf("%s may run the tree", command)
		}
	}
}
