package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// A failed git is recognised by its exit code, and reported in git's own words, or at least by its code.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		text string
		is   error
	}{
		{&Error{Args: []string{"-c", "a=b", "--no-pager", "status"}, Code: 1, Stderr: " fatal: no\n"}, "git status: fatal: no", nil},
		{&Error{Args: []string{"--version"}, Code: 3}, "git --version: exit code 3", nil},
		{&Error{Args: []string{"commit"}, Code: Fatal, Lock: "/r/.git/index.lock"}, "/r/.git/index.lock is in the way: another git works here, or one died", ErrLocked},
		{&Error{Args: []string{"add"}, Code: Fatal, Stderr: "x", confined: true}, "git add: x", ErrConfined},
		{&Error{Args: []string{"add"}, Code: 1, Stderr: "x", confined: true}, "git add: x", nil},
	} {
		if c.err.Error() != c.text || Code(c.err) != c.err.Code {
			t.Errorf("%q with code %d, want %q", c.err.Error(), Code(c.err), c.text)
		}
		for _, sentinel := range []error{ErrLocked, ErrConfined, ErrMissing} {
			if errors.Is(c.err, sentinel) != (sentinel == c.is) {
				t.Errorf("%q: is it %q?", c.text, sentinel)
			}
		}
	}
	if Code(errors.New("x")) != -1 {
		t.Error("an error of another kind has a code")
	}
}

// An error about a lock file names the file.
func TestLockFileIsNamed(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "1")
	one := repository.Commit(t, "one")
	for lock, try := range map[string]func() error{
		"index.lock":        func() error { return r.Run(t.Context(), Command{Args: []string{"add", "a"}, Writes: true}) },
		"config.lock":       func() error { return r.SetConfig(t.Context(), "a.b", "c") },
		"refs/plans/a.lock": func() error { return r.UpdateRef(t.Context(), "refs/plans/a", one, "", "made") },
		"refs/heads/main.lock": func() error {
			return r.Run(t.Context(), Command{Args: []string{"commit", "--allow-empty", "-m", "x"}, Writes: true})
		},
		"objects/not-a-lock.lock": func() error { return r.Run(t.Context(), Command{Args: []string{"no-such-command"}, Writes: true}) },
	} {
		repository.Write(t, filepath.Join(".git", lock), "")
		err := try()
		named := lock != "objects/not-a-lock.lock"
		if errors.Is(err, ErrLocked) != named || named && !strings.Contains(err.Error(), filepath.FromSlash(lock)) {
			t.Errorf("with %s there: %v", lock, err)
		}
		if err := os.Remove(filepath.Join(".git", lock)); err != nil {
			t.Fatal(err)
		}
	}
}

// The locks of this work tree are distinguished from those that all work trees share.
func TestLocksAreFound(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	if found := append(r.Locks(), r.LocksOf(SharedLockNames...)...); len(found) != 0 {
		t.Fatalf("there are locks: %v", found)
	}
	for _, name := range []string{"index", "HEAD", "refs/heads/main", "packed-refs", "refs/plans/a"} {
		repository.Write(t, filepath.Join(".git", name+".lock"), "")
	}
	for _, c := range []struct {
		locks []Lock
		want  string
	}{
		{r.Locks(), "index.lock HEAD.lock main.lock*"}, {r.LocksOf(SharedLockNames...), "packed-refs.lock*"}, {r.LocksOf("refs/plans/a", "refs/plans/b"), "a.lock*"},
	} {
		var got []string
		for _, l := range c.locks {
			name := filepath.Base(l.Path)
			if l.Shared {
				name += "*"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("the locks are %q, want %q", got, c.want)
		}
	}
}
