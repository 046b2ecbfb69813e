package hooks_test

import (
	"path/filepath"
	"testing"
)

// What a session may write beside the objects shows the gate another history than the one
// that a push sends.
func TestNothingBesideTheObjectsBlindsTheGate(t *testing.T) {
	b := project(t)
	gitIn(t, b.repo, "config", "plan.prePush", "block")
	head, main := gitIn(t, b.repo, "rev-parse", "feature"), gitIn(t, b.repo, "rev-parse", "main")
	const unreviewed = "feature: no review has passed what is pushed, and plan.prePush is block"
	stops(t, b.push(t, "origin", "feature"), unreviewed)

	gitIn(t, b.repo, "replace", "feature", "main")
	stops(t, b.push(t, "origin", "feature"), unreviewed)
	gitIn(t, b.repo, "replace", "--delete", head)

	gitIn(t, b.repo, "replace", "feature^{tree}", "main^{tree}")
	stops(t, b.push(t, "origin", "feature"), unreviewed)
	gitIn(t, b.repo, "replace", "--delete", gitIn(t, b.repo, "rev-parse", "feature^{tree}"))

	grafts := filepath.Join(b.repo, ".git", "info", "grafts")
	write(t, grafts, head+"\n"+main+" "+head+"\n", 0o644) // main would come from feature
	stops(t, b.push(t, "origin", "feature"), unreviewed)
}
