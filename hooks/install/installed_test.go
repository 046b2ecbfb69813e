package install_test

import (
	"context"
	"testing"

	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/testdata/hooked"
)

func look(t *testing.T, dir string) install.Facts {
	t.Helper()
	f, err := install.Look(context.Background(), hooked.Open(t, dir))
	hooked.Must(t, err)
	return f
}

// installed does what `git plan hooks install` does, and returns the one action.
func installed(t *testing.T, dir string) install.Action {
	t.Helper()
	return perform(t, install.Plan(look(t, dir), install.Install))
}

func removed(t *testing.T, dir string) install.Action {
	t.Helper()
	return perform(t, install.Plan(look(t, dir), install.Uninstall))
}

func perform(t *testing.T, actions []install.Action) install.Action {
	t.Helper()
	if len(actions) != len(install.All()) {
		t.Fatalf("%d actions for %d hooks", len(actions), len(install.All()))
	}
	hooked.Must(t, install.Perform(actions))
	return actions[0]
}

// bench is a repository with a remote, whose hooks are installed.
type bench struct{ hooked.Bench }
