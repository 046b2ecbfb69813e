package work

import (
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"strings"
	"testing"
)

// changed is what became of a file: lines as a patch has them, hunks apart by "@".
func changed(path string, status byte, lines ...string) git.FileDiff {
	f := git.FileDiff{Path: path, OldPath: path, Status: status, OldMode: "100644", NewMode: "100644", Hunks: []git.Hunk{{}}}
	for _, l := range lines {
		if l == "@" {
			f.Hunks = append(f.Hunks, git.Hunk{})
			continue
		}
		h := &f.Hunks[len(f.Hunks)-1]
		h.Lines = append(h.Lines, git.DiffLine{Kind: l[0], Text: l[1:]})
	}
	return f
}

// Boxes are no work, and all else is.
func TestBoxesAreNoWork(t *testing.T) {
	moved := changed("old/demo.json", 'R', "-a", "+b")
	moved.OldPath = "demo.json"
	script := changed("a.md", 'M', "-- [ ] a", "+- [x] a")
	script.NewMode = "100755"
	huge := changed("a.md", 'M', "-- [ ] a", "+- [x] a")
	huge.Cut = true
	for name, c := range map[string]struct {
		files    []string // of the step
		imported string
		diff     []git.FileDiff
		noWork   bool
	}{
		"ticked":                 {diff: []git.FileDiff{changed("a.md", 'M', " # A", "-- [ ] a", "+- [x] a", " b")}, noWork: true},
		"unticked":               {diff: []git.FileDiff{changed("a.md", 'M', "-- [X] a", "+- [ ] a")}, noWork: true},
		"some of each":           {diff: []git.FileDiff{changed("a.md", 'M', "-* [x] a", "-+ [ ] b", "+* [ ] a", "++ [x] b")}, noWork: true},
		"numbered and quoted":    {diff: []git.FileDiff{changed("a.markdown", 'M', "-> 12. [ ] a", "+> 12. [x] a", "-\t2) [ ]", "+\t2) [x]")}, noWork: true},
		"the first of two same":  {diff: []git.FileDiff{changed("a.md", 'M', "+- [x] a", " - [ ] a", "-- [ ] a")}, noWork: true},
		"two hunks":              {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", "+- [x] a", "@", "-- [ ] b", "+- [x] b")}, noWork: true},
		"two files":              {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", "+- [x] a"), changed("b.MD", 'M', "-- [ ] b", "+- [x] b")}, noWork: true},
		"in Files":               {files: []string{"docs/**"}, diff: []git.FileDiff{changed("docs/a.md", 'M', "-- [ ] a", "+- [x] a")}},
		"beside work":            {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", "+- [x] a"), changed("a.go", 'A', "+package a")}},
		"its words changed":      {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", "+- [x] b")}},
		"a line more":            {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", "+- [x] a", "+- [ ] b")}},
		"moved to another place": {diff: []git.FileDiff{changed("a.md", 'M', "-- [ ] a", " b", "@", " c", "+- [x] a")}},
		"a new list":             {diff: []git.FileDiff{changed("a.md", 'A', "+- [x] a")}},
		"no Markdown":            {diff: []git.FileDiff{changed("a.txt", 'M', "-- [ ] a", "+- [x] a")}},
		"an index":               {diff: []git.FileDiff{changed("a.md", 'M', "-a [ ] b", "+a [x] b")}},
		"no item":                {diff: []git.FileDiff{changed("a.md", 'M', "--[ ] b", "+-[x] b")}},
		"only its end":           {diff: []git.FileDiff{changed("a.md", 'M', "-a", "+a")}},
		"its mode, too":          {diff: []git.FileDiff{script}},
		"not all is held":        {diff: []git.FileDiff{huge}},
		"imported from":          {imported: "demo.json", diff: []git.FileDiff{changed("demo.json", 'M', "-false", "+true")}, noWork: true},
		"and removed":            {imported: "demo.json", diff: []git.FileDiff{changed("demo.json", 'D', "-false")}, noWork: true},
		"and moved":              {imported: "demo.json", diff: []git.FileDiff{moved}, noWork: true},
		"and boxes":              {imported: "demo.json", diff: []git.FileDiff{moved, changed("a.md", 'M', "-- [ ] a", "+- [x] a")}, noWork: true},
		"and work":               {imported: "demo.json", diff: []git.FileDiff{moved, changed("a.go", 'A', "+package a")}},
		"imported, in Files":     {imported: "demo.json", files: []string{"demo.json"}, diff: []git.FileDiff{moved}},
		"from another":           {imported: "demo.json", diff: []git.FileDiff{changed("other.json", 'M', "-false", "+true")}},
	} {
		got := noWork(workspace.Changeset{Diff: &git.Diff{Files: c.diff}}, c.files, c.imported)
		if (got != "") != c.noWork {
			t.Errorf("%s: %q", name, got)
		}
		if c.noWork && !strings.Contains(got, c.diff[0].Path) {
			t.Errorf("%s: %q does not name %s", name, got, c.diff[0].Path)
		}
	}
}
