//go:build unix

package integrity

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/testdata/repository"
)

// thePlan is the text of the branch's plan, and theID its id.
const (
	thePlan = "# T\n\n## Steps\n\n- [ ] **a** {#a}\n"
	theID   = "t-1111"
)

// scene returns a repository, which is the current folder, with a filter, hooks, a remote and
// an approved plan on branch main.
func scene(t *testing.T) Target {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	repository.Write(t, "tools/clean.sh", "cat\n")
	repository.Write(t, ".gitplan/prompts/step.md", "Do it.\n")
	repository.Commit(t, "one")
	session(t, `printf '[filter "x"]\n clean = ./tools/clean.sh\n[remote "hub"]\n url = /nowhere\n[branch "main"]\n plan = `+theID+`\n' >>.git/config
		printf 'create refs/plans/`+theID+` HEAD\ncreate refs/plans/u-2222 HEAD\n' | git update-ref --stdin`)
	at := sceneHere(t)
	fine(t, Approve(at.Repo, theID, []byte(thePlan)))
	return at
}

// sceneHere returns the scene of the repository of the current folder.
func sceneHere(t *testing.T) Target {
	t.Helper()
	r, config, err := git.OpenHere(t.Context())
	fine(t, err)
	t.Cleanup(r.Close)
	return Target{Repo: r, Config: settings.New(config), Plan: theID, Branch: "main"}
}

// session runs lines in the current folder, as a session might.
func session(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.Command("sh", "-ec", line).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func fine(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Everything that decides which commands run is compared; the work itself, and a person's changes elsewhere
// in the repository, are not.
func TestFilesASessionMustNotChange(t *testing.T) {
	for line, want := range map[string]string{
		"echo x >file; git add -A; git hash-object -w file; git tag x; git branch other": "",
		"git config branch.main.description x; git config branch.main.remote hub":        "",
		"git config user.name x":                                                       "the configuration (user.name)",
		"git config filter.x.clean evil":                                               "the configuration (filter.x.clean)",
		"git config branch.main.pushRemote hub":                                        "the configuration (branch.main.pushremote)",
		"git config branch.main.remote https://evil":                                   "the configuration (branch.main.remote)",
		"echo evil >>tools/clean.sh":                                                   "tools/clean.sh",
		"chmod +x tools/clean.sh":                                                      "tools/clean.sh",
		"echo evil >.git/hooks/pre-commit":                                             ".git/hooks/pre-commit",
		"echo x >.gitplan/new; rm .gitplan/prompts/step.md":                            ".gitplan/new, .gitplan/prompts/step.md",
		"mkdir -p .git/refs/replace; git rev-parse HEAD >.git/refs/replace/x":          ".git/refs/replace/x",
		"echo '* filter=x' >.git/info/attributes; echo x >>.git/info/exclude":          ".git/info/attributes, .git/info/exclude",
		"echo /x >.git/objects/info/alternates; echo '[lfs]' >.lfsconfig":              ".git/objects/info/alternates, .lfsconfig",
		"ln -s /etc/passwd .git/refs/heads/x; mkfifo .git/x.lock":                      ".git/refs/heads/x, .git/x.lock",
		"rm .git/config; mkfifo .git/config":                                           ".git/config",
		"rm .git/index; mkfifo .git/index .git/sharedindex.1":                          ".git/index, .git/sharedindex.1",
		"mkdir .git/rebase-merge; mkfifo .git/rebase-merge/head-name":                  ".git/rebase-merge/head-name",
		"mkdir -p .git/plan/attached; echo x >.git/plan/attached/t-1111":               ".git/plan/attached/t-1111",
		"mkdir -p .git/modules/x/hooks; echo evil >.git/modules/x/hooks/post-checkout": ".git/modules/x/hooks/post-checkout",
		"mkdir -p .git/modules/x/objects/ab/y; echo /x >.git/modules/x/objects/ab/y/commondir; echo x >.git/modules/x/HEAD": ".git/modules/x/objects/ab/y/commondir",
		"mkdir .git/modules; ln -s ../../x .git/modules/x":                                                                  ".git/modules/x",
		"mkdir -p .git/remotes .git/branches; echo URL: x >.git/remotes/origin; echo x >.git/branches/o":                    ".git/branches/o, .git/remotes/origin",
		"git rev-parse HEAD >.git/shallow; echo /a >.git/info/sparse-checkout":                                              ".git/info/sparse-checkout, .git/shallow",
		"git config branch.main.mergeOptions --strategy=evil":                                                               "the configuration (branch.main.mergeoptions)",
		"git init -q tools":                                                                                  "tools/.git (now in .git/plan/nested)",
		"mkdir tools/.git .gitplan/prompts/.git":                                                             ".gitplan/prompts/.git (now in .git/plan/nested), tools/.git (now in .git/plan/nested)",
		"git init -q new; git init -q other; rm -r tools; ln -s new tools":                                   "tools/clean.sh",
		"mkdir -p .git/plan/transcripts; echo x >.git/plan/transcripts/x":                                    "",
		"mkdir -p .git/plan/attached; echo x >.git/plan/attached/of-another-plan-0000":                       "",
		"chmod 311 .git/logs/refs .git":                                                                      "",
		"ln -s /etc/passwd .git/logs/refs/x; chmod 311 .git/logs/refs .git":                                  ".git/logs/refs/x",
		"mkdir -p .git/modules/x/hooks; echo evil >.git/modules/x/hooks/post-update; chmod 311 .git/modules": ".git/modules",
	} {
		t.Run(line, func(t *testing.T) {
			if os.Getuid() == 0 && strings.Contains(line, "chmod 311") {
				t.Skip("root lists every folder")
			}
			at := scene(t)
			before := at.Read()
			session(t, line)
			got, lost, err := at.Changed(t.Context(), before)
			session(t, "chmod -R u+rwX .git")
			if err != nil || lost || strings.Join(slices.Compact(got), ", ") != want {
				t.Errorf("changed: %s (lost: %v), %v; want %s", strings.Join(got, ", "), lost, err, want)
			}
		})
	}
}

// After a repository was removed, or replaced, nothing can continue; a branch that lost its plan is reported
// separately, since that can be restored.
func TestRemovedRepository(t *testing.T) {
	for line, want := range map[string]string{
		`top=$PWD; cd ..; rm -rf "$top"`:               "was removed during the session; its content is gone",
		"mv .git kept; cp -r kept .git":                ".git was replaced by another folder during the session",
		`top=$PWD; cd ..; mv "$top" x; cp -r x "$top"`: "was replaced by another folder during the session",
	} {
		at := scene(t)
		before := at.Read()
		session(t, line)
		if _, _, err := at.Changed(t.Context(), before); !errors.Is(err, fault.ErrNoLonger) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
		t.Chdir("/")
	}
	at := scene(t)
	before := at.Read()
	session(t, "git config branch.main.plan other")
	if changed, lost, err := at.Changed(t.Context(), before); len(changed) > 0 || !lost || err != nil {
		t.Errorf("changed: %v, lost: %v, %v", changed, lost, err)
	}
}

// A .git that was a link to the repository is a link to it again, and what replaced it is kept.
func TestLinkToTheRepositoryIsRestored(t *testing.T) {
	scene(t)
	store := filepath.Join(t.TempDir(), "store")
	fine(t, os.Rename(".git", store), os.Symlink(store, ".git"))
	at := sceneHere(t)
	before := at.Read()
	session(t, "rm .git; git init -q; git config core.fsmonitor evil")
	if changed, _, err := at.Changed(t.Context(), before); err != nil || !slices.Equal(changed, []string{".git (now in .git/plan/nested)"}) {
		t.Errorf("changed: %v, %v", changed, err)
	}
	before.RemovePlanted(at.Repo)
	again := sceneHere(t)
	if _, set := again.Config.Git.Get("core.fsmonitor"); set || again.Repo.GitDir != at.Repo.GitDir {
		t.Errorf("it leads to %s", again.Repo.GitDir)
	}
	if kept, _ := filepath.Glob(at.Repo.PlanDir("nested", "*", "config")); len(kept) != 1 {
		t.Errorf("what was there is kept as %v", kept)
	}
}

// The state for a session in a clone contains the files of both repositories; the clone must still be the
// same one.
func TestStateOfAClone(t *testing.T) {
	at := scene(t)
	path := filepath.Join(t.TempDir(), "clone")
	repository.Git(t, "", "clone", "-q", ".", path)
	clone, err := git.Open(t.Context(), path)
	fine(t, err)
	t.Cleanup(clone.Close)
	at.Clone = clone
	before := at.Read()
	if !before.StillClone(path) {
		t.Error("the clone counts as replaced")
	}
	session(t, "cd '"+path+"' && echo x >.gitplan/new && echo evil >tools/clean.sh && git checkout -q -b other && echo work >file")
	changed, _, err := at.Changed(t.Context(), before)
	if d := cmp.Diff([]string{".git/HEAD", ".gitplan/new", "tools/clean.sh"}, changed); err != nil || d != "" {
		t.Errorf("%v: %s", err, d)
	}
	fine(t, os.Rename(path, path+"2"), os.Symlink(path+"2", path))
	if before.StillClone(path) {
		t.Error("a link is taken for the clone")
	}
}
