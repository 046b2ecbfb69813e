//go:build linux || darwin

package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestTempFolderHolder is the process that TestFoldersOfADeadProcessAreRemoved kills.
func TestTempFolderHolder(t *testing.T) {
	if os.Getenv("HOLD_A_FOLDER") == "" {
		t.Skip("only started by another test")
	}
	dir, _, err := TempFolder("held")
	if in := os.Getenv("HOLD_IT_IN"); in != "" {
		dir, _, err = TempFolderIn(in, "held")
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString(dir + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// holder starts a process that has a folder; kill ends it like kill -9.
func holder(t *testing.T) (dir string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTempFolderHolder$")
	cmd.Env = append(os.Environ(), "HOLD_A_FOLDER=1")
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
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); in.Close() }
	t.Cleanup(kill)
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(line[:n])), kill
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// A folder exists as long as its process lives, and no longer, whatever is in it.
func TestFoldersOfADeadProcessAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	outside := t.TempDir()
	dir, kill := holder(t)
	deep := filepath.Join(dir, "a", "b")
	must(t, os.MkdirAll(deep, 0o700))
	must(t, os.WriteFile(filepath.Join(deep, "file"), nil, 0o400))
	must(t, os.WriteFile(filepath.Join(outside, "file"), nil, 0o600))
	must(t, os.Symlink(outside, filepath.Join(deep, "link")))
	must(t, os.Chmod(outside, 0o500))
	must(t, os.Chmod(deep, 0o500))
	must(t, os.Chmod(filepath.Dir(deep), 0o100))
	must(t, os.Chmod(dir, 0o100))

	SweepTemps()
	if _, err := os.Lstat(filepath.Join(dir, "a")); err != nil {
		t.Fatalf("the folder of a living process: %v", err)
	}
	kill()
	SweepTemps()
	if left := names(t, filepath.Dir(dir)); len(left) > 0 {
		t.Errorf("left of a dead process: %v", left)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 || len(names(t, outside)) != 1 {
		t.Errorf("where a link leads: %v %v", info, err)
	}
	must(t, os.Chmod(outside, 0o700))
}

// The same for one in a folder of git plan's, such as a repository's, when the next one is made there.
func TestFoldersOfADeadProcessInARepositoryAreRemoved(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "not", "there")
	t.Setenv("HOLD_IT_IN", parent)
	dir, kill := holder(t)
	must(t, os.WriteFile(filepath.Join(dir, "index"), nil, 0o600))
	_, remove, err := TempFolderIn(parent, "next")
	must(t, err)
	remove()
	if left := names(t, parent); len(left) != 1 || filepath.Dir(dir) != parent {
		t.Fatalf("while %s is held there are %v", dir, left)
	}
	kill()
	_, remove, err = TempFolderIn(parent, "next")
	must(t, err)
	remove()
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left of a dead process: %v", left)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A foreign file in place of the user's folder is neither used nor cleaned.
func TestForeignFolderIsNotUsed(t *testing.T) {
	put := map[string]func(t *testing.T, at, elsewhere string){
		"a link": func(t *testing.T, at, elsewhere string) { must(t, os.Symlink(elsewhere, at)) },
		"open to others": func(t *testing.T, at, elsewhere string) {
			must(t, os.Rename(elsewhere, at))
			must(t, os.Chmod(at, 0o777))
		},
		"a file": func(t *testing.T, at, elsewhere string) { must(t, os.WriteFile(at, nil, 0o600)) },
		"another user's (root only)": func(t *testing.T, at, elsewhere string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			must(t, os.Rename(elsewhere, at))
			must(t, os.Chown(at, 4711, 4711))
		},
	}
	for name, put := range put {
		t.Run(name, func(t *testing.T) {
			tmp, elsewhere := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", tmp)
			must(t, os.Mkdir(filepath.Join(elsewhere, "theirs"), 0o700))
			at := tempsIn(tmp)
			put(t, at, elsewhere)
			dir, remove, err := TempFolder("x")
			if err != nil || filepath.Dir(dir) != tmp {
				t.Fatalf("the folder is %s, %v", dir, err)
			}
			if Temps(tmp) != nil {
				t.Error("it counts as ours")
			}
			remove()
			if left := names(t, tmp); len(left) != 1 {
				t.Errorf("there are %v", left)
			}
			for _, there := range []string{at, elsewhere} {
				if info, err := os.Stat(there); err == nil && info.IsDir() && len(names(t, there)) != 1 {
					t.Errorf("%s has %v", there, names(t, there))
				}
			}
		})
	}
}

// In git plan's own folder only folders are opened or removed, and no link is followed.
func TestOnlyFoldersAreSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	outside := t.TempDir()
	SweepTemps()
	ours := Temps(os.TempDir())[0]
	must(t, os.Mkdir(filepath.Join(ours, "alone"), 0o700))
	must(t, exec.Command("mkfifo", filepath.Join(ours, "pipe")).Run())
	must(t, os.Symlink(outside, filepath.Join(ours, "leads")))
	SweepTemps()
	if left := strings.Join(names(t, ours), " "); left != "leads pipe" {
		t.Errorf("left: %s", left)
	}
	must(t, os.Remove(outside))
}

// Many processes that make folders and sweep at once do not remove each other's.
func TestConcurrentFoldersAreKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				dir, remove, err := TempFolder("own")
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
				}
				if err != nil {
					t.Error(err)
					return
				}
				remove()
			}
		})
	}
	all.Wait()
	if left := names(t, tempsIn(os.TempDir())); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Without the user's folder a new one of mode 0700 is made; if none can be made at all, the error says so.
func TestFallbackFolder(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	must(t, os.WriteFile(tempsIn(tmp), nil, 0o600))
	dir, remove, err := TempFolder("x")
	if info, serr := os.Stat(dir); err != nil || serr != nil || info.Mode().Perm() != 0o700 || filepath.Dir(dir) != tmp {
		t.Fatalf("%s, %v, %v", dir, err, serr)
	}
	remove()
	t.Setenv("TMPDIR", filepath.Join(tmp, "nowhere"))
	SweepTemps() // has nothing to sweep
	if dir, _, err := TempFolder("x"); err == nil {
		t.Errorf("where is %s?", dir)
	}
	if dir, _, err := TempFolderIn(filepath.Join(tempsIn(tmp), "below"), "x"); err == nil {
		t.Errorf("below a file there is %s", dir)
	}
}
