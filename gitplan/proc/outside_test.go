//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// workTree returns a work tree, which becomes the current folder, whose folder bin is on PATH under three
// names, before a folder outside the tree. Each contains a program of the given name.
func workTree(t *testing.T, inside, beside string) (top, outer string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top, outer = filepath.Join(dir, "tree"), filepath.Join(dir, "outer")
	for _, d := range []string{top + "/.git", top + "/bin", top + "/deep/er", outer} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{top + "/bin/" + inside: "theirs", outer + "/" + beside: "ours"} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tree/bin", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(top, "deep/er"))
	t.Setenv("PATH", strings.Join([]string{top + "/bin", "../../bin", dir + "/link", "", outer, "/bin"}, ":"))
	return top, outer
}

// No program of the work tree is started in place of one of the person's, under whatever name the folder is
// on PATH.
func TestProgramOfTheWorkTreeIsNotGit(t *testing.T) {
	top, outer := workTree(t, "git-x", "git-x")
	if err := os.Mkdir(filepath.Join(top, "deep/.git"), 0o755); err != nil { // by a session
		t.Fatal(err)
	}
	if got := WorkTrees(); !slices.Equal(got, []string{top + "/deep", top}) {
		t.Errorf("the work trees are %s", got)
	}
	if got, want := PathOutside(), outer+":/bin"; got != want || PathOutside() != want {
		t.Errorf("PATH is %s, want %s", got, want)
	}
	for range 2 { // the second time it is cached
		var said Head
		said.Max = 10
		exit, err := Run(t.Context(), Cmd{Name: "git-x", Outside: true, Stdout: &said})
		if err != nil || !exit.OK() || string(said.Text) != "ours\n" {
			t.Errorf("%+v, %v: %s", exit, err, said.Text)
		}
	}
	if err := os.Symlink(top+"/bin/git-x", outer+"/git-y"); err != nil {
		t.Fatal(err)
	}
	if path, inTree, ok := FindOutside("git-y"); !inTree || !ok {
		t.Errorf("a link into the work tree: %s, %v, %v", path, inTree, ok)
	}
	if path, inTree, ok := FindOutside("git-x"); path != outer+"/git-x" || inTree || !ok {
		t.Errorf("%s, %v, %v", path, inTree, ok)
	}
	t.Setenv("HOME", top)
	if got := WorkTrees(); !slices.Equal(got, []string{top + "/deep"}) {
		t.Errorf("a home around a work tree: %s", got)
	}
	t.Chdir("/")
	if got := WorkTrees(); got != nil {
		t.Errorf("the root is in the work trees %s", got)
	}
	t.Setenv("GIT_WORK_TREE", outer)
	if path, inTree, _ := FindOutside("git-x"); path == outer+"/git-x" && !inTree {
		t.Errorf("%s is not in the work tree that is named", path)
	}
}

// codex creates an empty .git in temporary folders while its commands run. Elsewhere a session may have
// emptied it.
func TestEmptyGitInATemporaryFolder(t *testing.T) {
	top, outer := workTree(t, "git-x", "git-x")
	above := filepath.Dir(top)
	if err := os.Mkdir(filepath.Join(above, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	both := []string{top, above}
	for _, at := range []struct {
		temporary, dir string
		want           []string
	}{{above, top, both[:1]}, {outer, top, both}, {above, above, both[1:]}, {above, outer, both[1:]}} {
		t.Setenv("TMPDIR", at.temporary)
		t.Chdir(at.dir)
		if got := WorkTrees(); !slices.Equal(got, at.want) {
			t.Errorf("in %s, with the temporary folder %s: %s, want %s", at.dir, at.temporary, got, at.want)
		}
	}
	if err := os.WriteFile(filepath.Join(above, ".git/HEAD"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	if got := WorkTrees(); !slices.Equal(got, both) {
		t.Errorf("a work tree that is a temporary folder is not in %s", got)
	}
}

// A program that exists only in the work tree is not started, and a warning names it.
func TestProgramOnlyInTheWorkTree(t *testing.T) {
	workTree(t, "git-x", "other")
	_, err := Run(t.Context(), Cmd{Name: "git-x", Outside: true})
	if err == nil || !strings.Contains(err.Error(), "lies in the work tree, where sessions write") {
		t.Errorf("the error is %v", err)
	}
	if path, inTree, ok := FindOutside("git-x"); !inTree || !ok {
		t.Errorf("%s, %v, %v", path, inTree, ok)
	}
	if path, inTree, ok := FindOutside("../../bin/git-x"); path != "../../bin/git-x" || !inTree || !ok {
		t.Errorf("by a path: %s, %v, %v", path, inTree, ok)
	}
	if path, inTree, ok := FindOutside("/bin/sh"); path != "/bin/sh" || inTree || !ok {
		t.Errorf("by a path elsewhere: %s, %v, %v", path, inTree, ok)
	}
	if _, err := Run(t.Context(), Cmd{Name: "git-none", Outside: true}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("what is nowhere: %v", err)
	}
	if _, _, ok := FindOutside("git-none"); ok {
		t.Error("a missing program is found")
	}
}
