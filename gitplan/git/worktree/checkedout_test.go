package worktree

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/git-plan/git-plan/testdata/repository"
)

// What a checkout would write otherwise than it lies there is known before it is committed.
func TestCheckedOut(t *testing.T) {
	r := opened(t)
	repository.Write(t, ".gitattributes", "*.txt text eol=lf\n")
	repository.Write(t, "a.txt", "one\r\ntwo\r\n")
	repository.Write(t, "b.bin", "one\r\n")
	config, err := r.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := checkedOut(t.Context(), r, config, []string{"a.txt", "b.bin"})
	if err != nil || len(other) != 1 || string(other["a.txt"]) != "one\ntwo\n" {
		t.Errorf("other bytes have %q, %v", other, err)
	}
	began := time.Now().Add(-time.Minute)
	repository.Commit(t, "one")
	if runtime.GOOS != "windows" {
		if err := os.Chmod("b.bin", 0o755); err != nil {
			t.Fatal(err)
		}
		if modes := modesSince(r, began, nil); len(modes) != 1 || modes["b.bin"] {
			t.Errorf("other modes have %v", modes)
		}
	}
}
