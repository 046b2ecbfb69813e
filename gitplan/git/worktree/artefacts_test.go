package worktree

import (
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// An artefact has a name that only a tool creates.
func TestNamesOfArtefacts(t *testing.T) {
	for path, want := range map[string][2]string{
		"__pycache__/m.pyc":             {"__pycache__/", "__pycache__/"},
		"a/b/__pycache__/m.pyc":         {"__pycache__/", "a/b/__pycache__/"},
		"a/__pycache__/":                {"__pycache__/", "a/__pycache__/"},
		".tox/py/lib/__pycache__/m.pyc": {".tox/", ".tox/"},
		".coverage":                     {".coverage", ".coverage"},
		"sub/.DS_Store":                 {".DS_Store", "sub/.DS_Store"},
		"__pycache__":                   {},
		".coverage/x":                   {},
		"m.pyc":                         {},
		"dist/app.js":                   {},
		"node_modules/x/index.js":       {},
		"my__pycache__/x":               {},
	} {
		if line, at := ArtefactLine(path); line != want[0] || at != want[1] {
			t.Errorf("%s: %q about %q", path, line, at)
		}
	}
}

// A status treats artefacts as ignored, unless they are tracked.
func TestStatusIgnoresArtefacts(t *testing.T) {
	r := opened(t)
	for _, name := range []string{"m.py", "__pycache__/m.pyc"} {
		repository.Write(t, name, "1\n")
	}
	repository.Commit(t, "one")
	for _, name := range []string{"m.py", "__pycache__/m.pyc", "__pycache__/new.pyc", "p/__pycache__/a.pyc", "p/__pycache__/b.pyc"} {
		repository.Write(t, name, "two\n")
	}
	s, err := ReadStatusIgnored(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if paths := s.Paths(); !slices.Equal(paths, []string{"__pycache__/m.pyc", "m.py"}) || len(s.Untracked) > 0 {
		t.Errorf("changed %q, untracked %q", paths, s.Untracked)
	}
	if now := []string{"__pycache__/", "p/__pycache__/"}; !slices.Equal(s.Artefacts, now) || !slices.Equal(s.Ignored, now) {
		t.Errorf("artefacts %q, ignored %q", s.Artefacts, s.Ignored)
	}
	if s, err = ReadStatus(t.Context(), r); err != nil || len(s.Ignored) > 0 {
		t.Errorf("ignored files were listed without need: %q, %v", s.Ignored, err)
	}
}
