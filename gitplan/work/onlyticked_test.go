package work

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// A change of only the file from which the plan was imported does not count as work.
func TestTickedBoxIsNotWork(t *testing.T) {
	tasks, moved := git.FileDiff{Path: "tasks.md", OldPath: "tasks.md", Status: 'M'}, git.FileDiff{Path: "old.md", OldPath: "tasks.md", Status: 'R'}
	code := git.FileDiff{Path: "a.go", OldPath: "a.go", Status: 'A'}
	for name, c := range map[string]struct {
		files    []string
		imported string
		diff     []git.FileDiff
		ticked   bool
	}{
		"ticked":              {nil, "tasks.md", []git.FileDiff{tasks}, true},
		"moved":               {nil, "tasks.md", []git.FileDiff{moved}, true},
		"and work":            {nil, "tasks.md", []git.FileDiff{tasks, code}, false},
		"a file of the step":  {[]string{"*.md"}, "tasks.md", []git.FileDiff{tasks}, false},
		"of another plan":     {nil, "other.md", []git.FileDiff{tasks}, false},
		"a plan not imported": {nil, "", []git.FileDiff{tasks}, false},
	} {
		if got := onlyTicked(workspace.Changeset{Diff: &git.Diff{Files: c.diff}}, c.files, c.imported); got != c.ticked {
			t.Errorf("%s: %t", name, got)
		}
	}
}
