package checkout

import (
	"os"
	"path/filepath"
	"testing"
)

// An imported plan remembers a file of the repository, and no other.
func TestImportedFile(t *testing.T) {
	w := newWorld(t)
	w.commit("docs/plan.md", "")
	w.write("untracked.md", "")
	w.write("*.md", "")
	outside := filepath.Join(t.TempDir(), "plan.md")
	fine(t, os.WriteFile(outside, nil, 0o600), os.Symlink(outside, filepath.Join(w.dir, "out.md")), os.Symlink(w.dir, filepath.Join(filepath.Dir(outside), "in")))
	w.Chdir(filepath.Join(w.dir, "docs"))
	c, err := Open(t.Context())
	fine(t, err)
	defer c.Close()
	for _, f := range []struct{ name, path string }{
		{"plan.md", "docs/plan.md"}, {filepath.Join(w.dir, "docs", "plan.md"), "docs/plan.md"},
		{filepath.Join(filepath.Dir(outside), "in", "docs", "plan.md"), "docs/plan.md"},
		{"../untracked.md", "untracked.md"}, {"../*.md", "*.md"},
		{"../out.md", ""}, {outside, ""}, {"..", ""}, {"gone.md", ""},
	} {
		if path := PathInTree(c, f.name); path != f.path {
			t.Errorf("%s: got %q", f.name, path)
		}
	}
}

// The clone of a plan's sessions is where no session can write above it, always at the same path, which
// differs between plans and repositories.
func TestClonePlace(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.open()
	top, gitDir, err := TaskIn(c.Repo, id, "").Clone()
	fine(t, err)
	again, _, _ := TaskIn(w.open().Repo, id, "").Clone()
	review, reviewDir, err := TaskIn(c.Repo, "", "").Clone()
	fine(t, err)
	other, _, _ := TaskIn(w.clone("main").open().Repo, id, "").Clone()
	if top != again || top == review || top == other || gitDir == reviewDir || filepath.Base(top) != "anna" {
		t.Errorf("of the plan %s, again %s, of a review %s, elsewhere %s", top, again, review, other)
	}
	state := filepath.Join(os.Getenv("HOME"), ".local", "state", "git-plan")
	if rel, err := filepath.Rel(state, top); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("%s is not below %s", top, state)
	}
}
