package gitplan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// A session in bwrap sees and writes its own folder, and none of another session's, though
// both lie in the temporary folder, which it shares with everybody.
func TestSessionsDoNotSeeEachOthersFolders(t *testing.T) {
	if err := proc.Bwrap.Works(t.Context()); err != nil {
		t.Skipf("bwrap does not work here: %v", err)
	}
	c := checkoutWith(t, "")
	t.Setenv("TMPDIR", t.TempDir())
	var dirs []string
	for range 2 {
		dir, remove, err := proc.TempFolder("session")
		if err != nil {
			t.Fatal(err)
		}
		defer remove()
		if err := os.WriteFile(filepath.Join(dir, "secret"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	confine, err := c.Confine(Sandbox{Kind: proc.Bwrap}, c.Repo.Top)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OWN", dirs[0])
	t.Setenv("OTHER", dirs[1])
	name, args := proc.Shell(`test -e "$OWN/secret" && echo x >"$OWN/left" && echo y >"$TMPDIR/shared" &&
		! test -e "$OTHER" && ! ls "$(dirname "$OTHER")" | grep -q lock && ! mv "$(dirname "$OTHER")" "$TMPDIR/away" && ! mkdir "$OTHER"`)
	said := &proc.Tail{}
	exit, err := proc.Run(t.Context(), proc.Cmd{Name: name, Args: args, Dir: c.Repo.Top, Confine: confine.Allow(dirs[0]), Stdout: said, Stderr: said})
	if err != nil || exit.Code != 0 {
		t.Errorf("code %d, %v: %s", exit.Code, err, said)
	}
	for _, path := range []string{filepath.Join(dirs[0], "left"), filepath.Join(os.Getenv("TMPDIR"), "shared"), filepath.Join(dirs[1], "secret")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
