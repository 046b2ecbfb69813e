package worktree

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Ignored files are determined by git, with its rules as they are or as they would be.
func TestIgnored(t *testing.T) {
	r := opened(t)
	repository.Write(t, ".gitignore", "*.log\n")
	repository.Write(t, "kept.log", "x")
	repository.Ask(t, "add", "-f", "kept.log", ".gitignore")
	got, err := WouldIgnore(t.Context(), r, []string{"a.log", "kept.log", "a.go", "not/there.log"})
	if err != nil || len(got) != 2 || !got["a.log"] || !got["not/there.log"] {
		t.Errorf("it ignores %v, %v", got, err)
	}
	out, err := NotIgnored(t.Context(), r, map[string][]byte{".gitignore": []byte("*.go\n")}, []string{"a.log", "a.go"})
	if err != nil || !slices.Equal(out, []string{"a.log"}) {
		t.Errorf("by other rules it does not ignore %q, %v", out, err)
	}
}

// Attributes are read from a tree's own files, whatever is in the work tree.
func TestAttributes(t *testing.T) {
	r := opened(t)
	repository.Write(t, ".gitattributes", "*.gen linguist-generated\n*.txt text=auto\n")
	tree := repository.Commit(t, "one") + "^{tree}"
	repository.Write(t, ".gitattributes", "*.go linguist-generated\n")
	got, err := Attributes(t.Context(), r, tree, []string{"linguist-generated", "text"}, []string{"a.gen", "b.txt", "c.go"})
	if err != nil || got["a.gen"]["linguist-generated"] != "set" || got["b.txt"]["text"] != "auto" || len(got["c.go"]) != 0 {
		t.Errorf("the attributes are %v, %v", got, err)
	}
}
