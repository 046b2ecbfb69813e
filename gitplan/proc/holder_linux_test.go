package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// A git that only reads holds no lock, whatever options stand in front of what it does.
func TestWhichGitOnlyReads(t *testing.T) {
	for line, want := range map[string]bool{
		"git log": true, "git -c a.b=c -C /x log": true, "git --git-dir=/x/.git cat-file --batch": true, "git plan step": true, "git --no-pager diff-tree -r": true,
		"git commit": false, "git -C log commit": false, "git": false, "git --version": false, "git rebase --exec log": false, "git-receive-pack /x": false,
	} {
		if got := onlyReads(strings.Fields(line)); got != want {
			t.Errorf("%s only reads: %v", line, got)
		}
	}
}

// A process is a git only by its name, and one of a folder only if it is there or was given it.
func TestWhoIsAGitOfAFolder(t *testing.T) {
	one, other := t.TempDir(), t.TempDir()
	start := func(program, dir string) int { // this test binary, under another name
		path := filepath.Join(t.TempDir(), program)
		self, err := os.Executable()
		if err == nil {
			err = os.Symlink(self, path)
		}
		cmd := exec.Command(path)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PROC_TEST_RUN=sleep 300")
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	git, sleep := start("git-thing", one), start("sleep", one)
	eventually(t, func() bool { return GitIn(git, one) }) // once it has become the program
	if GitIn(git, other) || !GitIn(git, other, one) || !GitIn(git) || GitIn(sleep, one) || GitIn(-1, one) {
		t.Errorf("elsewhere %v, in both %v, anywhere %v, another program %v, nobody %v", GitIn(git, other), GitIn(git, other, one), GitIn(git), GitIn(sleep, one), GitIn(-1, one))
	}
	if who, known := LockHolder(filepath.Join(one, "x.lock"), one); known && !strings.HasPrefix(who, "git-thing") {
		t.Errorf("the holder is %q", who)
	}
	if who, _ := LockHolder(filepath.Join(other, "x.lock"), other); who != "" {
		t.Errorf("%s holds the lock of another folder", who)
	}
}

// Whoever has a lock file open holds it, whatever the program is called.
func TestWhoHasALockOpenHoldsIt(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "index.lock")
	cmd := exec.Command("sh", "-c", `exec 9>"$0"; echo open; read end`, lock)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	_, _ = out.Read(make([]byte, 5))
	if who, known := LockHolder(lock, t.TempDir()); known && who != fmt.Sprintf("a program (pid %d)", cmd.Process.Pid) {
		t.Errorf("the holder is %q", who)
	}
}

// A process is known by its number together with when it began, and found by its parent.
func TestWhatIsKnownOfAProcess(t *testing.T) {
	cmd := exec.Command("sleep", "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if began := StartTime(pid); began == "" || began != StartTime(pid) || parentOf(pid) != os.Getpid() || !slices.Contains(childrenOf(os.Getpid()), pid) {
		t.Errorf("it began at %q, its parent is %d, our children are %v", began, parentOf(pid), childrenOf(os.Getpid()))
	}
	_ = cmd.Process.Kill()
	eventually(t, func() bool { return StartTime(pid) == "" }) // dead, though nobody has asked how it ended
	_ = cmd.Wait()
	if StartTime(pid) != "" || parentOf(-1) != 0 || len(childrenOf(-1)) > 0 {
		t.Error("something is known of nobody")
	}
	if env, known := environ(-1); len(env) > 0 || !known {
		t.Errorf("nobody has %q", env)
	}
	Sweep("") // an empty mark is nobody's
}
