package workspace

import (
	"strings"
	"testing"
)

// What a person has in the work tree and no commit has is theirs: never committed, and put back
// byte for byte if a session removes it.
func TestAPersonsFilesAreTheirs(t *testing.T) {
	w := newWorld(t)
	task := w.with("kept.txt", "mine\n").with("gone.txt", "mine too\n").with("edited.txt", "as it was\n").begin()
	task.does("rm gone.txt; echo theirs >edited.txt; echo x >x.txt; git add -A")
	_, reason := task.left()
	w.says(reason, "")
	touched, reported := task.UntrackedTouched(t.Context())
	if strings.Join(touched, " ") != "edited.txt" {
		t.Errorf("touched: %v", touched)
	}
	w.says(strings.Join(reported, "\n"), "the session changed files that are not tracked: edited.txt; what they were is kept as refs/plan-attempts/")
	w.says(strings.Join(reported, "\n"), "the session removed files that are not tracked: gone.txt; they are back")
	w.has("gone.txt", "mine too\n")
	w.has("kept.txt", "mine\n")
	if _, reported := task.UntrackedTouched(t.Context()); len(reported) != 0 {
		t.Errorf("told again: %v", reported)
	}
	w.says(task.commits(), "")
	if made := w.git("show", "--format=", "--name-only"); made != "x.txt" {
		t.Errorf("committed: %s", made)
	}
}

// A session does not decide what is left out of its commit: what only its own rules have git
// ignore is untracked. What tools make, and what holds a machine's secrets, is ignored still.
func TestRulesOfASessionHideNothing(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("printf 'work.txt\nnode_modules\n.env\n' >.gitignore; echo x >work.txt; mkdir node_modules; echo x >node_modules/m.js; echo x >.env")
		left, reason := task.left()
		w.says(reason, "")
		if strings.Join(left.Paths(), " ") != ".gitignore work.txt" || strings.Join(left.Status.Unignored, " ") != "work.txt" {
			w.Errorf("%v, unignored %v", left.Paths(), left.Status.Unignored)
		}
	})
}
