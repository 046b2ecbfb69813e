// Package branches makes branches for tests of reviews: real repositories, made by git.
package branches

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Branch is a repository whose branch feature is checked out; its base, main, has the file base.txt.
type Branch struct {
	T    *testing.T
	Dir  string
	Repo *git.Repo
}

// New makes a branch that is removed when the test ends.
func New(t *testing.T) *Branch {
	t.Helper()
	b := &Branch{T: t, Dir: t.TempDir()}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	b.Git("init", "-q", "-b", "main")
	b.Commit("base.txt", "base\n")
	b.Git("switch", "-q", "-c", "feature")
	repo, err := git.Open(t.Context(), b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(repo.Close)
	b.Repo = repo
	return b
}

// Git runs git in the repository and returns what it printed.
func (b *Branch) Git(args ...string) string {
	b.T.Helper()
	return strings.TrimSpace(repository.Git(b.T, b.Dir, args...))
}

// Commit writes pairs of path and text, commits them and returns the commit.
func (b *Branch) Commit(files ...string) string {
	b.T.Helper()
	for i := 0; i < len(files); i += 2 {
		repository.Write(b.T, filepath.Join(b.Dir, files[i]), files[i+1])
	}
	b.Git("add", "-A")
	b.Git("commit", "-q", "-m", "Change "+files[0])
	return b.Git("rev-parse", "HEAD")
}

// Script returns the command line of a program in testdata/reviewers, for a test in its package's folder.
func Script(t *testing.T, name string) string {
	t.Helper()
	return "sh '" + repository.Testdata(t, "reviewers/"+name) + "'"
}
