package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A git that was given its repository by a relative path holds locks there and nowhere else.
func TestAGitWithARelativeRepositoryHoldsNoOtherLock(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, other} {
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	below := filepath.Join(one, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "--git-dir=../.git", "hash-object", "-w", "--stdin")
	cmd.Dir = below
	in, err := cmd.StdinPipe() // it waits for what never comes
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	holds := func(dir string) string {
		who, known := LockHolder(filepath.Join(dir, ".git", "index.lock"), filepath.Join(dir, ".git"))
		if !known {
			t.Skip("processes cannot be seen here")
		}
		return who
	}
	for held := ""; !strings.HasPrefix(held, "git hash-object"); held = holds(one) {
		time.Sleep(time.Millisecond) // until it has begun
	}
	if who := holds(other); who != "" {
		t.Errorf("%s holds the lock of a repository that it was never given", who)
	}
}
