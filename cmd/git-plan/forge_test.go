package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/testdata/repository"
)

// havePrograms puts programs on PATH that record their arguments and input in a file, and list the contents
// of a variable.
func havePrograms(t *testing.T, names ...string) (noted string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake programs are shell scripts")
	}
	path, noted := t.TempDir(), filepath.Join(t.TempDir(), "noted")
	for _, name := range names {
		file := filepath.Join(path, name)
		repository.Write(t, file, "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$@\" >>'"+noted+"'\ncase $2 in list) echo \"$LISTED\" ;; *) cat >>'"+noted+"'; echo made; exit ${EXIT:-0} ;; esac\n")
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", path)
	return noted
}

// The host of a remote decides which program is used; if only one is installed, it is that one.
func TestForgeProgramOfARemote(t *testing.T) {
	for _, c := range []struct{ programs, address, want string }{
		{"gh glab", "git@github.com:a/b", "gh"}, {"gh glab", "https://GitLab.example.com/a/b", "glab"},
		{"gh", "https://gitlab.com/a/b", "gh"}, {"glab", "/srv/b.git", "glab"}, {"", "git@github.com:a/b", ""},
	} {
		havePrograms(t, strings.Fields(c.programs)...)
		if f, ok := forgeOf(c.address); f.program != c.want || ok != (c.want != "") {
			t.Errorf("%s of %q: %q", c.address, c.programs, f.program)
		}
	}
}

// A branch without an open pull request gets one; an open one gets the new text.
func TestPullRequestIsOpenedOrUpdated(t *testing.T) {
	pr := pullRequest{Branch: "b", Base: "main", Title: "Greet", Text: []byte("why\n"), Draft: true}
	for _, c := range []struct{ program, listed, want string }{
		{"gh", "[]", "pr list --head=b --state=open --limit=1 --json=number\npr create --head=b --title=Greet --body-file=- --base=main --draft\nwhy\n"},
		{"gh", `[{"number": 7}]`, "pr list --head=b --state=open --limit=1 --json=number\npr edit 7 --body-file=-\nwhy\n"},
		{"glab", "no JSON", "mr list --source-branch=b --per-page=1 --output=json\nmr create --source-branch=b --title=Greet --description=why\n --yes --target-branch=main --draft\nwhy\n"},
		{"glab", `[{"iid": 9}]`, "mr list --source-branch=b --per-page=1 --output=json\nmr update 9 --description=why\n\nwhy\n"},
	} {
		noted := havePrograms(t, c.program)
		t.Setenv("LISTED", c.listed)
		f, _ := forgeOf("")
		var out strings.Builder
		err := f.request(t.Context(), t.TempDir(), pr, &out)
		if got := repository.Read(t, noted); err != nil || got != c.want || out.String() != "made\n" {
			t.Errorf("%s, %s: %v\n%s%s", c.program, c.listed, err, got, out.String())
		}
	}
}

// A program that fails is named, since the person must sign in to it.
func TestFailingForgeProgramIsNamed(t *testing.T) {
	havePrograms(t, "gh")
	t.Setenv("EXIT", "4")
	f, _ := forgeOf("")
	err := f.request(t.Context(), t.TempDir(), pullRequest{Branch: "b"}, &strings.Builder{})
	var failed *fault.Fault
	if !errors.Is(err, fault.ErrForge) || !errors.As(err, &failed) || failed.Next != "gh" || !strings.Contains(failed.Text, "gh pr create exited with 4") {
		t.Error(err)
	}
}
