package hooks_test

import (
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/testdata/hooked"
)

// Files beside the objects, which a session may write, can show the gate a different history from the one
// that is pushed; the gate ignores them.
func TestGateIgnoresFilesBesideTheObjects(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	head, main := hooked.Git(t, b.Repo, "rev-parse", "feature"), hooked.Git(t, b.Repo, "rev-parse", "main")
	const unreviewed = "feature: no review has passed these commits, and plan.prePush is block"
	stops(t, b.push(t, "origin", "feature"), unreviewed)

	hooked.Git(t, b.Repo, "replace", "feature", "main")
	stops(t, b.push(t, "origin", "feature"), unreviewed)
	hooked.Git(t, b.Repo, "replace", "--delete", head)

	hooked.Git(t, b.Repo, "replace", "feature^{tree}", "main^{tree}")
	stops(t, b.push(t, "origin", "feature"), unreviewed)
	hooked.Git(t, b.Repo, "replace", "--delete", hooked.Git(t, b.Repo, "rev-parse", "feature^{tree}"))

	grafts := filepath.Join(b.Repo, ".git", "info", "grafts")
	hooked.Write(t, grafts, head+"\n"+main+" "+head+"\n", 0o644) // main would come from feature
	stops(t, b.push(t, "origin", "feature"), unreviewed)
}
