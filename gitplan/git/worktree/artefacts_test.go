package worktree

import (
	"os"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// An artefact has a name that only a tool gives, and is not in a folder of fixtures.
func TestAnArtefactHasANameThatOnlyAToolGives(t *testing.T) {
	for path, want := range map[string][2]string{
		"__pycache__/m.pyc":                {"__pycache__/", "__pycache__/"},
		"a/b/__pycache__/m.pyc":            {"__pycache__/", "a/b/__pycache__/"},
		"a/__pycache__/":                   {"__pycache__/", "a/__pycache__/"},
		".tox/py/lib/__pycache__/m.pyc":    {".tox/", ".tox/"},
		".coverage":                        {".coverage", ".coverage"},
		"sub/.DS_Store":                    {".DS_Store", "sub/.DS_Store"},
		"__pycache__":                      {},
		".coverage/x":                      {},
		"m.pyc":                            {},
		"dist/app.js":                      {},
		"node_modules/x/index.js":          {},
		"my__pycache__/x":                  {},
		"tests/fixtures/__pycache__/m.pyc": {},
		"testdata/.coverage":               {},
	} {
		if line, at := ArtefactLine(path); line != want[0] || at != want[1] {
			t.Errorf("%s: %q about %q", path, line, at)
		}
	}
}

// A status has artefacts as if git ignored them, whether they are tracked or not, unless
// somebody staged or deleted them.
func TestAStatusIgnoresArtefacts(t *testing.T) {
	r := opened(t)
	for _, name := range []string{"m.py", "__pycache__/m.pyc", "__pycache__/staged.pyc", "__pycache__/gone.pyc"} {
		repository.Write(t, name, "1\n")
	}
	repository.Commit(t, "one")
	for _, name := range []string{"m.py", "__pycache__/m.pyc", "__pycache__/staged.pyc", "__pycache__/new.pyc", "p/__pycache__/a.pyc", "p/__pycache__/b.pyc"} {
		repository.Write(t, name, "two\n")
	}
	repository.Ask(t, "add", "__pycache__/staged.pyc")
	if err := os.Remove("__pycache__/gone.pyc"); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStatusIgnored(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if paths := s.Paths(); !slices.Equal(paths, []string{"__pycache__/gone.pyc", "__pycache__/staged.pyc", "m.py"}) || len(s.Untracked) > 0 {
		t.Errorf("changed %q, untracked %q", paths, s.Untracked)
	}
	if now := []string{"__pycache__/", "p/__pycache__/"}; !slices.Equal(s.Artefacts, now) || !slices.Equal(s.Ignored, now) || !slices.Equal(s.Rewritten, []string{"__pycache__/m.pyc"}) {
		t.Errorf("artefacts %q, ignored %q, rewritten %q", s.Artefacts, s.Ignored, s.Rewritten)
	}
	if s, err = ReadStatus(t.Context(), r); err != nil || len(s.Ignored) > 0 {
		t.Errorf("nobody asked what is ignored: %q, %v", s.Ignored, err)
	}
}

// What a tool rewrote since does not keep a stash from coming back.
func TestAStashComesBackOverWhatAToolRewrote(t *testing.T) {
	r, ctx := opened(t), t.Context()
	for _, name := range []string{"m.py", "__pycache__/m.pyc"} {
		repository.Write(t, name, "1\n")
	}
	repository.Commit(t, "one")
	for _, name := range []string{"m.py", "__pycache__/m.pyc"} {
		repository.Write(t, name, "mine\n")
	}
	stash := ""
	if err := Stash(ctx, r, func(commit string) error { stash = commit; return nil }); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "__pycache__/m.pyc", "a tool's\n")
	if err := Unstash(ctx, r, stash); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m.py", "__pycache__/m.pyc"} {
		if text, err := os.ReadFile(name); string(text) != "mine\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
