package checkout

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Two people type at once, each in a separate file; the text of a closed editor is opened again if its author
// asks for it.
func TestTakeFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	take := func(again bool, want string) (release func()) {
		t.Helper()
		path, release, err := TakeFile(filepath.Join(dir, "PLAN.md"), again)
		if err != nil || filepath.Base(path) != want {
			t.Fatalf("took %s, want %s: %v", path, want, err)
		}
		return release
	}
	typed := func(name string, ago time.Duration) {
		t.Helper()
		path := filepath.Join(dir, name)
		at := time.Now().Add(-ago)
		fine(t, os.WriteFile(path, []byte("# T\n"), 0o600), os.Chtimes(path, at, at))
	}
	first := take(false, "PLAN.md")
	second := take(true, "PLAN_2.md") // the first is open
	first()
	take(false, "PLAN.md")() // nothing was typed
	typed("PLAN.md", time.Hour)
	typed("PLAN_2.md", time.Minute)
	take(false, "PLAN_3.md")()
	one := take(true, "PLAN.md")
	defer one()
	second()
	defer take(true, "PLAN_2.md")()
	take(true, "PLAN_3.md")()

	if _, _, err := TakeFile(filepath.Join(dir, "PLAN.md", "below.md"), false); err == nil {
		t.Error("a folder that cannot be created is not an error")
	}
}
