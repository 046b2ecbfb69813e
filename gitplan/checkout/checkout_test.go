package checkout

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// A checkout is a work tree at its branch. Outside a repository it has only the global configuration.
func TestOpen(t *testing.T) {
	w := newWorld(t)
	w.git("config plan.attempts 2")
	c := w.open()
	if attempts, err := c.Config.Int("plan.attempts"); c.Branch != "main" || filepath.Base(c.Repo.Top) != "anna" || attempts != 2 || err != nil {
		t.Errorf("branch %q of %s; %d attempts, %v", c.Branch, c.Repo.Top, attempts, err)
	}
	w.git("switch -q --detach")
	if c := w.open(); c.Branch != "" {
		t.Errorf("a detached HEAD is branch %q", c.Branch)
	}
	t.Chdir(t.TempDir())
	if _, err := Open(t.Context()); err == nil {
		t.Error("outside a repository there is a checkout")
	}
	fine(t, os.WriteFile("global", []byte("[plan]\n\tattempts = 1\n"), 0o600))
	t.Setenv("GIT_CONFIG_GLOBAL", "global")
	c, err := Outside(t.Context())
	fine(t, err)
	defer c.Close()
	if attempts, err := c.Config.Int("plan.attempts"); attempts != 1 || err != nil || c.Repo.Top != "" {
		t.Errorf("outside a repository there are %d attempts, %v", attempts, err)
	}
}

// A branch's key may name a deleted plan; another branch's key is not its own.
func TestPlanID(t *testing.T) {
	w := newWorld(t)
	if id, ok := w.open().PlanID(t.Context()); ok {
		t.Errorf("main has plan %s", id)
	}
	id := w.plan()
	if got, ok := w.open().PlanID(t.Context()); got != id || !ok {
		t.Errorf("work has plan %q", got)
	}
	w.git("update-ref -d " + journal.RefPrefix + id)
	c := w.open()
	bound, isBound := c.Bound()
	if got, ok := c.PlanID(t.Context()); ok || bound != id || !isBound || c.Attached()["work"] != id {
		t.Errorf("the plan was deleted, but work has %q; bound to %q", got, bound)
	}
}
