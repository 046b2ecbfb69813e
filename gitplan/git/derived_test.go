package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// The same repository with other files has its own HEAD and index, and reads the same objects.
func TestTheSameRepositoryWithOtherFiles(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	one := repository.Commit(t, "one")
	top, gitDir := t.TempDir(), t.TempDir()
	repository.Write(t, filepath.Join(gitDir, "HEAD"), one+"\n")
	repository.Write(t, filepath.Join(top, "b"), "2")
	e := r.WithFiles(top, gitDir, "core.bigFileThreshold", "1m")
	defer e.Close()
	if out, err := e.Output(ctx, "status", "--porcelain"); err != nil || out != "D  a\n?? b" || !e.PrivateWorktree {
		t.Errorf("its status is %q, %v", out, err)
	}
	if o, err := e.Read(ctx, "HEAD:a"); err != nil || string(o.Data) != "1" {
		t.Errorf("a is %q, %v", o.Data, err)
	}
	if out, err := e.Output(ctx, "config", "core.bigFileThreshold"); err != nil || out != "1m" {
		t.Errorf("the setting is %q, %v", out, err)
	}
	if out := repository.Ask(t, "status", "--porcelain"); out != "" {
		t.Errorf("here is %q", out)
	}
}

// A git that is bound to no repository uses the one in which it runs; one with more variables runs in the
// same repository.
func TestGitInAnotherFolder(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Ask(t, "init", "-q", "inner/repo")
	inner := filepath.Join(r.Top, "inner", "repo")
	if out, err := r.Unbound(inner).Output(ctx, "rev-parse", "--show-toplevel"); err != nil || out != inner {
		t.Errorf("the top folder is %q, %v", out, err)
	}
	if out, err := r.Output(ctx, "rev-parse", "--show-toplevel"); err != nil || out != r.Top {
		t.Errorf("here it is %q, %v", out, err)
	}
	if sub, err := r.Submodule(inner, filepath.Join(inner, ".git")).Output(ctx, "rev-parse", "--show-toplevel"); err != nil || sub != inner {
		t.Errorf("of the submodule it is %q, %v", sub, err)
	}
	if _, err := os.Stat(filepath.Join(r.Top, ".git")); err != nil {
		t.Error(err)
	}
}

// A repository derived from an untrusted one reaches no other repository either.
func TestDistrustIsInherited(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	r.ForbidTransports()
	for name, e := range map[string]*Repo{
		"files": r.WithFiles(t.TempDir(), t.TempDir()), "another": r.Clone(), "unbound": r.Unbound(r.Top),
		"submodule": r.Submodule(r.Top, r.GitDir), "objects": r.WithObjectDir(t.TempDir()),
	} {
		env := e.environ(Command{})
		if !slices.Contains(env, "GIT_NO_LAZY_FETCH=1") || !slices.ContainsFunc(env, func(kv string) bool { return kv == "GIT_ALLOW_PROTOCOL=none" || kv == "GIT_ALLOW_PROTOCOL=file" }) {
			t.Errorf("%s: it may reach others", name)
		}
		e.Close()
	}
	if err := r.Unbound(r.Top).Run(t.Context(), Command{Args: []string{"clone", "-q", "--", r.CommonDir, filepath.Join(t.TempDir(), "clone")}}); err != nil {
		t.Errorf("it cannot be cloned: %v", err)
	}
}
